import assert from 'node:assert/strict'
import { get, type ClientRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { headersWith, openWire } from '../helpers/wire.ts'
import { defineAttack, inParallel, quantile } from './attack.ts'
import { startProduct, type Product } from './product.ts'

/** Long enough for every stream to be pinged twice. */
const SILENT_MS = 55_000

export const idleConnections = defineAttack({
  id: 'R25',
  title:
    'thousands of agents that hold a stream and say nothing cost little, however often they come',
  rounds: 5_000,

  async run({ rounds, full, timed, log }) {
    await using product = await startProduct()
    const wire = await openWire(product)
    const times: number[] = []
    const ask = async (): Promise<void> => {
      const began = performance.now()
      const { status } = await wire.ask('tools/call', { name: 'project_list', arguments: {} })
      assert.equal(status, 200)
      times.push(performance.now() - began)
    }
    const connections: string[] = []
    await inParallel(rounds, 32, async () => void connections.push((await openWire(product)).id))
    await inParallel(500, 8, ask)
    const before = await product.memory()

    /** Answers what the process holds while they are there, and a while after. */
    async function comeAndGo(silentMs: number): Promise<{ during: number; after: number }> {
      const streams: ClientRequest[] = []
      await inParallel(rounds, 32, async (n) => {
        streams.push(await holdStream(product, connections[n]!))
      })
      times.length = 0
      const end = performance.now() + silentMs
      while (performance.now() < end) {
        await ask()
        await sleep(20)
      }
      const p99 = quantile(times, 0.99)
      const during = await product.memory()
      for (const stream of streams) stream.destroy()
      // A process gives memory back as it works.
      for (let moment = 0; full && moment < 20; moment++) {
        await inParallel(100, 4, ask)
        await sleep(500)
      }
      const after = await product.memory()
      log(`memory ${before.toFixed(0)} → ${during.toFixed(0)} → ${after.toFixed(0)} MiB`)
      log(`calls beside them p99 ${p99.toFixed(1)} ms`)
      if (timed) assert.ok(p99 <= 50, 'others waited for the silent')
      return { during, after }
    }
    const first = await comeAndGo(full ? SILENT_MS : 1_000)
    assert.ok(first.during - before <= 100, 'silent connections held more than 100 MiB')
    const second = await comeAndGo(1_000)
    if (full) assert.ok(second.after <= first.after * 1.1, 'what the gone have held adds up')
  },
})

/** Opens the stream of a connection, and says nothing more. */
function holdStream(product: Product, id: string): Promise<ClientRequest> {
  const headers = {
    ...headersWith(product.key),
    accept: 'text/event-stream',
    'mcp-session-id': id,
  }
  return new Promise((resolve, reject) => {
    const request = get(`${product.url}/api/mcp`, { headers, agent: false }, (stream) => {
      stream.on('error', () => {})
      if (stream.statusCode === 200) return resolve(request)
      reject(new Error(`a stream was answered with ${stream.statusCode}`))
    })
    request.on('error', reject)
  })
}
