import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errands } from '../../src/dev/demo/chapters/errands.ts'
import { takeClock } from '../../src/dev/demo/clock.ts'
import { shifts } from '../../src/dev/demo/days.ts'
import { portionsOf } from '../../src/dev/demo/fill.ts'
import { randomFrom } from '../../src/dev/demo/random.ts'
import { DAY, HOUR } from '../../src/dev/demo/timeline.ts'
import { MEMORY_KINDS } from '../../src/memories/memories.ts'
import { ISOLATION } from '../../src/projects/projects.ts'
import { testDatabase } from '../helpers/database.ts'
import { DEMO_NOW, openDemo, type OpenDemo } from '../helpers/demo.ts'
import { openHouse } from '../helpers/house.ts'
import { withServer } from '../helpers/postgres.ts'

const { values } = Object

describe('the demo store', () => {
  let demo: OpenDemo
  beforeAll(async () => void (demo = await openDemo()))
  afterAll(() => demo.house[Symbol.asyncDispose]())

  const rows = async <Row>(query: ReturnType<typeof sql<Row>>): Promise<Row[]> =>
    (await query.execute(demo.house.app.database.db)).rows

  test('holds of each session what its ledger says', async () => {
    const { sessions } = demo.ledger
    const found = await rows(sql<Record<string, unknown>>`
      select case when s.ambient then s.client_session_id else s.name end as key, s.id, s.name, s.project, s.status,
        (select count(*)::int from events e where e.session_id = s.id and e.kind = 'tool.call') as calls,
        (select count(*)::int from events e where e.session_id = s.id and e.kind = 'tool.call'
          and e.payload ? 'is_error') as failed,
        (select count(*)::int from events e where e.session_id = s.id and e.kind = 'memory.read') as "memoryReads",
        (select count(*)::int from events e where e.session_id = s.id and e.kind = 'memory.written') as "memoryWrites",
        (select count(*)::int from events e where e.session_id = s.id and e.kind = 'note.written') as "noteWrites",
        (select count(*)::int from events e where e.session_id = s.id and e.kind = 'recall.miss') as misses,
        (select count(*)::int from events e where e.session_id = s.id and e.kind = 'agent.mishap') as mishaps,
        (select count(*)::int from events e
          where e.session_id = s.id and e.kind = 'retrieval.injected') as injections,
        (select coalesce(sum(jsonb_array_length(e.payload -> 'item_ids')), 0)::int from events e
          where e.session_id = s.id and e.kind = 'retrieval.injected') as "itemsShown"
      from sessions s order by s.id`)
    const told = sessions.map(({ key, id, name, project, status, calls, ...counts }) => ({
      ...{ key, id, name, project, status },
      calls: values(calls).reduce((sum, each) => sum + each, 0),
      failed: counts.failed,
      memoryReads: counts.memoryReads,
      memoryWrites: counts.memoryWrites,
      noteWrites: counts.noteWrites,
      misses: counts.misses,
      mishaps: counts.mishaps,
      injections: counts.injections,
      itemsShown: counts.itemsShown,
    }))
    expect(found).toEqual(told.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
  })

  test('holds the memories, notes and projects of its ledger', async () => {
    const found = await rows(sql<{ id: string; status: string }>`
      select id, case when superseded_by <> '' then 'superseded'
        when invalid_at is not null then 'archived' else 'active' end as status from memories
      union all select id, 'active' from notes`)
    const { memories, notes, projects } = demo.ledger
    const kept = [...memories, ...notes].filter(({ status }) => status !== 'deleted')
    expect(new Map(found.map(({ id, status }) => [id, status]))).toEqual(
      new Map(kept.map(({ id, status }) => [id, status])),
    )
    const slugs = await rows(sql<{ slug: string }>`select slug from projects order by slug`)
    expect(slugs.map(({ slug }) => slug)).toEqual(projects.map(({ slug }) => slug).sort())
  })

  test('holds the tasks of its ledger, in their states and with their holders', async () => {
    const found = await rows(sql<Record<string, unknown>>`
      select t.id, t.project, t.title as name, t.plan, t.status,
        (select case when s.ambient then s.client_session_id else s.name end
          from sessions s where s.id = t.claimed_by) as holder, t.lease_expires_at as lease
      from tasks t order by t.id`)
    const told = demo.ledger.tasks.map(
      ({ id, project, name, plan, status, holder, leaseUntil }) => ({
        ...{ id, project, name, plan, status, holder },
        lease: leaseUntil === null ? null : new Date(leaseUntil),
      }),
    )
    expect(found).toEqual(told.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
  })

  test('shows every state of everything', async () => {
    const { sessions, memories, tasks, plans, projects, trials, failures, misses } = demo.ledger
    const all = <T>(of: readonly T[]) => new Set(of)
    const kinds = all(memories.filter(({ status }) => status === 'active').map(({ kind }) => kind))
    expect(kinds).toEqual(all(MEMORY_KINDS))
    expect(all(memories.map(({ status }) => status))).toEqual(
      all(['active', 'superseded', 'archived']),
    )
    expect(all(sessions.map(({ status }) => status))).toEqual(
      all(['active', 'completed', 'expired']),
    )
    expect(all(tasks.map(({ status }) => status))).toEqual(
      all(['open', 'in_progress', 'done', 'dropped']),
    )
    expect(all(plans.map(({ kind, status }) => `${kind} ${status}`))).toEqual(
      all([
        'composed done',
        'composed in progress',
        'composed ready',
        'captured approved',
        'captured draft',
        'captured presented',
      ]),
    )
    expect(all(projects.map(({ isolation }) => isolation))).toEqual(all(ISOLATION))
    expect(projects.some(({ retired }) => retired)).toBe(true)
    expect(all(trials.map(({ outcome }) => outcome))).toEqual(
      all(['pass', 'fail', 'partial', 'inconclusive', 'handed over', '']),
    )
    expect(all(sessions.map(({ client }) => client)).size).toBeGreaterThanOrEqual(6)
    expect(sessions.filter(({ mishaps }) => mishaps > 0)).toHaveLength(5)
    expect(misses.length).toBeGreaterThan(10)
    const lastHour = failures.filter(({ at }) => at > '2026-11-20T14:30')
    expect(lastHour.map(({ tool }) => tool)).toEqual(Array(3).fill('memory_read'))
    expect(all(lastHour.map(({ session }) => session)).size).toBe(2)
    const [unreadable] = await rows(sql<{ n: number }>`
      select count(*)::int as n from files where problem is not null`)
    expect(unreadable!.n).toBe(1)
  })

  test('carries the time of each thing in its id, and its clock goes on from there', async () => {
    const [first] = demo.ledger.sessions
    const [row] = await rows(sql<{ now: Date; created: Date }>`
      select loam_now() as now, created_at as created from sessions order by id limit 1`)
    const passed = row!.now.getTime() - Date.parse(DEMO_NOW)
    expect(passed).toBeGreaterThan(0)
    expect(passed).toBeLessThan(3_600_000)
    expect(row!.created.toISOString()).toBe(first!.started)
    const [younger] = await rows(sql<{ n: number }>`
      select count(*)::int as n from events where ts > ${DEMO_NOW}`)
    expect(younger!.n).toBe(0)
  })
})

describe('the demo', () => {
  const demo = (dir: string, addr: string, env: Record<string, string> = {}) =>
    promisify(execFile)(process.execPath, ['src/dev/demo.ts', '--dir', dir], {
      env: { ...process.env, ...env, LOAM_ADDR: addr },
      timeout: 120_000,
    })

  test('has written what it ends or stars before it does so, at whatever hour it is made', () => {
    const wanted = [
      ...errands.archived.map(({ project, name }) => ({ project, name, ago: 3 })),
      ...errands.successions.map(({ project, old }) => ({ project, name: old, ago: 2 })),
      ...errands.starred
        .filter(({ kind }) => kind === 'memory')
        .map(({ project, id }) => ({ project, name: id, ago: 1 })),
    ]
    const late: string[] = []
    for (let hour = 0; hour < 14 * 24; hour++) {
      const now = new Date(Date.parse('2026-11-20T00:20:00Z') + hour * HOUR)
      const planned = shifts(randomFrom(42).fork('days'), now, 140)
      const portions = portionsOf(planned)
      for (const { project, name, ago } of wanted) {
        const at = portions.findIndex(
          ({ memories }, i) =>
            (project === '' || planned[i]!.project === project) &&
            memories.some((one) => one.name === name),
        )
        const { start, length } = planned[at]!
        if (start.getTime() + length > now.getTime() - ago * DAY)
          late.push(`${name}, ${now.toISOString()}`)
      }
    }
    expect(late).toEqual([])
  })

  test('leaves a directory alone in which something lies', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'loam-used-'))
    await writeFile(join(dir, 'thesis.md'), '# Mine\n')
    await expect(demo(dir, '127.0.0.1:0')).rejects.toMatchObject({
      stderr: expect.stringContaining('is in use and is no demo store'),
    })
    await rm(dir, { recursive: true })
  })

  // The embedded database lies in the directory of the demo, which is empty then.
  test.runIf(process.env['LOAM_TEST_DATABASE_URL'])(
    'leaves a database alone that holds something, and ends',
    async () => {
      const { url } = await testDatabase()
      await withServer(url!, (client) =>
        client.query(
          `insert into projects (id, slug, name) values ('01K9ZC4T7Q8V2M5N6P3R000001', 'mine', 'Mine')`,
        ),
      )
      const dir = join(tmpdir(), `loam-unmade-${randomUUID()}`)
      await expect(demo(dir, '127.0.0.1:0', { LOAM_DATABASE_URL: url! })).rejects.toMatchObject({
        code: 1,
        stderr: 'demo: the database holds something already: only an empty one becomes a demo\n',
      })
      await rm(dir, { recursive: true, force: true })
    },
  )

  test('says at once that its port is taken, and fills nothing', async () => {
    const dir = join(tmpdir(), `loam-unmade-${randomUUID()}`)
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const addr = `127.0.0.1:${(other.address() as AddressInfo).port}`
    await expect(demo(dir, addr)).rejects.toMatchObject({
      stdout: '',
      stderr: `demo: cannot listen on ${addr}: the port is taken. Does Loam run already? Otherwise set addr or LOAM_ADDR\n`,
    })
    other.close()
    expect(existsSync(dir)).toBe(false)
  })

  test('alone moves the clock of a store, and alone says which ids are drawn', () => {
    const moves = /update clock set shift|replace function wall_clock|drawIdsFrom\(/
    const found = globSync('src/**/*.ts').filter((path) => moves.test(readFileSync(path, 'utf8')))
    expect(found.sort()).toEqual([
      'src/dev/demo/clock.ts',
      'src/dev/demo/house.ts',
      'src/kernel/id.ts',
    ])
  })

  test('takes the clock of no store in which something is', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await agent.call('notes_create', { title: 'T', body: 'B', project: 'atlas' })
    const { db } = house.app.database
    await expect(takeClock(db, new Date(0))).rejects.toThrow('only an empty one becomes a demo')
    const { rows } = await sql<{ year: number }>`
      select extract(year from loam_now())::int as year`.execute(db)
    expect(rows[0]!.year).toBeGreaterThan(2000)
  })
})
