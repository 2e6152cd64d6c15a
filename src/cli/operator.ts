import { resolve } from 'node:path'
import { pino } from 'pino'
import { Agent, request } from 'undici'
import { buildApp } from '../app.ts'
import { loadConfig, type Settings } from '../config.ts'
import { withKey } from '../config/key.ts'
import { conflict } from '../kernel/refusal.ts'
import { assertTarget } from './db-copy.ts'
import { type Operation, OPERATIONS } from './operations.ts'
import { answers, listSockets } from './socket.ts'

type Answer<Name extends Operation> = Awaited<ReturnType<(typeof OPERATIONS)[Name]>>

export async function reindex({ config: file }: { config?: string }): Promise<void> {
  const report = await operate(await loadConfig({ file }), 'reindex')
  console.log(
    `${report.seen} files read, ${report.indexed} indexed, ${report.forgotten} forgotten, ` +
      `${report.problems} listed as problems`,
  )
  if (report.withheld > 0)
    throw conflict(
      `${report.withheld} files are gone at once, so nothing was forgotten: is the disk mounted? If they were deleted on purpose, delete them in smaller numbers`,
    )
}

export async function copyDatabase({ config: file, to }: { config?: string; to: string }) {
  assertTarget(to)
  const { rows, tables } = await operate(await loadConfig({ file }), 'copy', { to })
  console.log(
    `${rows} rows of ${tables} tables are copied and counted. The source is unchanged. To use the ` +
      'copy, stop the service and start it with LOAM_DATABASE_URL, on the same data directory.',
  )
}

export async function exportTo({ config: file, to }: { config?: string; to: string }) {
  const { files, rows } = await operate(await loadConfig({ file }), 'export', { to: resolve(to) })
  console.log(`${files} files and ${rows} rows are in ${resolve(to)}`)
}

interface ImportOptions {
  config?: string
  from: string
  project?: string
  skip?: string
}

export async function importFrom({ config: file, from, skip, ...rest }: ImportOptions) {
  const input = { ...rest, from: resolve(from), ...(skip && { skip: skip.split(',') }) }
  const report = await operate(await loadConfig({ file }), 'import', input)
  for (const warning of report.warnings) console.error(`warning: ${warning}`)
  const counts = Object.entries(report.imported).map(([what, count]) => `${count} ${what}`)
  console.log(`imported: ${counts.join(', ') || 'nothing'}; skipped: ${report.skipped}`)
}

/**
 * Asks the process that has the store open, or opens the store itself, under its lock, when there
 * is none. Throws a Refusal with the reason either way.
 */
export async function operate<Name extends Operation>(
  settings: Settings,
  name: Name,
  input: object = {},
): Promise<Answer<Name>> {
  const socket = await runningSocket(settings.config.data_dir)
  if (socket !== undefined) return ask(socket, name, input) as Promise<Answer<Name>>
  const log = pino({ level: 'error' }, pino.destination(2))
  const config = (await withKey(settings)) ?? settings.config
  const house = await buildApp(config, { log })
  try {
    // Two passes over the files at once would only wait for each other.
    await house.caughtUp
    return (await OPERATIONS[name](house, input)) as Answer<Name>
  } finally {
    await house.close()
  }
}

/** The socket of a process that runs on this data directory, or undefined. */
export async function runningSocket(dataDir: string): Promise<string | undefined> {
  for (const socket of await listSockets(dataDir)) if (await answers(socket)) return socket
  return undefined
}

async function ask(socketPath: string, name: Operation, input: object): Promise<unknown> {
  const agent = new Agent({ connect: { socketPath }, headersTimeout: 0, bodyTimeout: 0 })
  try {
    const answer = await request(`http://loam/${name}`, {
      dispatcher: agent,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
    })
    const body = (await answer.body.json()) as { error?: string }
    if (answer.statusCode !== 200) throw conflict(body.error ?? `${name} failed`)
    return body
  } finally {
    await agent.close()
  }
}
