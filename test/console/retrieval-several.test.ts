import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect, type Agent } from '../helpers/agent.ts'
import { testDatabase } from '../helpers/database.ts'
import { openFolder } from '../helpers/folder.ts'
import { withServer } from '../helpers/postgres.ts'
import { startService, type Service } from '../helpers/service.ts'

const server = process.env['LOAM_TEST_DATABASE_URL']
const KEY = 'several-key-0123456789abcdef'

describe.runIf(server)('two processes on one store', () => {
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

  const ROUNDS = 12

  async function work(agent: Agent, nth: number): Promise<void> {
    await agent.call('session_start', { name: `agent ${nth}`, project: 'atlas' })
    for (let n = 0; n < ROUNDS; n++) {
      await agent.call('recall', { query: `quokka tide ${n}`, scope: 'memories' })
      await agent.call('recall', { query: `zeppelin${nth}x${n}`, scope: 'memories' })
      await agent.call('memory_read', { name: `memory-${n % 4}`, project: 'atlas' })
    }
  }

  const lookAtBoth = () =>
    Promise.all(
      services.map(async ({ url }) => {
        const headers = { authorization: `Bearer ${KEY}`, accept: 'application/json' }
        const answer = await fetch(`${url}/console/retrieval`, { headers })
        return (await answer.json()) as Record<string, any>
      }),
    )

  test('count everything once, whichever of them is told and whichever is asked', async () => {
    const agents = await Promise.all(Array.from({ length: 8 }, (_, n) => connect(services[n % 2]!)))
    for (let n = 0; n < 4; n++) {
      const about = { kind: 'gotcha', description: `of tide ${n}`, body: 'quokka tide' }
      await agents[0]!.call('memory_write', { name: `memory-${n}`, project: 'atlas', ...about })
    }
    await Promise.all(agents.map((agent, n) => work(agent, n)))
    // A page knows what its own process has done, and what others have written: the first look writes what they hold back.
    await lookAtBoth()
    const reports = await lookAtBoth()
    expect(reports[1]).toEqual(reports[0])
    const [report] = reports
    const counts = await withServer(url, async (client) => {
      const { rows } = await client.query(`
        select (select count(*) from event_items where class in ('shown', 'recall', 'prompt'))::int as items,
          (select count(*) from events where kind = 'recall.miss')::int as misses`)
      return rows[0] as { items: number; misses: number }
    })
    expect(report).toMatchObject({
      ...{ injections: counts.items, toolMisses: counts.misses, sessionsReached: 8 },
      ...{ memoriesSurfaced: 4, activeMemories: 4 },
    })
    expect(counts.misses).toBeGreaterThan(0)
    const times = report!['topInjected'].map((row: any) => row.injects)
    expect(times.reduce((sum: number, n: number) => sum + n, 0)).toBe(counts.items)
    for (const row of report!['topInjected']) expect(row.sessions).toBe(8)
    const reads = report!['topInjected'].map((row: any) => row.reads)
    expect(reads).toEqual([24, 24, 24, 24])
    await Promise.all(agents.map((agent) => agent[Symbol.asyncDispose]()))
  })

  test('tidy while a session holds what is tidied, and neither waits for the other', async () => {
    await withServer(url, async (session) =>
      withServer(url, async (tidier) => {
        await session.query(`
          insert into kept_totals (unit, since, slot, total, covered, findings, memories, notes, trials)
          select unit, date_trunc(unit, loam_now() - interval '40 days', owner_zone()), 7, 1, 1, 1, 0, 0, 0
          from unnest(array['day', 'hour']) unit`)
        const hold = (unit: string) =>
          session.query(
            `update kept_totals set total = total + 1
             where unit = $1 and slot = 7 and since < loam_now() - interval '39 days'`,
            [unit],
          )
        await session.query('begin')
        await hold('day')
        const tidied = tidier.query('select tidy_shown()').then(
          () => 'tidied',
          (error: { code?: string }) => error.code,
        )
        // As long as a tidying that waited would need to hold the hour.
        await new Promise((resolve) => setTimeout(resolve, 500))
        const held = await hold('hour').then(
          () => 'held',
          (error: { code?: string }) => error.code,
        )
        await session.query('commit')
        expect([held, await tidied]).toEqual(['held', 'tidied'])
        await tidier.query('select tidy_shown()')
        const { rows } = await session.query(`
          select unit, slot, total from kept_totals
          where since < loam_now() - interval '39 days' order by unit, slot`)
        expect(rows).toEqual([{ unit: 'day', slot: 0, total: 2 }])
      }),
    )
  })
})
