/**
 * A process on a database, to be killed: `node database-child.ts open|write <database> [migrations]`.
 *
 * Says `OPEN` when the schema stands. `write` then commits numbers on four connections at once and
 * says `A <number>` after each acknowledged commit, until it is killed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { openDatabase } from '../../src/postgres/database.ts'
import { migrate } from '../../src/postgres/migrate.ts'

// Whoever started it is gone: there is nobody left to acknowledge to.
process.stdout.on('error', () => process.exit(1))

const [mode, where = '', folder] = process.argv.slice(2)
// What it complains of is seen beside the report.
const log = pino({ level: 'error' }, pino.destination(2))
try {
  const database = where.startsWith('postgres')
    ? await openDatabase({ url: where, dir: '', log, pool: 4 })
    : await openDatabase({ dir: where, log })
  const taken = await migrate(database, folder ? { folder: new URL(folder) } : {})
  console.log(`OPEN ${taken}`)
  if (mode === 'open') await database.close()
  else await Promise.all([write(0), write(1), write(2), write(3), turnLog()])

  /** What the upkeep of the embedded database does now and then: the kill may come in between. */
  async function turnLog(): Promise<void> {
    while (database.kind === 'embedded') {
      await sleep(150)
      await sql`select pg_switch_wal()`.execute(database.db)
      await sql`select pg_logical_emit_message(false, 'loam', '')`.execute(database.db)
      await sql`checkpoint`.execute(database.db)
    }
  }

  async function write(lane: number): Promise<void> {
    const run = Date.now() * 1000
    await sql`create table if not exists acknowledged (number bigint primary key, text text)`.execute(
      database.db,
    )
    for (let step = 0; ; step++) {
      const number = run + step * 4 + lane
      await database.db.transaction().execute(async (db) => {
        await sql`insert into acknowledged values (${number}, repeat('x', 500))`.execute(db)
        await sql`update acknowledged set text = 'y' where number = ${number}`.execute(db)
      })
      console.log(`A ${number}`)
    }
  }
} catch (error) {
  console.log(`NO ${error instanceof Error ? error.message.replaceAll('\n', ' ') : error}`)
  process.exit(1)
}
