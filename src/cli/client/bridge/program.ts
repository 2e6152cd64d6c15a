/** The bridge as a process: what its machine knows, and the signals and pipes by which it ends. */
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Client } from '../../../config/client.ts'
import type { Environment } from '../../../config.ts'
import { readBuild } from '../../../kernel/build.ts'
import { homeOf } from '../../machine.ts'
import { bridge } from '../bridge.ts'
import { identityHeaders } from '../identity-headers.ts'
import { openKept } from './kept.ts'
import { type Memory, memoryOf } from './packaged.ts'

interface Started {
  client: Client
  /** What the client that started us is called, when it says so. */
  name: string | undefined
  cwd: string
  env: Environment
  stdin: Readable
  stdout: { write(text: string): unknown; on?(event: 'error', told: () => void): unknown }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Serves the client that started us until it is gone, or until this process is to end. */
export async function runBridge({ client, name, cwd, env, stdin, stdout }: Started): Promise<void> {
  // Refuses at once when there is none.
  await client.key()
  const ending = new AbortController()
  const end = (): void => ending.abort()
  for (const signal of SIGNALS) process.on(signal, end)
  // A client that is gone reads nothing any more.
  stdout.on?.('error', end)
  try {
    await bridge({
      client,
      identity: await identityHeaders({ client: name, cwd, env }),
      memory: memoryAt(client.url, env),
      input: stdin,
      output: (line) => void stdout.write(`${line}\n`),
      signal: ending.signal,
    })
  } finally {
    for (const signal of SIGNALS) process.off(signal, end)
  }
}

/** Opened when it is asked first: a start does not wait for it. */
function memoryAt(url: string, env: Environment): Memory {
  let opened: Memory | undefined
  const open = (): Memory => {
    const states = env['XDG_STATE_HOME'] || join(homeOf({ env }), '.local/state')
    const { version, commit, built } = readBuild()
    const folder = join(states, 'loam', 'bridge')
    return memoryOf(openKept({ folder, url, build: [version, commit, built].join(' ').trim() }))
  }
  return {
    known: (question) => (opened ??= open()).known(question),
    keep: (question, result) => (opened ??= open()).keep(question, result),
  }
}
