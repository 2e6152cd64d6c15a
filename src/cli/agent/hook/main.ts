/**
 * The program that clients start: hooks, the headers of the tools' endpoint and the bridge to it. An agent waits for it, so
 * it understands nothing but what an installation writes, and loads no package. For every other line it
 * is the whole program.
 */
import type { Client } from '../../../config/client.ts'
import { homeIn, workingDirectory } from '../../../kernel/whereabouts.ts'
import { plainClient } from '../../client/plain-client.ts'
import type { HookCall } from './run.ts'

const OPTIONS = ['--client', '--config'] as const
type Given = Partial<Record<(typeof OPTIONS)[number], string>>

/** Returns the options of a line; undefined when it holds anything else. */
function optionsOf(words: readonly string[]): Given | undefined {
  const given: Given = {}
  for (let index = 0; index < words.length; index += 2) {
    const [name, value] = [OPTIONS.find((each) => each === words[index]), words[index + 1]]
    if (!name || !value || value.startsWith('-') || given[name] !== undefined) return undefined
    given[name] = value
  }
  return given
}

/** Lines on their way out. One that cannot be printed belongs to a client that went away. */
const printing: Promise<unknown>[] = []

function print(to: NodeJS.WriteStream, line: string): void {
  to.on('error', () => {})
  printing.push(new Promise((resolve) => to.write(`${line}\n`, resolve)))
}

function callFor({ '--config': config }: Given): HookCall {
  const { env } = process
  const from = { env, cwd: workingDirectory(), file: config }
  return {
    env,
    home: homeIn(env),
    get stdin() {
      return process.stdin
    },
    async client(): Promise<Client> {
      return plainClient(from) ?? (await import('../../../config/client.ts')).loadClient(from)
    },
    say: (line) => print(process.stdout, line),
    complain: (line) => print(process.stderr, line),
  }
}

async function main([command, ...words]: readonly string[]): Promise<boolean> {
  const event = command === 'hook' ? words.shift() : undefined
  const given = optionsOf(words)
  if (!given || (command === 'hook' && (!event || event.startsWith('-')))) return false
  const client = given['--client'] ?? 'claude-code'
  const call = callFor(given)
  if (command === 'hook' && event) {
    const { runHook } = await import('./run.ts')
    await runHook(event, client, call)
  } else if (command === 'mcp-headers') {
    const { printHeaders } = await import('../../client/identity-headers.ts')
    await printHeaders(client, call)
  } else if (command === 'bridge') {
    const { runBridge } = await import('../../client/bridge/program.ts')
    const { env, home, stdin } = call
    const machine = { env, home, stdin, stdout: process.stdout, cwd: workingDirectory() }
    await runBridge({ ...machine, client: await call.client(), name: given['--client'] })
  } else return false
  return true
}

let isDone = true
try {
  isDone = await main(process.argv.slice(2))
} catch (error) {
  print(process.stderr, `loam: ${(error as Error).message}`)
  process.exitCode = 1
}
if (isDone) {
  await Promise.all(printing)
  // What is still open has nothing more to say: the connection, a client's pipe that stays open.
  process.exit()
}
await import('../../../main.ts')
