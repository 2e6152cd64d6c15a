import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../helpers/database.ts'
import { openFolder } from '../helpers/folder.ts'
import { withServer } from '../helpers/postgres.ts'
import { loam, startService, type Service } from '../helpers/service.ts'
import { openStream } from '../helpers/sse.ts'
import { openWire, type Wire } from '../helpers/wire.ts'

const server = process.env['LOAM_TEST_DATABASE_URL']
const KEY = 'several-key-0123456789abcdef'

describe.runIf(server)('two processes on one database and one data directory', () => {
  let folder: Awaited<ReturnType<typeof openFolder>>
  let url: string
  let services: [Service, Service]

  beforeAll(async () => {
    folder = await openFolder()
    url = (await testDatabase()).url!
    const env = { LOAM_DATABASE_URL: url, LOAM_MCP_API_KEY: KEY, LOAM_DATABASE_POOL: '6' }
    const start = () => startService({ folder: folder.path, fresh: true, env })
    services = [await start(), await start()]
  })
  afterAll(async () => {
    await Promise.all(services.map((service) => service[Symbol.asyncDispose]()))
    await folder[Symbol.asyncDispose]()
  })

  const call = async (wire: Wire, name: string, args: object): Promise<Record<string, any>> => {
    const { status, body } = await wire.ask('tools/call', { name, arguments: args })
    expect(status).toBe(200)
    expect(body.result.isError ?? false, JSON.stringify(body.result.content)).toBe(false)
    return body.result.structuredContent
  }

  test('what an agent writes at one is read at the other at once, on the same connection', async () => {
    const here = await openWire(services[0])
    const there = await openWire({ ...services[1], id: here.id })
    for (let n = 0; n < 10; n++) {
      const [one, other] = n % 2 === 0 ? [here, there] : [there, here]
      const title = `Note ${n}`
      const { id } = await call(one, 'notes_create', { title, body: `b${n}`, project: 'atlas' })
      expect((await call(other, 'notes_read', { id }))['body']).toBe(`b${n}`)
      await call(other, 'notes_append', { id, body: `more ${n}` })
      expect((await call(one, 'notes_read', { id }))['body']).toContain(`more ${n}`)
    }
  })

  test('a reader of one sees what happens at the other, soon', async () => {
    await using stream = await openStream(services[1])
    await stream.until(() => stream.lastId !== '')
    const here = await openWire(services[0])
    const lags: number[] = []
    for (let n = 0; n < 5; n++) {
      const { id } = await call(here, 'notes_create', {
        title: `Seen ${n}`,
        body: 'x',
        project: 'atlas',
      })
      const acknowledged = performance.now()
      const seen = () => stream.frames.find(({ data }) => data.itemId === id)
      await stream.until(() => seen() !== undefined)
      lags.push(seen()!.at - acknowledged)
    }
    lags.sort((a, b) => a - b)
    // The median: what the machine does beside is nobody's fault.
    expect(lags[2]).toBeLessThan(500)
  })

  test('a reader goes on at the other where it was', async () => {
    const stream = await openStream(services[0])
    await stream.until(() => stream.lastId !== '')
    stream.cut()
    const here = await openWire(services[0])
    const { id } = await call(here, 'notes_create', { title: 'Gap', body: 'x', project: 'atlas' })
    await using again = await openStream({ ...services[1], lastId: stream.lastId })
    await again.until(() => again.frames.some(({ data }) => data.itemId === id))
    expect(again.frames.filter(({ event }) => event === 'resync')).toEqual([])
  })

  test('each timed job has one holder, who keeps it', async () => {
    const look = () =>
      withServer(url, async (client) => {
        const { rows } = await client.query<{ name: string; holder: string }>(
          'select name, holder from leases where until > loam_now() order by name',
        )
        return rows
      })
    const first = await look()
    expect(first.map(({ name }) => name)).toContain('passages')
    await sleep(2_500)
    const again = new Map((await look()).map(({ name, holder }) => [name, holder]))
    for (const { name, holder } of first) expect([name, again.get(name)]).toEqual([name, holder])
  })

  test('doctor says on what they rely, and that it holds', async () => {
    const env = { LOAM_DATABASE_URL: url, LOAM_MCP_API_KEY: KEY }
    const { stdout } = await loam(['doctor'], { folder: folder.path, env })
    expect(stdout).toMatch(/ok {4}database {2}server PostgreSQL \d+/)
    expect(stdout).toMatch(/ok {4}locks .*two connections/)
    expect(stdout).toMatch(/ok {4}feed .*notifications arrive/)
  })
})
