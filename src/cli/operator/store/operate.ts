import { Agent, request } from 'undici'
import type { Settings } from '../../../config.ts'
import { conflict, Refusal, unavailable } from '../../../kernel/refusal.ts'
import type { Command } from '../../command.ts'
import type { Machine } from '../../machine.ts'
import { openLog } from './log.ts'
import { perform } from './perform.ts'
import { runningSocket } from './socket.ts'

/**
 * Has the operation of a command done by the process that has the store open. With none running it
 * opens the store itself, under its lock. Throws a Refusal with the reason either way.
 */
export async function operate(
  { name, operation, makes }: Pick<Command, 'name' | 'operation' | 'makes'>,
  given: object,
  settings: Settings,
  stderr: Machine['stderr'],
): Promise<unknown> {
  if (!operation) throw new Error(`the command "${name}" has no operation`)
  const input = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const socket = await runningSocket(settings.config.data_dir)
  if (socket !== undefined) return ask(socket, name, input)
  const [{ buildApp }, { withKey }] = await Promise.all([
    import('../../../app.ts'),
    import('../../../config/key.ts'),
  ])
  const log = openLog('error', { stderr })
  const house = await buildApp((await withKey(settings)) ?? settings.config, {
    log,
    mustStand: !makes,
  })
  try {
    // Two passes over the files at once would only wait for each other.
    await house.caughtUp
    return await perform(operation, house, input)
  } finally {
    await house.close()
  }
}

async function ask(socketPath: string, name: string, input: object): Promise<unknown> {
  const agent = new Agent({ connect: { socketPath }, headersTimeout: 0, bodyTimeout: 0 })
  try {
    const answer = await request(`http://loam/${encodeURIComponent(name)}`, {
      dispatcher: agent,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
    })
    const body = (await answer.body.json()) as { error?: string }
    if (answer.statusCode !== 200) throw conflict(body.error ?? `${name} failed`)
    return body
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw unavailable(
      `the service ended before it answered; whether "${name}" took effect is not known`,
      error,
    )
  } finally {
    await agent.destroy()
  }
}
