import { setTimeout as sleep } from 'node:timers/promises'
import { none } from '../attacks/attack.ts'
import { startService, type Service } from '../helpers/service.ts'
import { openStream } from '../helpers/sse.ts'
import { openWire, type Reply, type Wire } from '../helpers/wire.ts'
import { temporary } from './database-process.ts'
import { defineFault, spread } from './fault.ts'
import { KEY } from './feed-instances.ts'
import { notesOnDisk } from './store-process.ts'
import { captured, openWeb, plainPage, type Web } from './web.ts'

const CALLS = 20
const STREAMS = 20
const WITHIN = 10_000
const IDLE_WITHIN = 1_000

export const serviceDrain = defineFault({
  id: 'R12',
  title: 'a service that is told to stop finishes what it began, sends its readers away and ends',
  rounds: 20,
  async run({ rounds, random, timed }) {
    await using folder = await temporary()
    await using web = await openWeb()
    const [busy, idle, twice]: number[][] = [[], [], []]
    let [answered, refused, unheard] = [0, 0, 0]
    for (let round = 0; round < rounds; round++) {
      await using service = await start(folder.path, web.env)
      const streams = await openStreams(service)
      const wires = await Promise.all(Array.from({ length: CALLS + 1 }, () => openWire(service)))
      const titles = wires.map((_, n) => `round-${round}-call-${n}`)
      const [page, capture] = await beginCapture(web, wires[CALLS]!, titles[CALLS]!)
      const calls = wires.slice(0, CALLS).map((wire, n) => {
        const args = { title: titles[n], body: 'x'.repeat(random.int(5_000)), project: 'atlas' }
        return outcome(wire.ask('tools/call', { name: 'notes_create', arguments: args }))
      })
      calls.push(capture)
      await sleep(random.int(40))
      if (random.int(2) === 0) page.end()
      const began = performance.now()
      const { code, stderr } = await service.stop()
      busy!.push(performance.now() - began)
      if (code !== 0) throw new Error(`round ${round}: exit code ${code}: ${stderr}`)
      const results = await Promise.all(calls)
      await Promise.all(streams.map(({ ended }) => ended))
      none(
        streams.filter(({ retry }) => retry !== 3_000),
        'a stream that ended without a time to come back after',
      )
      const kept = new Set((await notesOnDisk(service.dataDir)).map(({ title }) => title))
      none(
        titles.filter((title, n) => (results[n] === 'done') !== kept.has(title)),
        `round ${round}: an answer that is not true: ${results.join()}`,
      )
      answered += results.filter((result) => result === 'done').length
      refused += results.filter((result) => result === 'refused').length
      // They came when nobody listened any more, and nothing has come of them, as was looked at above.
      unheard += results.filter((result) => result.startsWith('ECONN')).length
    }
    idle!.push(await stopped(folder.path, async () => {}))
    twice!.push(
      await stopped(folder.path, async (service) => {
        const stuck = await openStream(service)
        stuck.pause()
        service.process.kill('SIGTERM')
        await sleep(20)
      }),
    )
    if (timed && Math.max(...busy!) > WITHIN) throw new Error(`busy: ${spread(busy!)}`)
    if (timed && Math.max(...idle!) > IDLE_WITHIN) throw new Error(`idle: ${spread(idle!)}`)
    return (
      `${answered} answered, ${refused} refused, ${unheard} not heard, each as it said; ` +
      `busy ${spread(busy!)}; idle ${idle![0]!.toFixed(0)} ms; twice ${twice![0]!.toFixed(0)} ms`
    )
  },
})

const start = (folder: string, env = {}): Promise<Service> =>
  startService({ folder, env: { LOAM_MCP_API_KEY: KEY, ...env } })

/** `done`, `refused`, or the code with which the connection broke. */
const outcome = (asking: Promise<Reply>): Promise<string> =>
  asking.then(
    ({ status, body }) =>
      status === 200 && body?.result && !body.result.isError ? 'done' : 'refused',
    (error: NodeJS.ErrnoException) => error.code ?? 'broken',
  )

/** A capture whose page has been asked for and comes when it is told to, if it is, and what comes of the call. */
async function beginCapture(web: Web, wire: Wire, name: string) {
  const { promise: asked, resolve } = Promise.withResolvers<{ end(): void }>()
  web.answer = (request, response) => {
    response.on('error', () => {})
    resolve({ end: () => plainPage(request, response) })
  }
  const args = { url: captured(name).url, project: 'atlas' }
  const call = outcome(wire.ask('tools/call', { name: 'capture_url', arguments: args }))
  return [await asked, call] as const
}

const openStreams = (service: Service) =>
  Promise.all(
    Array.from({ length: STREAMS }, async () => {
      const stream = await openStream(service)
      await stream.until(() => stream.lastId !== '')
      stream.retry = 0
      return stream
    }),
  )

/** Milliseconds from the last signal to the end of a service to which `before` was done. */
async function stopped(folder: string, before: (service: Service) => Promise<void>) {
  await using service = await start(folder)
  await before(service)
  const began = performance.now()
  const { code } = await service.stop()
  if (code !== 0 && code !== 143) throw new Error(`exit code ${code}`)
  return performance.now() - began
}
