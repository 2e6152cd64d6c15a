/** The house that a demo is filled in: whole, as it is served, without a port. */
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { buildApp, type App } from '../../app.ts'
import type { Config } from '../../config.ts'
import { drawIdsFrom } from '../../kernel/id.ts'
import type { Db } from '../../kernel/kernel.ts'
import { NOT_IN_FILES } from '../../store-database.ts'
import { openDatabase, type Database, type DatabaseOptions } from '../../postgres/database.ts'
import { migrate } from '../../postgres/migrate.ts'
import { expireSilent } from '../../sessions/sessions.ts'
import type { World } from './agent.ts'
import { releaseClock, takeClock, type DemoClock } from './clock.ts'
import type { Ledger } from './ledger.ts'
import type { Random } from './random.ts'

export interface DemoHouse extends World {
  house: App
  clock: DemoClock
  /** Gives the clock back and closes everything. */
  close(): Promise<void>
}

interface Wanted {
  log: Logger
  start: Date
  random: Random
  ledger: Ledger
}

/** Opens the empty store of `config` at a time of the past. Refuses a database that holds something, and closes it. */
export async function openDemoHouse(config: Config, wanted: Wanted): Promise<DemoHouse> {
  const { url, pool } = config.database
  const place = {
    ...(url && { url }),
    ...{ pool, dir: `${config.data_dir}/db`, notInFiles: NOT_IN_FILES, log: wanted.log },
  }
  const database = await openDatabase(place)
  try {
    return await houseOn(database, place, config, wanted)
  } catch (error) {
    await database.close()
    throw error
  }
}

async function houseOn(
  database: Database,
  place: DatabaseOptions,
  config: Config,
  { log, start, random, ledger }: Wanted,
): Promise<DemoHouse> {
  await migrate(database, { log })
  const { db } = database
  const clock = await takeClock(db, start)
  drawIdsFrom(() => random.next())
  // The story tells when the gardener looks.
  const gardener = { ...config.gardener, enabled: false }
  // What agents find follows from the seed, and not from how far a model has come meanwhile.
  const embeddings = { ...config.embeddings, provider: 'off' as const }
  const house = await buildApp(
    { ...config, gardener, embeddings },
    {
      log,
      database,
      clock,
      machine: clock.machine,
      deadlineFactor: 100,
    },
  )
  await house.caughtUp
  return {
    house,
    clock,
    app: house.app,
    key: config.mcp.api_key,
    ledger,
    now: () => clock.now(),
    settled: () => house.kernel.telemetry.flush(),
    expireSilent: () => expireSilent(house.kernel),
    identify: identifyIn(db),
    async close() {
      drawIdsFrom(undefined)
      await house.close()
      await using last = await openDatabase(place)
      await releaseClock(last.db)
    },
  }
}

/** Tells the id and the handle of a client's session. */
export const identifyIn =
  (db: Db): World['identify'] =>
  async (client, external) => {
    const { rows } = await sql<{ id: string; name: string }>`
      select id, name from sessions where external_client = ${client}
        and client_session_id = ${external} order by ambient desc, id limit 1`.execute(db)
    return rows[0]!
  }
