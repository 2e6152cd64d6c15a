import { setTimeout as sleep } from 'node:timers/promises'
import { none } from '../attacks/attack.ts'
import { openStream, type Frame, type Stream } from '../helpers/sse.ts'
import { defineFault } from './fault.ts'
import { openInstances, wrongs, writer, type Instances } from './feed-instances.ts'

const READERS = 10
const EVENTS_PER_ROUND = 10
const PING_MS = 25_000
const PING_WITHIN = 1_000
const PINGS = 3

export const feedDisconnects = defineFault({
  id: 'R10',
  title: 'readers that are cut off at any moment and come back miss nothing and see nothing twice',
  rounds: 1000,
  async run({ rounds, random, full, timed }) {
    await using instances = await openInstances({ count: 1, full })
    const pings = full ? countPings(instances, timed) : null
    const writers = Array.from({ length: instances.databaseUrl ? 16 : 1 }, () =>
      writer(instances.apps[0]!),
    )
    const readers = await Promise.all(Array.from({ length: READERS }, () => openReader(instances)))
    let cuts = 0
    let writing = true
    const cutting = (async () => {
      while (cuts < rounds) {
        cuts++
        await random.pick(readers).comeBack()
        await sleep(random.int(10))
      }
      writing = false
    })()
    const share = (rounds * EVENTS_PER_ROUND) / writers.length
    await Promise.all(
      writers.map(async ({ ids, write }) => {
        while (writing || ids.length < share) {
          await write()
          await sleep(ids.length < share ? random.int(30) : 100)
        }
      }),
    )
    await cutting
    const written = writers.flatMap(({ ids }) => ids)
    for (const [index, reader] of readers.entries()) {
      await reader.until(written.length)
      none(wrongs(written, reader.frames), `reader ${index}`)
      reader.cut()
    }
    const pinged = (await pings?.()) ?? ''
    return `${written.length} events, ${cuts} cuts, ${READERS} readers: 0 lost, 0 twice${pinged}`
  },
})

async function openReader({ doors: [door] }: Instances) {
  const frames: Frame[] = []
  let stream: Stream = await openStream({ ...door!, onFrame: (frame) => void frames.push(frame) })
  await stream.until(() => stream.lastId !== '')
  return {
    frames,
    async comeBack() {
      stream.cut()
      const mine = await openStream({
        ...door!,
        lastId: stream.lastId,
        onFrame: (frame) => void frames.push(frame),
      })
      stream = mine
    },
    async until(count: number) {
      const deadline = performance.now() + 30_000
      while (frames.length < count && performance.now() < deadline) await sleep(20)
      await sleep(50)
    },
    cut: () => stream.cut(),
  }
}

/** Looks at a reader that nothing else happens to; answers with its pings, in words. */
function countPings({ doors: [door] }: Instances, timed: boolean): () => Promise<string> {
  const opened = openStream({ ...door!, onFrame: () => {} })
  /** When each comment came; the first one says that it is connected. */
  const times: number[] = []
  const look = setInterval(async () => {
    const { comments } = await opened
    while (times.length < comments.length) times.push(performance.now())
  }, 20)
  return async () => {
    const { until, comments, cut } = await opened
    await until(() => comments.length > PINGS, (PINGS + 1) * PING_MS)
    await sleep(50)
    clearInterval(look)
    cut()
    none(
      comments.slice(1).filter((comment) => comment.trim() !== 'ping'),
      'a comment that is no ping',
    )
    const gaps = times.slice(1).map((at, index) => at - times[index]!)
    const late = gaps.filter((gap) => Math.abs(gap - PING_MS) > PING_WITHIN)
    if (timed) none(late, 'a ping that was not on time')
    return `; pings ${gaps.map((gap) => (gap / 1_000).toFixed(2)).join(', ')} s apart`
  }
}
