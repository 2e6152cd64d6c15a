import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { openDatabase, type Database } from '../../src/postgres/database.ts'
import { openFolder } from '../helpers/folder.ts'
import { defineFault, spread } from './fault.ts'
import { diskMissing, fill, makeDisk, type Disk } from './store-disk.ts'

/** From the start until pieces of the log are there ahead. */
const TENDED_WITHIN_MS = 15_000
/** The one that is written, and those ahead. */
const PIECES = 5
/** More than all pieces that are there by then; so many each second. */
const MEGABYTES = 120
const MEGABYTES_EACH_SECOND = 4

export const logFull = defineFault({
  id: 'R15',
  title: 'a full disk leaves the embedded database where to write its log, and it opens again',
  rounds: 5,
  missing: diskMissing,

  async run({ rounds, random, log }) {
    const opened: number[] = []
    for (let round = 0; round < rounds; round++) {
      await using folder = await openFolder()
      const disk = await makeDisk(join(folder.path, 'disk.img'), join(folder.path, 'disk'), 300)
      try {
        const written = await writeOn(disk, MEGABYTES + random.int(16))
        const began = performance.now()
        await using database = await openOn(disk)
        opened.push(performance.now() - began)
        const { rows } = await sql<{ n: number }>`select n from written`.execute(database.db)
        if (rows[0]?.n !== written) throw new Error(`${rows[0]?.n} of ${written} were kept`)
        log(`round ${round}: ${written} MB of log on a full disk`)
      } finally {
        await disk.detach()
      }
    }
    return `${rounds} full disks, 0 writes failed; open again after ${spread(opened)}`
  },
})

const openOn = (disk: Disk): Promise<Database> =>
  openDatabase({ dir: join(disk.mount, 'db'), log: pino({ level: 'error' }) })

/** Returns how much was written, in megabytes. */
async function writeOn(disk: Disk, megabytes: number): Promise<number> {
  await using database = await openOn(disk)
  const { db } = database
  await sql`create table written as select 0 as n`.execute(db)
  await untilTended(database)
  await fill(disk)
  for (let n = 1; n <= megabytes; n++) {
    await sql`select pg_logical_emit_message(false, 'loam', repeat('x', 1000000))`.execute(db)
    await sql`update written set n = ${n}`.execute(db)
    await sleep(1_000 / MEGABYTES_EACH_SECOND)
  }
  return megabytes
}

async function untilTended({ db }: Database): Promise<void> {
  const began = performance.now()
  for (;;) {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from pg_ls_waldir() where name ~ '^[0-9A-F]{24}$'`.execute(db)
    if (rows[0]!.n >= PIECES) return
    if (performance.now() - began > TENDED_WITHIN_MS)
      throw new Error('the log was not looked after')
    await sleep(200)
  }
}
