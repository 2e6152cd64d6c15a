import { setTimeout as sleep } from 'node:timers/promises'
import { none, quantile, type Random } from '../attacks/attack.ts'
import { withServer } from '../helpers/postgres.ts'
import type { Service } from '../helpers/service.ts'
import { openStream, type Stream } from '../helpers/sse.ts'
import { openWire, send } from '../helpers/wire.ts'
import { serverMissing } from './database-server.ts'
import { defineFault } from './fault.ts'
import { openProcesses } from './processes.ts'
import { leftovers, notesOnDisk } from './store-process.ts'

const PROCESSES = 3
const AGENTS = 6
/** Of a round, from the start of the load to the kill and from there to its end. */
const SPELL = 1_500
const SEEN_WITHIN = 500

export const severalProcesses = defineFault({
  id: 'R22',
  title: 'three processes on one store are one service, whichever of them is killed under load',
  rounds: 20,
  missing: serverMissing,
  async run({ rounds, random, full, timed }) {
    await using processes = await openProcesses({ count: PROCESSES, full })
    const { url, services, start } = processes
    const fleet = await openFleet(services, random)
    for (let round = 0; round < rounds; round++) {
      const work = fleet.work(2 * SPELL)
      await sleep(SPELL + random.int(SPELL / 2))
      const victim = random.int(PROCESSES)
      await services[victim]!.stop(random.int(4) === 0 ? 'SIGTERM' : 'SIGKILL')
      services[victim] = await start()
      await work
      none(await fleet.verify(), `round ${round}`)
    }
    none(await overlapping(url, services), 'a timed job with two holders')
    const dataDir = services[0]!.dataDir
    none(await leftovers(dataDir), 'left behind by a write')
    const seen = fleet.seen()
    if (timed && quantile(seen, 0.99) > SEEN_WITHIN)
      throw new Error(`seen after p99 ${quantile(seen, 0.99).toFixed(0)} ms`)
    const { done, refused, unknown, read } = fleet.counts
    return (
      `${done} acknowledged, 0 lost; ${refused} refused, ${unknown} without an answer; ` +
      `${read} read at once elsewhere; seen by the streams of others after ` +
      `p50 ${quantile(seen, 0.5).toFixed(0)} ms, p99 ${quantile(seen, 0.99).toFixed(0)} ms`
    )
  },
})

interface Known {
  id: string
  /** The paragraphs whose appending was acknowledged, and those that nobody knows of. */
  has: string[]
  may: Set<string>
}

