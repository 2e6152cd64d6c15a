import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { headersWith, INITIALIZE, openWire, send } from '../helpers/wire.ts'
import { defineAttack, inParallel, quantile } from './attack.ts'
import { startProduct, type Product } from './product.ts'

const MIB = 1_048_576

export const floods = defineAttack({
  id: 'S15, R25',
  title: 'floods of sessions, sockets, searches and bodies cost bounded memory, and health is told',
  rounds: 10_000,
  quick: true,

  async run({ rounds, random, timed, log }) {
    await using product = await startProduct()
    const wire = await openWire(product)
    await inParallel(200, 20, async () => void (await wire.ask('ping')))
    const before = await product.memory()
    const times = watchHealth(product)

    await inParallel(rounds, 32, async () => {
      const sending = { method: 'POST', path: '/api/mcp', headers: headersWith(product.key) }
      const { status } = await send(product.url, { ...sending, body: INITIALIZE })
      assert.equal(status, 200)
    })
    const afterSessions = await product.memory()

    const sockets = await idleSockets(product, Math.ceil(rounds / 10))
    await inParallel(Math.ceil(rounds / 50), 8, async () => {
      const query = Array.from({ length: 1_500 }, () => random.text(6)).join(' ')
      const words = query.replaceAll('\0', '').toWellFormed()
      await wire.ask('tools/call', {
        name: 'recall',
        arguments: { query: words, project: 'global' },
      })
    })
    await inParallel(Math.ceil(rounds / 50), 4, async () => {
      const { status } = await wire.send({ body: 'x'.repeat(MIB) })
      assert.equal(status, 400)
    })
    for (const socket of sockets) socket.destroy()

    const health = await times.stop()
    const after = await product.memory()
    const p99 = quantile(health, 0.99)
    log(
      `memory ${before.toFixed(0)} → ${afterSessions.toFixed(0)} (sessions) → ${after.toFixed(0)} MiB`,
    )
    log(
      `/healthz p50 ${quantile(health, 0.5).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms of ${health.length}`,
    )
    assert.ok(afterSessions - before <= 100, 'sessions held more than 100 MiB')
    assert.equal((await wire.ask('ping')).status, 200)
    if (timed) assert.ok(p99 <= 100, 'health was told too late')
  },
})

/** Asks every 20 ms how long /healthz takes, until stopped. */
function watchHealth({ url }: Product): { stop(): Promise<number[]> } {
  const times: number[] = []
  let stopped = false
  const watching = (async () => {
    while (!stopped) {
      const started = performance.now()
      const { status } = await send(url, { path: '/healthz' })
      assert.equal(status, 200)
      times.push(performance.now() - started)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  return {
    async stop() {
      stopped = true
      await watching
      return times
    },
  }
}

/** Connections that say half a request and then nothing. */
async function idleSockets({ url }: Product, count: number): Promise<Socket[]> {
  const { hostname, port } = new URL(url)
  return Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<Socket>((resolve, reject) => {
          const socket = connect(Number(port), hostname, () => {
            socket.write('POST /api/mcp HTTP/1.1\r\nHost: localhost\r\n')
            resolve(socket)
          })
          socket.on('error', reject)
          socket.on('close', () => {})
        }),
    ),
  )
}
