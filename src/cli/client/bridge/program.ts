/** The bridge as a process: what its machine knows, and the signals and pipes by which it ends. */
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Client } from '../../../config/client.ts'
import type { Environment } from '../../../config.ts'
import { readBuild } from '../../../kernel/build.ts'
import { bridge } from '../bridge.ts'
import { identityHeaders } from '../identity-headers.ts'
import { reportGone, stateFolder } from '../registry.ts'
import { openKept } from './kept.ts'
import { type Memory, memoryOf } from './packaged.ts'

interface Started {
  client: Client
  /** What the client that started us is called, when it says so. */
  name: string | undefined
  cwd: string
  env: Environment
  /** The folder of the user. */
  home: string
  stdin: Readable
  stdout: { write(text: string): unknown; on?(event: 'error', told: () => void): unknown }
  /** How often clients are looked for that have died, in milliseconds. */
  lookMs?: number
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const REPORT_MS = 4_000

/** Serves the client that started us until it is gone, or until this process is to end. */
export async function runBridge(started: Started): Promise<void> {
  const { client, name, cwd, env, stdin, stdout, lookMs = 60_000 } = started
  // Refuses at once when there is none.
  await client.key()
  const ending = new AbortController()
  const end = (): void => ending.abort()
  for (const signal of SIGNALS) process.on(signal, end)
  // A client that is gone reads nothing any more.
  stdout.on?.('error', end)
  const looking = setInterval(() => void tellOfTheGone(started), lookMs).unref()
  try {
    await bridge({
      client,
      identity: await identityHeaders({ client: name, cwd, env }),
      memory: memoryAt(started),
      input: stdin,
      output: (line) => void stdout.write(`${line}\n`),
      signal: ending.signal,
    })
  } finally {
    clearInterval(looking)
    for (const signal of SIGNALS) process.off(signal, end)
  }
}

/** Opened when it is asked first: a start does not wait for it. */
function memoryAt({ client: { url }, env, home }: Started): Memory {
  let opened: Memory | undefined
  const open = (): Memory => {
    const { version, commit, built } = readBuild()
    const folder = join(stateFolder(env, home), 'loam', 'bridge')
    return memoryOf(openKept({ folder, url, build: [version, commit, built].join(' ').trim() }))
  }
  return {
    known: (question) => (opened ??= open()).known(question),
    keep: (question, result) => (opened ??= open()).keep(question, result),
  }
}

/** Clients that were killed report no end: those that live do it for them. Never rejects. */
async function tellOfTheGone({ client, env, home }: Started): Promise<void> {
  await reportGone({ env, home }, async (gone) => {
    // Fails, and must end nothing, when another version was installed in place of this one.
    const { post } = await import('../../agent/hook/post.ts')
    // Whose hook it is does not matter: each of the gone has its own client.
    const url = new URL(`${client.url}/api/hooks/stop?client=claude-code`)
    const body = JSON.stringify({ gone })
    await post(url, { key: await client.key(), body, patienceMs: REPORT_MS })
  })
}