/** Agents that keep one connection each and speak to whichever process is next. */
async function openFleet(services: readonly Service[], random: Random) {
  const counts = { done: 0, refused: 0, unknown: 0, read: 0 }
  const notes: Known[] = []
  const trouble: string[] = []
  /** When a note was acknowledged, by its id; and how long after that its event was seen. */
  const acknowledged = new Map<string, number>()
  const arrived = new Map<string, number>()
  const lags: number[] = []
  const ids = await Promise.all(
    Array.from({ length: AGENTS }, async (_, n) => (await openWire(services[n % PROCESSES]!)).id),
  )
  const streams: Stream[] = []
  let serial = 0

  /** The answer of a tool, an Error with its words, or undefined when none came. */
  async function call(agent: number, at: number, tool: string, args: object) {
    const { url, key } = services[at]!
    const wire = await openWire({ url, key, id: ids[agent]! })
    const reply = await wire
      .ask('tools/call', { name: tool, arguments: args })
      .catch(() => undefined)
    if (!reply || reply.status >= 500) return undefined
    if (reply.status !== 200) {
      // An id that one process gave must be known to all.
      trouble.push(`${tool} was answered with ${reply.status}: ${reply.text.slice(0, 200)}`)
      return undefined
    }
    const { result } = reply.body
    if (result?.isError) return new Error(result.content[0].text)
    return result?.structuredContent as Record<string, any>
  }

  async function step(agent: number): Promise<void> {
    const [here, there] = [random.int(PROCESSES), random.int(PROCESSES)]
    const word = `w${++serial}`
    const note = notes.length > 5 && random.int(3) > 0 ? random.pick(notes) : undefined
    if (note) {
      note.may.add(word)
      const answer = await call(agent, here, 'notes_append', { id: note.id, body: word })
      if (answer === undefined) return void counts.unknown++
      if (answer instanceof Error) {
        counts.refused++
        return void note.may.delete(word)
      }
      counts.done++
      note.may.delete(word)
      note.has.push(word)
      await readBack(agent, there, note.id, word)
    } else {
      const title = `Note ${word}`
      const args = { title, body: word, project: 'atlas' }
      const answer = await call(agent, here, 'notes_create', args)
      if (answer === undefined) return void counts.unknown++
      if (answer instanceof Error) return void counts.refused++
      counts.done++
      const id = answer['id'] as string
      acknowledged.set(id, performance.now())
      if (arrived.has(id)) lags.push(0)
      notes.push({ id, has: [word], may: new Set() })
      await readBack(agent, there, id, word)
    }
  }

  async function readBack(agent: number, at: number, id: string, word: string): Promise<void> {
    let [text, next]: [string, Record<string, unknown> | undefined] = ['', { id }]
    while (next) {
      const answer = await call(agent, at, 'notes_read', next)
      if (answer === undefined) return
      if (answer instanceof Error) {
        trouble.push(`${id} is unknown elsewhere: ${answer.message}`)
        return
      }
      text += String(answer['body'])
      next = answer['next'] as Record<string, unknown> | undefined
    }
    if (text.includes(word)) counts.read++
    else trouble.push(`${id} is read without ${word}`)
  }

  return {
    counts,
    seen: () => lags,
    async work(ms: number) {
      const end = performance.now() + ms
      const opened = await Promise.all(services.map((service) => follow(service)))
      streams.push(...opened)
      await Promise.all(
        ids.map(async (_, agent) => {
          while (performance.now() < end) {
            await step(agent)
            await sleep(random.int(20))
          }
        }),
      )
      await sleep(500)
      for (const stream of streams.splice(0)) stream.cut()
    },
    /** What was acknowledged and is not there, on disk and at every process. */
    async verify() {
      const disk = new Map(
        (await notesOnDisk(services[0]!.dataDir)).map((note) => [note.id, note.body]),
      )
      const found = trouble.splice(0)
      for (const { id, has } of notes) {
        const body = disk.get(id)
        if (body === undefined) found.push(`${id} is lost`)
        const words = new Set(body?.split(/\s+/))
        found.push(...has.filter((word) => !words.has(word)).map((word) => `${word} is lost`))
        const times = body?.split(/\s+/).filter((word) => /^w\d+$/.test(word)).length ?? 0
        if (times > words.size) found.push(`${id} holds something twice`)
      }
      const some = random.pick(notes)
      for (const service of services) {
        const { status } = await send(service.url, { path: '/healthz' })
        if (status !== 200) found.push(`healthz answers ${status}`)
        const wire = await openWire({ ...service, id: ids[0]! })
        let [text, next]: [string, object | undefined] = ['', { id: some.id }]
        while (next) {
          const asked = { name: 'notes_read', arguments: next }
          const { body } = await wire.ask('tools/call', asked)
          text += String(body?.result?.structuredContent?.body)
          next = body?.result?.structuredContent?.next
        }
        if (some.has.some((word) => !text.includes(word))) found.push(`${some.id} differs`)
      }
      return found
    },
  }

  async function follow(service: Service): Promise<Stream> {
    const stream = await openStream({
      ...service,
      onFrame({ data, at }) {
        if (data.kind !== 'note.written' || arrived.has(data.itemId)) return
        arrived.set(data.itemId, at)
        const since = acknowledged.get(data.itemId)
        if (since !== undefined) lags.push(Math.max(0, at - since))
      },
    })
    await stream.until(() => stream.lastId !== '')
    return stream
  }
}

/** Looks at the leases for a while: nobody takes one over before it has lapsed. */
async function overlapping(url: string, services: readonly Service[]): Promise<string[]> {
  const held = new Map<string, { holder: string; until: Date }>()
  const found: string[] = []
  await withServer(url, async (client) => {
    for (let look = 0; look < 12; look++) {
      const { rows } = await client.query<{ name: string; holder: string; until: Date; now: Date }>(
        'select name, holder, until, loam_now() as now from leases',
      )
      for (const { name, holder, until, now } of rows) {
        const before = held.get(name)
        if (before && before.holder !== holder && before.until > now) found.push(name)
        held.set(name, { holder, until })
      }
      await sleep(250)
    }
  })
  if (held.size === 0) found.push(`no job has a holder, of ${services.length} processes`)
  return found
}
