import { describe, expect, test } from 'vitest'
import { Watch } from '../../src/http/healthz.ts'
import { openEdge } from '../helpers/edge.ts'
import { send } from '../helpers/wire.ts'

const well = async (): Promise<void> => {}
const ill = async (): Promise<void> => {
  throw new Error('canary: /srv/data is gone')
}
const stuck = (): Promise<void> => new Promise(() => {})

describe('/healthz', () => {
  const look = async (database: typeof well, storage: typeof well) => {
    await using edge = await openEdge({ probes: { database, storage } })
    return await send(edge.url, { path: '/healthz' })
  }

  test('tells the build and that all is well, without a key', async () => {
    const reply = await look(well, well)
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({ status: 'ok', version: '0.0.0-test', commit: 'abc', built: '' })
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
