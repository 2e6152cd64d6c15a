import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { none, quantile } from '../attacks/attack.ts'
import { openDatabase } from '../../src/postgres/database.ts'
import { newId } from '../../src/kernel/id.ts'
import { pino } from 'pino'
import { startService } from '../helpers/service.ts'
import { openStream, type Frame } from '../helpers/sse.ts'
import { temporary } from './database-process.ts'
import { emptyDatabase, serverMissing, startServer, type Server } from './database-server.ts'
import { defineFault } from './fault.ts'
import { KEY, wrongs } from './feed-instances.ts'

const READERS = { full: 50, few: 5 }
const EVENTS_A_ROUND = 1_000
/** A stuck reader is noticed behind what the two ends of its connection hold: some megabytes. */
const LEAST_EVENTS = 6_000
const WARM_UP = 2_000
/** Events a second. The few come in lots, as fast as they are read: they see whether it holds, not how soon. */
const PACE = 250
const LOT = { full: 1, few: 50 }
/** Half of what a reader may be behind before it counts as stuck. */
const MOST_BEHIND = 250
const WITHIN = 500
const TIGHT = '--max-semi-space-size=2 --max-old-space-size=128'
const GROWTH = 32 * 1024 * 1024

export const feedStuckReader = defineFault({
  id: 'R11',
  title:
    'a reader that does not read is dropped, and costs neither memory nor the others their time',
  rounds: 20,
  missing: serverMissing,
  async run({ rounds, full, timed }) {
    const [readers, lot] = full ? [READERS.full, LOT.full] : [READERS.few, LOT.few]
    await using folder = await temporary()
    await using server: Server | null = full ? await startServer() : null
    const url = await emptyDatabase(server?.url ?? process.env['LOAM_TEST_DATABASE_URL']!)
    await using service = await startService({
      folder: folder.path,
      fresh: true,
      // Little room for garbage, which would come and go and hide what stays.
      env: { LOAM_DATABASE_URL: url, LOAM_MCP_API_KEY: KEY, NODE_OPTIONS: TIGHT },
    })
    const frames = Array.from({ length: readers }, (): string[] => [])
    const late: number[] = []
    const written: string[] = []
    const streams = await Promise.all(
      frames.map(async (own) => {
        const stream = await openStream({ ...service, onFrame: (frame) => take(frame, own) })
        await stream.until(() => stream.lastId !== '')
        return stream
      }),
    )
    /** Until no reader but the stuck one is further behind. */
    async function readWithin(most: number): Promise<void> {
      const deadline = performance.now() + 60_000
      const behind = (own: readonly string[]): boolean => own.length < written.length - most
      while (frames.some(behind)) {
        if (performance.now() > deadline) throw new Error('a reader that reads was left behind')
        await sleep(5)
      }
    }
    let places: Frame[] = []
    function take(frame: Frame, own: string[]): void {
      if (own === frames[0]) places.push({ ...frame, data: { id: frame.data.id } })
      own.push(frame.event === 'message' ? frame.data.id : frame.event)
      late.push(Date.now() - Date.parse(frame.data.ts))
    }
    const stuck = await openStream(service)
    await stuck.until(() => stuck.lastId !== '')
    stuck.pause()

    await using database = await openDatabase({ url, dir: '', log: pino({ level: 'silent' }) })
    const payload = JSON.stringify({ title: 'x'.repeat(1_950) })
    /** The most that was resident in either half of what comes after the warm-up. */
    const most = [0, 0]
    const began = performance.now()
    const events = Math.max(rounds * EVENTS_A_ROUND, LEAST_EVENTS)
    while (written.length < events) {
      const ids = Array.from({ length: lot }, () => newId(new Date()))
      await sql`insert into events (id, ts, kind, transport, payload)
        select id, clock_timestamp(), 'note.written', false, ${payload}::jsonb
        from unnest(${ids}::text[]) as id`.execute(database.db)
      written.push(...ids)
      if (written.length === WARM_UP) late.length = 0
      if (written.length > WARM_UP && written.length % 100 === 0) {
        const half = written.length - WARM_UP <= (events - WARM_UP) / 2 ? 0 : 1
        most[half] = Math.max(most[half]!, await resident(service.pid))
      }
      const early = began + (written.length * 1_000) / PACE - performance.now()
      if (full) await sleep(Math.max(0, early))
      else await readWithin(MOST_BEHIND)
    }
    await readWithin(0)

    none(wrongs(written, places), 'the first reader')
    for (const [n, own] of frames.entries()) {
      if (own.join() !== frames[0]!.join()) throw new Error(`reader ${n} saw something else`)
    }
    stuck.resume()
    await stuck.ended
    if (stuck.ids().length >= written.length) throw new Error('the stuck reader was not dropped')
    for (const stream of streams) stream.cut()
    const [p50, p99] = [quantile(late, 0.5), quantile(late, 0.99)]
    if (timed && p99 > WITHIN) throw new Error(`p99 ${p99} ms`)
    const growth = most[1]! - most[0]!
    if (full && growth > GROWTH) throw new Error(`grew by ${growth / 1024} kB`)
    return (
      `${written.length} events of 2 kB to ${readers} readers: p50 ${p50} ms, p99 ${p99} ms; ` +
      `stuck one dropped after ${stuck.ids().length}; grew by ${Math.round(growth / 1024)} kB`
    )
  },
})

/** Resident bytes of a process. */
async function resident(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
}
