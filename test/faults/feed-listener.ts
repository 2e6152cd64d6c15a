import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { none } from '../attacks/attack.ts'
import { withServer } from '../helpers/postgres.ts'
import { openStream, type Frame } from '../helpers/sse.ts'
import { serverMissing } from './database-server.ts'
import { defineFault, spread } from './fault.ts'
import { openInstances, steadily, wrongs, writer } from './feed-instances.ts'

const READERS = 5
const EVENTS_A_SECOND = 50
const CLOSED_WITHIN = 2_000
const HALF_OPEN_WITHIN = 15_000

export const feedListener = defineFault({
  id: 'R08',
  title: 'a listener whose connection is ended or goes silent is back soon, and no event is missed',
  rounds: 20,
  missing: serverMissing,
  async run({ rounds, random, full, timed }) {
    let proxy: Proxy | undefined
    const listenUrl = async (url: string): Promise<string> => {
      const through = new URL(url)
      proxy = await openProxy({ host: through.hostname, port: Number(through.port) })
      through.port = String(proxy.port())
      return through.href
    }
    await using instances = await openInstances({ count: 1, full, listenUrl })
    const [app] = instances.apps
    const { database } = app!
    const frames: Frame[][] = []
    const streams = await Promise.all(
      Array.from({ length: READERS }, async (_, n) => {
        frames[n] = []
        const stream = await openStream({
          ...instances.doors[0]!,
          onFrame: (frame) => void frames[n]!.push(frame),
        })
        await stream.until(() => stream.lastId !== '')
        return stream
      }),
    )
    const stop = steadily(writer(app!), EVENTS_A_SECOND)
    const times = { closed: [] as number[], silent: [] as number[] }
    for (let round = 0; round < rounds; round++) {
      await until(() => database.listening())
      await sleep(random.int(500))
      const fault = round % 2 === 0 ? 'closed' : 'silent'
      const began = performance.now()
      if (fault === 'silent') proxy!.swallow()
      else await endBackends(instances.databaseUrl, proxy!.ports())
      await until(() => !database.listening())
      await until(() => database.listening())
      times[fault].push(performance.now() - began)
    }
    const written = await stop()
    await sleep(1_000)
    for (const [n, stream] of streams.entries()) {
      none(wrongs(written, frames[n]!), `reader ${n}`)
      const order = frames[n]!.map(({ data }) => data.id as string)
      if (order.join() !== written.join()) throw new Error(`reader ${n}: another order`)
      stream.cut()
    }
    proxy!.close()
    if (timed && Math.max(...times.closed) > CLOSED_WITHIN)
      throw new Error(`closed: ${spread(times.closed)}`)
    if (timed && Math.max(0, ...times.silent) > HALF_OPEN_WITHIN)
      throw new Error(`half open: ${spread(times.silent)}`)
    return (
      `${written.length} events to ${READERS} readers, 0 lost, 0 twice, in order; ` +
      `closed ${spread(times.closed)}; half open ${spread(times.silent)}`
    )
  },
})

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 30_000
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('the listener did not come back')
    await sleep(5)
  }
}

const endBackends = (url: string, ports: number[]): Promise<unknown> =>
  withServer(url, (server) =>
    server.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where client_port = any ($1)',
      [ports],
    ),
  )

interface Proxy {
  port(): number
  /** The ports from which it speaks to the server. */
  ports(): number[]
  /** What is connected now stays so, and nothing passes any more. */
  swallow(): void
  close(): void
}

async function openProxy(to: { host: string; port: number }): Promise<Proxy> {
  const pairs = new Set<[Socket, Socket]>()
  const server = createServer((near) => {
    const far = connect(to)
    const pair: [Socket, Socket] = [near, far]
    pairs.add(pair)
    near.on('data', (bytes) => far.write(bytes))
    far.on('data', (bytes) => near.write(bytes))
    for (const [one, other] of [pair, pair.toReversed()] as [Socket, Socket][]) {
      one.on('error', () => {})
      one.on('close', () => {
        pairs.delete(pair)
        other.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: () => (server.address() as AddressInfo).port,
    ports: () => [...pairs].flatMap(([, far]) => far.localPort ?? []),
    swallow() {
      for (const sockets of pairs) for (const socket of sockets) socket.removeAllListeners('data')
    },
    close() {
      for (const sockets of pairs) for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
