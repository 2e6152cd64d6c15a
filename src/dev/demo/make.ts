/** Makes a demo store: the same content, ids and times for the same seed, scale and moment. */
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import type { Logger } from 'pino'
import { loadConfig, type Environment, type Settings } from '../../config.ts'
import { withKeyMade } from '../../config/key.ts'
import { fill, startOf } from './fill.ts'
import { openDemoHouse } from './house.ts'
import { newLedger, type Ledger } from './ledger.ts'
import { assertUnused, makeAt, writeLedger } from './place.ts'
import { randomFrom } from './random.ts'

export interface Asked {
  /** Of the store. */
  dir: string
  seed: number
  /** 1 is the demo as it is shown; 100 a hundred times as much. */
  scale: number
  /** When its last day is. */
  now: Date
  /** The optional features that are on from its first day on. */
  features: readonly string[]
  env: Environment
  log: Logger
  progress?(share: number): void
}

/** The configuration of a demo store in that directory, with its key. */
export async function demoSettings(dir: string, env: Environment): Promise<Settings> {
  const settings = await configured(dir, env)
  return { ...settings, config: await withKeyMade(settings) }
}

/** Where a demo store in that directory will be served, as host:port. Makes nothing. */
export async function demoAddress(dir: string, env: Environment): Promise<string> {
  return (await configured(dir, env)).config.addr
}

const configured = (dir: string, env: Environment): Promise<Settings> =>
  loadConfig({ env: { ...env, LOAM_DATA_DIR: dir }, file: null })

/** Refuses a directory or a database that holds something. */
export async function makeDemo({
  dir,
  seed,
  scale,
  now,
  features,
  env,
  log,
  progress,
}: Asked): Promise<Ledger> {
  await assertUnused(dir)
  const start = startOf(now)
  const made = { seed, scale, now: now.toISOString(), from: start.toISOString(), key: contentKey() }
  const ledger = newLedger(made)
  await makeAt(dir, async (unfinished) => {
    const { config } = await demoSettings(unfinished, env)
    const random = randomFrom(seed)
    const world = await openDemoHouse(config, { log, start, random: random.fork('ids'), ledger })
    try {
      await fill(world, { random, now, scale, features, ...(progress && { progress }) })
    } finally {
      await world.close()
    }
    await writeLedger(unfinished, ledger)
  })
  return ledger
}

/** What the content of a demo store follows from: the generator, and the schema that it fills. */
export function contentKey(): string {
  const root = new URL('../../../', import.meta.url).pathname
  const hash = createHash('sha256')
  for (const path of globSync(['src/dev/demo/**/*.{ts,yaml}', 'sql/migrations/*.sql'], {
    cwd: root,
  }).sort()) {
    hash.update(path).update(readFileSync(root + path))
  }
  return hash.digest('hex').slice(0, 16)
}
