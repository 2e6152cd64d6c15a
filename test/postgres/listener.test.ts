import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { openEmbedded } from '../../src/postgres/embedded/embedded.ts'
import { openListener } from '../../src/postgres/listener.ts'

test('keeps one heartbeat, however often the proof of a LISTEN cannot be sent', async () => {
  const log = pino({ level: 'silent' })
  const embedded = await openEmbedded({ cluster: null, log })
  const running = new Set<NodeJS.Timeout>()
  const [set, clear] = [globalThis.setInterval, globalThis.clearInterval]
  vi.stubGlobal('setInterval', (...given: Parameters<typeof set>) => {
    const timer = set(...given)
    running.add(timer)
    return timer
  })
  vi.stubGlobal('clearInterval', (timer: NodeJS.Timeout) => {
    running.delete(timer)
    clear(timer)
  })
  let tries = 0
  // The way past the pooler works, and the pooler itself is down.
  const listener = openListener({
    config: () => ({
      ...{ stream: embedded.stream, database: 'loam' },
      ...{ host: 'embedded', user: 'loam', password: '', ssl: false },
    }),
    async notify() {
      tries++
      throw new Error('connect ECONNREFUSED')
    },
    log,
  })
  try {
    await expect.poll(() => tries, { timeout: 20_000 }).toBeGreaterThan(3)
    expect(running.size).toBeLessThanOrEqual(1)
  } finally {
    await listener.close()
    for (const timer of running) clear(timer)
    vi.unstubAllGlobals()
    await embedded.close()
  }
}, 30_000)
