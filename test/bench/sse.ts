import { setTimeout as sleep } from 'node:timers/promises'
import { inParallel, quantile, seeded } from '../attacks/attack.ts'
import { openInstances, wrongs, writer } from '../faults/feed-instances.ts'
import { startService } from '../helpers/service.ts'
import { openStream, type Frame, type Stream } from '../helpers/sse.ts'
import { openWire } from '../helpers/wire.ts'
import { median, rounded, temporary } from './measure.ts'
import type { BenchOptions, Report } from './run.ts'

const READERS = 1_000
const PER_SECOND = 50
const SPELL_MS = 10_000
const ROUNDS = 3
/** The slowest hundredth against the median. */
const SPREAD = 10
const WRITERS = 16
const CUTS = 200

/** A thousand readers at once, and readers that are cut off while many write. */
export async function sseTimes({ log }: BenchOptions): Promise<Report> {
  const crowd = await thousandReaders(log)
  const resumed = await comingAndGoing()
  log(`coming and going: ${resumed.events} events, ${resumed.lost} lost, ${resumed.twice} twice`)
  return {
    rows: [crowd.row, resumed],
    missed: [...crowd.missed, ...(resumed.lost + resumed.twice > 0 ? ['lost or twice'] : [])],
  }
}

/** The service is a process of its own; the readers share this one, so their own work counts as delay. */
async function thousandReaders(log: (line: string) => void) {
  await using folder = await temporary()
  await using service = await startService({ folder: folder.path })
  const wire = await openWire(service)
  const call = () => wire.ask('tools/call', { name: 'project_list', arguments: {} })
  const got = Array.from({ length: READERS }, (): string[] => [])
  let late: number[] = []
  const streams: Stream[] = []
  await inParallel(READERS, 20, async (n) => {
    const onFrame = ({ data }: Frame): void => {
      got[n]!.push(data.id)
      late.push(Date.now() - Date.parse(data.ts))
    }
    const stream = await openStream({ ...service, onFrame })
    await stream.until(() => stream.lastId !== '', 60_000)
    streams.push(stream)
  })
  const rounds: { p50: number; p99: number }[] = []
  let called = 0
  for (let round = 0; round <= ROUNDS; round++) {
    late = []
    const began = performance.now()
    const calls: Promise<unknown>[] = []
    for (let n = 0; n < (SPELL_MS / 1_000) * PER_SECOND; n++) {
      calls.push(call())
      called++
      await sleep(Math.max(0, began + ((n + 1) * 1_000) / PER_SECOND - performance.now()))
    }
    await Promise.all(calls)
    const deadline = performance.now() + 20_000
    while (got.some((own) => own.length < called) && performance.now() < deadline) await sleep(50)
    const figures = { p50: quantile(late, 0.5), p99: quantile(late, 0.99) }
    log(
      `${READERS} readers at ${PER_SECOND} events/s: p50 ${figures.p50} ms, p99 ${figures.p99} ms`,
    )
    if (round > 0) rounds.push(figures)
  }
  for (const stream of streams) stream.cut()
  const lost = got.reduce((sum, own) => sum + called - new Set(own).size, 0)
  const twice = got.reduce((sum, own) => sum + own.length - new Set(own).size, 0)
  const [p50, p99] = [median(rounds.map((r) => r.p50)), median(rounds.map((r) => r.p99))]
  const spread = rounded(median(rounds.map((r) => r.p99 / r.p50)))
  const row = {
    what: `${READERS} readers, ${PER_SECOND} events/s`,
    events: called,
    lost,
    twice,
    'p50 ms': p50,
    'p99 ms': p99,
    'p99 / p50': spread,
  }
  const missed: string[] = []
  if (lost > 0 || twice > 0) missed.push(`${lost} lost, ${twice} twice`)
  if (spread > SPREAD) missed.push(`p99 / p50: ${spread}, limit ${SPREAD}`)
  return { row, missed }
}

async function comingAndGoing() {
  const random = seeded(1)
  await using instances = await openInstances({ count: 1, full: false })
  const writers = Array.from({ length: WRITERS }, () => writer(instances.apps[0]!))
  const frames: Frame[] = []
  const onFrame = (frame: Frame): void => void frames.push(frame)
  let stream = await openStream({ ...instances.doors[0]!, onFrame })
  await stream.until(() => stream.lastId !== '')
  let writing = true
  const written = writers.map(async ({ write }) => {
    while (writing) await write()
  })
  for (let cut = 0; cut < CUTS; cut++) {
    await sleep(random.int(30))
    stream.cut()
    stream = await openStream({ ...instances.doors[0]!, lastId: stream.lastId, onFrame })
  }
  writing = false
  await Promise.all(written)
  const ids = writers.flatMap((each) => each.ids)
  const deadline = performance.now() + 20_000
  while (frames.length < ids.length && performance.now() < deadline) await sleep(20)
  await sleep(100)
  stream.cut()
  const found = wrongs(ids, frames)
  return {
    what: `${CUTS} cuts under ${WRITERS} writers`,
    events: ids.length,
    lost: found.filter((each) => each.startsWith('lost')).length,
    twice: found.filter((each) => !each.startsWith('lost')).length,
  }
}
