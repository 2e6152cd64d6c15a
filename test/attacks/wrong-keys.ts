import assert from 'node:assert/strict'
import { headersWith, openWire, send } from '../helpers/wire.ts'
import { defineAttack } from './attack.ts'
import { startProduct } from './product.ts'

export const wrongKeys = defineAttack({
  id: 'S9',
  title: 'wrong keys are limited after ten, and the right one is never refused',
  rounds: 1_000,
  once: true,
  quick: true,

  async run({ rounds, random, timed, log }) {
    await using product = await startProduct()
    const wire = await openWire(product)
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const begun = performance.now()
    const counts = new Map<number, number>()
    for (let tried = 0; tried < Math.max(rounds, 20); tried++) {
      const near = product.key.slice(0, 1 + random.int(product.key.length - 1))
      const key = random.pick([near, `${product.key}x`, product.key.toUpperCase(), 'wrong'])
      const { status, headers } = await send(product.url, {
        method: 'POST',
        path: '/api/mcp',
        headers: headersWith(key),
        body,
      })
      counts.set(status, (counts.get(status) ?? 0) + 1)
      if (status === 429) assert.match(String(headers['retry-after']), /^[1-6]?\d$/)
    }
    log(JSON.stringify(Object.fromEntries(counts)))
    assert.deepEqual([...counts.keys()].sort(), [401, 429])
    // Each further minute may see a further ten.
    const minutes = Math.ceil((performance.now() - begun) / 60_000)
    assert.ok(counts.get(401)! <= 10 * minutes)

    const started = performance.now()
    const { status } = await wire.ask('ping')
    assert.equal(status, 200)
    if (timed) assert.ok(performance.now() - started < 1_000)
  },
})
