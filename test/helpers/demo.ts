/** The demo store as `npm run demo` makes it: filled once for its content, and a copy for each caller. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { pino } from 'pino'
import type { Ledger } from '../../src/dev/demo/ledger.ts'
import { readLedger } from '../../src/dev/demo/place.ts'
import { openDatabase } from '../../src/postgres/database.ts'
import { buildHouse, type House, type HouseOptions } from './build-house.ts'

/** The last moment of the store: a Friday afternoon. */
export const DEMO_NOW = '2026-11-20T15:30:00.000Z'
const CACHE = 'node_modules/.cache/loam'

export interface OpenDemo {
  /** The store, served on a port of its own; its clock goes on from DEMO_NOW. */
  house: House
  ledger: Ledger
  /** Sets the clock of the store back to DEMO_NOW. */
  rewind(): Promise<void>
}

interface DemoOptions extends Pick<HouseOptions, 'screens'> {
  scale?: number
  /** The optional features that are on from the first day on. */
  features?: readonly string[]
}

/** As the program has it. */
const USUAL = ['research']

/** Opens a copy of the demo store in a house of the caller's own. Dispose of the house. */
export async function openDemo({
  scale = 0.15,
  features = USUAL,
  ...options
}: DemoOptions = {}): Promise<OpenDemo> {
  const filled = await filledDemo(scale, features)
  const dir = await mkdtemp(join(tmpdir(), 'loam-demo-'))
  await cp(filled, dir, { recursive: true })
  const database = await openDatabase({ dir: join(dir, 'db'), log: pino({ level: 'silent' }) })
  let aheadMs = 0
  const rewind = async (): Promise<void> => {
    aheadMs = Date.parse(DEMO_NOW) - Date.now()
    await sql`update clock set shift = ${aheadMs} * interval '1 millisecond'`.execute(database.db)
  }
  await rewind()
  const clock = { now: () => new Date(Date.now() + aheadMs) }
  const house = await buildHouse({ dir, database, clock, ...options })
  house[Symbol.asyncDispose] = async () => {
    await house.close()
    await rm(dir, { recursive: true, force: true })
  }
  return { house, ledger: (await readLedger(dir))!, rewind }
}

const filling = new Map<string, Promise<string>>()

/** The directory of a filled store, which nobody may open: copy it. */
export function filledDemo(scale: number, features: readonly string[] = USUAL): Promise<string> {
  const key = `${scale} ${features.join()}`
  const filled = filling.get(key) ?? findOrFill(scale, features)
  filling.set(key, filled)
  return filled
}

async function findOrFill(scale: number, features: readonly string[]): Promise<string> {
  const dir = join(CACHE, `demo-${scale}-${features.join('-')}-${contentKey()}`)
  if (await readLedger(dir)) return dir
  await mkdir(CACHE, { recursive: true })
  const own = `${dir}-${process.pid}`
  await fillDemo(own, scale, features)
  // Of two runs that fill at once, one comes first.
  await rename(own, dir).catch(() => rm(own, { recursive: true, force: true }))
  return dir
}

/** Fills a directory as the program does, in a process of its own. */
export async function fillDemo(
  dir: string,
  scale: number,
  features: readonly string[] = USUAL,
): Promise<void> {
  const args = ['src/dev/demo.ts', '--dir', dir, '--now', DEMO_NOW, '--scale', String(scale)]
  const { LOAM_DATABASE_URL: _, ...env } = process.env
  await promisify(execFile)(process.execPath, [...args, '--with', features.join(), '--fill-only'], {
    env,
  })
}

/** What the content of the store follows from. */
function contentKey(): string {
  const hash = createHash('sha256')
  for (const path of globSync(['src/**/*.{ts,yaml}', 'sql/**/*.sql']).sort()) {
    if (/^src\/(console|cli)\//.test(path)) continue
    hash.update(path).update(readFileSync(path))
  }
  return hash.digest('hex').slice(0, 16)
}
