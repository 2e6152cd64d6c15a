/** Starts and kills the processes that the faults of the database act on. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { pino } from 'pino'
import { openDatabase } from '../../src/postgres/database.ts'
import type { Database } from '../../src/postgres/database.ts'
import { migrate } from '../../src/postgres/migrate.ts'
import { testOrigin } from '../helpers/postgres.ts'

const CHILD = fileURLToPath(new URL('./database-child.ts', import.meta.url))

export interface Child {
  pid: number
  /** What it said first: `OPEN`, or `NO` and why; '' when it died before. */
  first: Promise<{ said: string; ms: number }>
  /** The commits that were acknowledged so far. */
  acknowledged: number[]
  /** The exit code, null after a signal. */
  exit: Promise<{ code: number | null; ms: number }>
  /** Kills it without a word and waits for its end. */
  kill(): Promise<void>
}

export function startChild(mode: 'open' | 'write', where: string, folder?: URL): Child {
  const began = performance.now()
  const since = (): number => performance.now() - began
  const args = [CHILD, mode, where, ...(folder ? [folder.href] : [])]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const acknowledged: number[] = []
  const { promise: first, resolve } = Promise.withResolvers<{ said: string; ms: number }>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith('A ')) acknowledged.push(Number(line.slice(2)))
    else resolve({ said: line, ms: since() })
  })
  const exit = new Promise<{ code: number | null; ms: number }>((done) => {
    child.once('close', (code) => {
      resolve({ said: '', ms: since() })
      done({ code, ms: since() })
    })
  })
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exit
  }
  return { pid: child.pid ?? 0, first, acknowledged, exit, kill }
}

/** A directory of its own, gone at the end. */
export async function temporary(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'loam-fault-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

export const openStore = (dir: string): Promise<Database> =>
  openDatabase({ dir, log: pino({ level: 'silent' }) })

/** A store that stands already, made from a snapshot where there is one: what is under test comes after. */
export async function makeStore(dir: string): Promise<Database> {
  const origin = await testOrigin()
  const log = pino({ level: 'silent' })
  const snapshot = 'snapshot' in origin ? origin : {}
  const database = await openDatabase({ dir, log, ...snapshot })
  await migrate(database)
  return database
}

/** Which of the acknowledged numbers the database does not hold. */
export async function lostFrom(
  { db }: Pick<Database, 'db'>,
  acknowledged: readonly number[],
): Promise<number[]> {
  if (acknowledged.length === 0) return []
  const { rows } = await sql<{ number: number }>`
    select number from unnest(${[...acknowledged]}::bigint[]) as number
    where number not in (select number from acknowledged where text = 'y')`.execute(db)
  return rows.map(({ number }) => number)
}
