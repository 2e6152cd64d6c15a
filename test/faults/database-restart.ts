import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { none } from '../attacks/attack.ts'
import { awayBecause } from '../../src/postgres/database-problem.ts'
import { openDatabase } from '../../src/postgres/database.ts'
import type { Database } from '../../src/postgres/database.ts'
import { migrate } from '../../src/postgres/migrate.ts'
import { withServer } from '../helpers/postgres.ts'
import { lostFrom } from './database-process.ts'
import { emptyDatabase, serverMissing, startServer } from './database-server.ts'
import type { Server } from './database-server.ts'
import { defineFault, spread } from './fault.ts'

const ANSWERED_WITHIN = 6_000
const BACK_WITHIN = 5_000
const EVERY = 20

export const databaseRestart = defineFault({
  id: 'R07',
  title:
    'a database that restarts under load costs no process, no acknowledged commit and no hanging call',
  rounds: 20,
  missing: serverMissing,
  async run({ rounds, random, full, timed }) {
    await using server: Server | null = full ? await startServer() : null
    const url = await emptyDatabase(server?.url ?? process.env['LOAM_TEST_DATABASE_URL']!)
    await using database = await openDatabase({ url, dir: '', log: pino({ level: 'silent' }) })
    await migrate(database)
    await sql`create table acknowledged (number bigint primary key, text text)`.execute(database.db)
    const load = underLoad(database)
    const back: number[] = []
    for (let round = 0; round < rounds; round++) {
      await sleep(300 + random.int(700))
      const fault = server ? random.pick(['fast', 'immediate', 'backend'] as const) : 'backend'
      if (server && fault !== 'backend') await server.restart(fault)
      else await endOneBackend(url)
      const began = performance.now()
      while (!(await answers(database))) await sleep(20)
      back.push(performance.now() - began)
    }
    await load.stop()
    none(await lostFrom(database, load.acknowledged), 'an acknowledged commit was lost')
    none(load.unexpected, 'an error that does not say that the database is away')
    if (timed && Math.max(...load.times) > ANSWERED_WITHIN)
      throw new Error(`answers: ${spread(load.times)}`)
    if (timed && Math.max(...back) > BACK_WITHIN) throw new Error(`back: ${spread(back)}`)
    const deadline = performance.now() + 10_000
    while (!database.health().ok && performance.now() < deadline) await sleep(50)
    if (!database.health().ok) throw new Error(`health: ${database.health().cause}`)
    return (
      `${load.acknowledged.length} commits, 0 lost, ${load.refused()} refused; ` +
      `answers ${spread(load.times)}; back ${spread(back)}`
    )
  },
})

const answers = (database: Database): Promise<boolean> =>
  sql`select 1`.execute(database.db).then(
    () => true,
    () => false,
  )

const endOneBackend = (url: string): Promise<unknown> =>
  withServer(url, (server) =>
    server.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() order by random() limit 1`,
    ),
  )

/** Fifty small transactions a second, each of which ends with an answer or an error. */
function underLoad({ db }: Database) {
  const acknowledged: number[] = []
  const times: number[] = []
  const unexpected: string[] = []
  const calls = new Set<Promise<void>>()
  let [number, refused] = [0, 0]
  const call = async (): Promise<void> => {
    const mine = ++number
    const began = performance.now()
    try {
      await db.transaction().execute(async (db) => {
        await sql`insert into acknowledged values (${mine}, 'x')`.execute(db)
        await sql`update acknowledged set text = 'y' where number = ${mine}`.execute(db)
      })
      acknowledged.push(mine)
    } catch (error) {
      refused++
      if (awayBecause(error) === null) unexpected.push(String(error))
    }
    times.push(performance.now() - began)
  }
  const timer = setInterval(() => {
    const one: Promise<void> = call().finally(() => calls.delete(one))
    calls.add(one)
  }, EVERY)
  const stop = async (): Promise<void> => {
    clearInterval(timer)
    await Promise.all(calls)
  }
  return { acknowledged, times, unexpected, refused: () => refused, stop }
}
