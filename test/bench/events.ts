import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { pino } from 'pino'
import { openDatabase, type Database } from '../../src/postgres/database.ts'
import { LogFeed } from '../../src/postgres/feed.ts'
import { testDatabase } from '../helpers/database.ts'
import { median, rounded } from './measure.ts'
import type { BenchOptions, Report } from './run.ts'

const WRITER = fileURLToPath(new URL('events-writer.ts', import.meta.url))
const WRITERS = 32
const PROCESSES = 2
const SPELL_MS = 4_000
const ROUNDS = 5
const LIMIT = 0.75

/** How the wake-up is sent, and whether anybody follows. */
const FEEDS = { off: 'no trigger', on: 'gated', plain: 'one notification a row' } as const
type FeedKind = keyof typeof FEEDS

/** Commits of single events a second, by many durable writers, with and without the live feed. */
export async function eventRates({ log }: BenchOptions): Promise<Report> {
  const options = await testDatabase()
  if (!options.url) {
    log('events: only a server has writers beside one another; set LOAM_TEST_DATABASE_URL')
    return { rows: [], missed: [] }
  }
  await using database = await openDatabase({ ...options, log: pino({ level: 'silent' }) })
  await sql
    .raw(
      `create function wake_plainly() returns trigger language plpgsql as
       $$ begin perform pg_notify('loam_events', new.id); return null; end $$;
       create trigger events_wake_plainly after insert on events
         for each row execute function wake_plainly()`,
    )
    .execute(database.db)
  const writers = await Promise.all(
    Array.from({ length: PROCESSES }, () => startWriters(options.url!, WRITERS / PROCESSES)),
  )
  const rates: Record<FeedKind, number[]> = { off: [], on: [], plain: [] }
  let followed = 0
  try {
    for (let round = 0; round <= ROUNDS; round++) {
      for (const kind of Object.keys(FEEDS) as FeedKind[]) {
        const { rate, seen, written } = await spell(database, writers, kind)
        if (kind !== 'off' && seen !== written) throw new Error(`${seen} of ${written} were seen`)
        followed += seen
        // The first round warms everything up.
        if (round > 0) rates[kind].push(rate)
      }
    }
  } finally {
    for (const writer of writers) writer.kill()
  }
  const ratio = (kind: FeedKind): number =>
    rounded(median(rates[kind].map((rate, round) => rate / rates.off[round]!)))
  const rows = (Object.keys(FEEDS) as FeedKind[]).map((kind) => ({
    feed: kind,
    how: FEEDS[kind],
    'events / s': Math.round(median(rates[kind])),
    'in off': ratio(kind),
  }))
  log(`events with the feed on over off: ${ratio('on')}; ${followed} followed, 0 lost`)
  const missed = ratio('on') < LIMIT ? [`events: ${ratio('on')} of off, limit ${LIMIT}`] : []
  return { rows, missed }
}

async function spell(database: Database, writers: ChildProcess[], kind: FeedKind) {
  const { db } = database
  const set = (trigger: string, on: boolean): Promise<unknown> =>
    sql`alter table events ${sql.raw(on ? 'enable' : 'disable')} trigger ${sql.ref(trigger)}`.execute(
      db,
    )
  await sql`truncate events`.execute(db)
  await set('events_wake_feed', kind === 'on')
  await set('events_wake_plainly', kind === 'plain')
  const feed = new LogFeed({ database, storeId: 'bench', log: pino({ level: 'silent' }) })
  let seen = 0
  if (kind !== 'off') {
    await feed.follow({
      async take({ events }) {
        seen += events.length
      },
      begin() {},
    })
  }
  const counts = await Promise.all(
    writers.map(async (writer) => {
      writer.send(SPELL_MS)
      const [count] = (await once(writer, 'message')) as [number]
      return count
    }),
  )
  const written = counts.reduce((sum, count) => sum + count, 0)
  const deadline = performance.now() + 20_000
  while (kind !== 'off' && seen < written && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  feed.close()
  return { rate: written / (SPELL_MS / 1_000), seen, written }
}

async function startWriters(url: string, count: number): Promise<ChildProcess> {
  const child = fork(WRITER, [url, String(count)])
  await once(child, 'message')
  return child
}
