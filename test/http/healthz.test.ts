import { describe, expect, test, vi } from 'vitest'
import { Watch } from '../../src/http/healthz.ts'
import { openEdge } from '../helpers/edge.ts'
import { send } from '../helpers/wire.ts'

const well = async (): Promise<void> => {}
const ill = async (): Promise<void> => {
  throw new Error('canary: /srv/data is gone')
}
const stuck = (): Promise<void> => new Promise(() => {})

describe('/healthz', () => {
  const look = async (database: typeof well, storage: typeof well, path = '/healthz') => {
    await using edge = await openEdge({ probes: { database, storage } })
    return await send(edge.url, { path })
  }

  test('tells the build and that all is well, without a key', async () => {
    const reply = await look(well, well)
    expect(reply.status).toBe(200)
    const build = { version: '0.0.0-test', commit: 'abc', built: '' }
    expect(reply.body).toEqual({ status: 'ok', ...build, lag_ms: expect.any(Number) })
  })

  test('is degraded while storage is in trouble, and says no more than that', async () => {
    const reply = await look(well, ill)
    expect([reply.status, reply.body.status]).toEqual([200, 'degraded'])
    expect(reply.text).not.toContain('canary')
  })

  test('is 503 only while the database does not answer', async () => {
    const reply = await look(ill, well)
    expect([reply.status, reply.body.status]).toEqual([503, 'degraded'])
  })

  test('says how many files have been read while the rows catch up with them', async () => {
    const progress = () => ({ behind: true, read: 12, files: 40 })
    await using edge = await openEdge({ probes: { progress } })
    const reply = await send(edge.url, { path: '/healthz' })
    expect(reply.status).toBe(200)
    expect(reply.body).toMatchObject({ status: 'catching up', read: 12, files: 40 })
    expect((await send(edge.url, { path: '/healthz?ready=1' })).status).toBe(503)
  })

  test('is ready only when all is well', async () => {
    const ready = '/healthz?ready=1'
    expect((await look(well, well, ready)).status).toBe(200)
    expect((await look(well, ill, ready)).status).toBe(503)
    expect((await look(ill, well, ready)).status).toBe(503)
  })

  test('tells how long a turn of the event loop kept everybody waiting', async () => {
    await using edge = await openEdge()
    const end = performance.now() + 500
    while (performance.now() < end);
    await new Promise((resolve) => setTimeout(resolve, 250))
    const reply = await send(edge.url, { path: '/healthz' })
    expect(reply.body.lag_ms).toBeGreaterThan(250)
  })

  test('answers at once while the database swallows what it is asked', async () => {
    const started = performance.now()
    const reply = await look(stuck, stuck)
    expect(reply.status).toBe(200)
    expect(performance.now() - started).toBeLessThan(20_000)
  })
})

test('a look that finds no end counts as ill, and the next one is another', async () => {
  let probe: () => Promise<void> = stuck
  const watch = new Watch(() => probe())
  await watch.check()
  expect(watch.well).toBe(false)
  probe = well
  await watch.check()
  expect(watch.well).toBe(true)
  watch.stop()
})

test('nothing is looked at before the service listens, however long its database takes to open', async () => {
  vi.useFakeTimers()
  try {
    let looks = 0
    const watch = new Watch(async () => void looks++)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(looks).toBe(0)
    watch.begin()
    await vi.advanceTimersByTimeAsync(4_000)
    expect(looks).toBe(3)
    watch.stop()
    await vi.advanceTimersByTimeAsync(4_000)
    expect(looks).toBe(3)
  } finally {
    vi.useRealTimers()
  }
})
