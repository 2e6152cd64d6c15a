import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { newId } from '../../src/kernel/id.ts'
import { none, type Random } from '../attacks/attack.ts'
import { openStream, type Frame, type Stream } from '../helpers/sse.ts'
import { onServer, withServer } from '../helpers/postgres.ts'
import { serverMissing } from './database-server.ts'
import { defineFault } from './fault.ts'
import { openInstances, wrongs, type Instances } from './feed-instances.ts'

const INSTANCES = 3
const WRITERS = 4
const READERS = 3

export const feedInterleavings = defineFault({
  id: 'R09',
  title:
    'events that commit in another order than their ids reach every reader once, wherever it resumes',
  rounds: 1000,
  missing: serverMissing,
  async run({ rounds, random, full }) {
    await using instances = await openInstances({ count: INSTANCES, full })
    const writers = await Promise.all(Array.from({ length: WRITERS }, () => instances.connect()))
    const readers = await Promise.all(
      Array.from({ length: READERS }, (_, n) => openReader(instances, n)),
    )
    let [events, resumed, aborted] = [0, 0, 0]
    await withServer(onServer(instances.databaseUrl, 'postgres'), async (elsewhere) => {
      await elsewhere.query('begin')
      await elsewhere.query('select pg_current_xact_id()')
      for (let round = 0; round < rounds; round++) {
        const history = await interleave(random, writers, readers)
        events += history.committed.length
        resumed += history.resumed
        aborted += history.aborted
        for (const reader of readers) {
          await reader.has(history.committed)
          none(wrongs(history.committed, reader.take()), `round ${round}`)
        }
      }
      await elsewhere.query('rollback')
    })
    for (const reader of readers) reader.cut()
    return `${events} events, 0 lost, 0 twice; ${resumed} resumed, ${aborted} rolled back`
  },
})

interface Reader {
  /** Waits until all of these have arrived, and a moment for what should not. */
  has(ids: readonly string[]): Promise<void>
  /** What arrived since the last time. */
  take(): Frame[]
  /** Goes, and comes back to another instance with the place it had. */
  move(to: number): Promise<void>
  cut(): void
}

async function openReader({ doors }: Instances, first: number): Promise<Reader> {
  let frames: Frame[] = []
  let stream: Stream
  let lastId = ''
  const open = async (at: number): Promise<void> => {
    const mine = await openStream({
      ...doors[at % doors.length]!,
      lastId,
      onFrame: (frame) => void (mine === stream && frames.push(frame)),
    })
    stream = mine
  }
  await open(first)
  await stream!.until(() => stream.lastId !== '')
  return {
    async has(ids) {
      const wanted = new Set(ids)
      const deadline = performance.now() + 10_000
      while (performance.now() < deadline) {
        const have = new Set(frames.map(({ data }) => data.id as string))
        if (wanted.isSubsetOf(have)) break
        await sleep(5)
      }
      await sleep(10)
    },
    take: () => frames.splice(0),
    async move(to) {
      stream.cut()
      lastId = stream.lastId
      await open(to)
    },
    cut: () => stream.cut(),
  }
}

/** A handful of transactions that overlap, while readers come and go. Ends with all of them ended. */
async function interleave(
  random: Random,
  writers: readonly pg.Client[],
  readers: readonly Reader[],
): Promise<{ committed: string[]; resumed: number; aborted: number }> {
  const committed: string[] = []
  const open = new Map<pg.Client, string[]>()
  let [resumed, aborted] = [0, 0]
  const end = async (writer: pg.Client, how: 'commit' | 'rollback'): Promise<void> => {
    await writer.query(how)
    if (how === 'commit') committed.push(...open.get(writer)!)
    else aborted++
    open.delete(writer)
  }
  const steps = 8 + random.int(12)
  for (let step = 0; step < steps; step++) {
    const writer = random.pick(writers)
    const what = random.int(10)
    if (what < 2) {
      await random.pick(readers).move(random.int(INSTANCES))
      resumed++
    } else if (what === 2) {
      await sleep(random.int(40))
    } else if (!open.has(writer)) {
      await writer.query('begin')
      open.set(writer, [])
      await insert(writer, open.get(writer)!)
    } else if (what < 6) {
      await insert(writer, open.get(writer)!)
    } else {
      await end(writer, what < 9 ? 'commit' : 'rollback')
    }
  }
  for (const writer of open.keys()) await end(writer, random.int(5) > 0 ? 'commit' : 'rollback')
  return { committed, resumed, aborted }
}

async function insert(writer: pg.Client, into: string[]): Promise<void> {
  const id = newId(new Date())
  await writer.query(
    `insert into events (id, ts, kind, transport) values ($1, loam_now(), 'note.written', false)`,
    [id],
  )
  into.push(id)
}
