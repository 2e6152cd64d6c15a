import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { openHouse, type House } from '../helpers/house.ts'
import { recount } from '../../src/tasks/tasks.ts'
import { add, row, worker } from './given.ts'

/** Tasks whose number of unfinished blockers is not what the edges say, and totals that are none. */
async function miscounted({ app }: House): Promise<unknown[]> {
  const { rows: totals } = await sql`
    select coalesce(c.project, s.project) as project, coalesce(c.plan, s.plan) as plan, to_jsonb(c), to_jsonb(s)
    from (
      select project, plan, sum(ready) as ready, sum(blocked) as blocked, sum(in_progress) as begun,
        sum(done) as done, sum(dropped) as dropped
      from task_totals group by project, plan
    ) s full join (
      select project, plan, count(*) filter (where status = 'open' and not blocked) as ready,
        count(*) filter (where status = 'open' and blocked) as blocked,
        count(*) filter (where status = 'in_progress') as begun,
        count(*) filter (where status = 'done') as done,
        count(*) filter (where status = 'dropped') as dropped
      from tasks group by project, plan
    ) c using (project, plan)
    where coalesce(c.ready, 0) <> coalesce(s.ready, 0)
      or coalesce(c.blocked, 0) <> coalesce(s.blocked, 0) or coalesce(c.begun, 0) <> coalesce(s.begun, 0)
      or coalesce(c.done, 0) <> coalesce(s.done, 0)
      or coalesce(c.dropped, 0) <> coalesce(s.dropped, 0)`.execute(app.database.db)
  if (totals.length > 0) return totals
  const { rows } = await sql`
    select t.id, t.waits_for from tasks t where t.waits_for <> (
      select count(*) from task_deps d join tasks b on b.id = d.depends_on
      where d.task_id = t.id and b.status in ('open', 'in_progress'))`.execute(app.database.db)
  return rows
}

const placeOf = (one: number, other: number): string => (one > other ? 'atlas' : 'delta')

describe('the graph of tasks', () => {
  test('counts what each task waits for, whatever is done to it, and never closes a circle', async () => {
    const step = fc.record({
      act: fc.constantFrom(
        'edge',
        'edge',
        'edge',
        'done',
        'dropped',
        'open',
        'claim',
        'new',
        'move',
      ),
      one: fc.nat(7),
      other: fc.nat(7),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        await using house = await openHouse()
        const alice = await worker(house)
        const ids: string[] = []
        for (let n = 0; n < 8; n++) ids.push(await add(alice, `T${n}`))
        const waits = new Map<string, Set<string>>(ids.map((id) => [id, new Set()]))
        const reaches = (from: string, to: string): boolean =>
          from === to || [...(waits.get(from) ?? [])].some((next) => reaches(next, to))
        for (const { act, one, other } of steps) {
          const [id, blocker] = [ids[one]!, ids[other]!]
          if (act === 'edge') {
            const closes = reaches(blocker, id)
            const said = await alice
              .call('tasks_update', { id, add_depends_on: [blocker] })
              .then(() => '', String)
            expect(/cycle|itself/.test(said), said).toBe(closes)
            if (!closes) waits.get(id)!.add(blocker)
          } else if (act === 'new') {
            const depends_on = id === blocker ? [id] : [id, blocker]
            ids[one] = await add(alice, 'new', { depends_on })
            waits.set(ids[one], new Set(depends_on))
          } else if (act === 'move') {
            await alice.call('tasks_update', { id, project: placeOf(one, other) })
          } else if (act === 'claim') {
            await alice.raw('tasks_claim', { id })
          } else {
            await alice.call('tasks_update', { id, status: act })
          }
        }
        expect(await miscounted(house)).toEqual([])
        const { ready, ready_total, blocked_total } = await alice.call('tasks_ready', {
          limit: 200,
        })
        const { rows } = await sql<{ ready: string[]; blocked: number }>`
          select coalesce(array_agg(t.id) filter (where not waiting), '{}') as ready,
            count(*) filter (where waiting)::int as blocked
          from tasks t cross join lateral (
            select exists (select from task_deps d join tasks b on b.id = d.depends_on
              where d.task_id = t.id and b.status in ('open', 'in_progress')) as waiting) w
          where t.status = 'open' and t.project = 'atlas'`.execute(house.app.database.db)
        const told = (ready as { id: string }[]).map(({ id }) => id).toSorted()
        expect(told).toEqual(rows[0]!.ready.toSorted())
        expect([ready_total, blocked_total]).toEqual([told.length, rows[0]!.blocked])
      }),
      { numRuns: 8 },
    )
  })

  test('two edges at once that would close a circle together: one of them is refused', async () => {
    await using house = await openHouse()
    const [alice, bob] = [await worker(house), await worker(house)]
    for (let round = 0; round < 5; round++) {
      const [a, b] = [await add(alice, 'A'), await add(bob, 'B')]
      const answers = await Promise.all([
        alice.raw('tasks_update', { id: a, add_depends_on: [b] }),
        bob.raw('tasks_update', { id: b, add_depends_on: [a] }),
      ])
      expect(answers.filter(({ isError }) => isError)).toHaveLength(1)
      expect(JSON.stringify(answers)).toContain('would create a cycle')
    }
    expect(await miscounted(house)).toEqual([])
  })

  test('a blocker that is finished while others come to wait for it is counted right', async () => {
    await using house = await openHouse()
    const [alice, bob] = [await worker(house), await worker(house)]
    const blocker = await add(alice, 'A')
    const waiting = await Promise.all([0, 1, 2, 3].map((n) => add(bob, `W${n}`)))
    for (const status of ['done', 'open', 'dropped', 'open', 'done']) {
      await Promise.all([
        alice.call('tasks_update', { id: blocker, status }),
        ...waiting.map(async (id) => {
          await bob.call('tasks_update', { id, add_depends_on: [blocker] })
          await add(bob, 'more', { depends_on: [blocker, id] })
        }),
      ])
    }
    expect(await miscounted(house)).toEqual([])
  })

  test('a circle is found however far around it goes, and from either end', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    const { db } = house.app.database
    await sql`
      insert into tasks (id, project, title)
      select 'C' || lpad(n::text, 4, '0'), 'atlas', 'step' from generate_series(1, 600) n`.execute(
      db,
    )
    await sql`
      insert into task_deps select 'C' || lpad(n::text, 4, '0'), 'C' || lpad((n - 1)::text, 4, '0')
      from generate_series(2, 600) n`.execute(db)
    await recount(house.app.kernel)
    const edge = (id: string, ...add_depends_on: string[]) =>
      alice.call('tasks_update', { id, add_depends_on })

    await expect(edge('C0001', 'C0600')).rejects.toThrow('would create a cycle')
    await expect(edge('C0299', 'C0300')).rejects.toThrow('would create a cycle')
    const middle = await add(alice, 'between', { depends_on: ['C0300'] })
    await edge('C0301', middle)
    await expect(edge('C0300', middle)).rejects.toThrow('would create a cycle')
    await edge('C0600', 'C0001')
    expect(await row(house, 'C0600')).toMatchObject({ waits_for: 2 })
    expect(await miscounted(house)).toEqual([])
  })
})
