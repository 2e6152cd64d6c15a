import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { gutterOf, orderOf } from '../../src/console/plans/gutter.ts'
import { capturePlan, presentPlan } from '../../src/plans/plans.ts'
import { scopeAt } from '../../src/projects/projects.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { switchOff } from '../helpers/moments.ts'
import { addStep } from '../helpers/plans.ts'
import { add, worker } from '../tasks/given.ts'
import { ownerOf } from './owner.ts'

const PLANS = '/console/plans'
const list = async (house: House, query = ''): Promise<any> =>
  (await ownerOf(house).json(PLANS + query)).body
const one = async (house: House, slug: string): Promise<any> =>
  (await ownerOf(house).json(`${PLANS}/${slug}`)).body
const slugs = ({ rows }: { rows: { slug: string }[] }) => rows.map(({ slug }) => slug)

async function capture(
  house: House,
  project = 'atlas',
  text = '# Rebuild the importer\n\nRead.\n',
) {
  await house.inside(project)
  const session = await house.session(project, { ambient: true })
  const scope = await scopeAt(house.app.kernel.db, project)
  const from = {
    by: { session, model: '' },
    name: 'cc/1',
    target: { project, scope },
    git_head: '',
  }
  await capturePlan(house.app.kernel, from, { basename: 'calm-otter', text })
  return from
}

describe('the plans', () => {
  test('stand in progress, ready and done, the last moved first', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    const over = await add(alice, 'A', { plan: 'over' })
    await alice.call('tasks_update', { id: over, status: 'done' })
    await add(alice, 'B', { plan: 'waits' })
    const id = await add(alice, 'C', { plan: 'runs' })
    await add(alice, 'D', { plan: 'runs', depends_on: [id] })
    await alice.call('tasks_claim', { id })
    await alice.call('notes_create', { title: 'How it runs', body: 'B', plan: 'runs' })

    const { rows, ...counts } = await list(house)
    expect(counts).toMatchObject({ count: 3, total: 3, inProgress: 1, ready: 1, done: 1 })
    expect(rows.map((row: any) => [row.slug, row.phase])).toEqual([
      ['runs', 'in_progress'],
      ['waits', 'ready'],
      ['over', 'done'],
    ])
    expect(rows[0]).toMatchObject({
      ...{ project: 'atlas', title: 'How it runs', source: 'composed', favorite: false },
      ...{ tasksDone: 0, tasksOpen: 1, tasksInProgress: 1, tasksClaimable: 0, tasksTotal: 2 },
      ...{ agents: 0, address: '/console/plans/runs?project=atlas' },
    })
  })

  test('are those that moved in the window, and the page says how many are older', async () => {
    await using house = await openHouse()
    await add(await worker(house), 'A', { plan: 'old' })
    await house.moveClock('3 days')
    const owner = ownerOf(house)
    expect(await list(house)).toMatchObject({ rows: [], window: '24h', total: 0 })
    expect((await owner.get(PLANS)).text).toContain('1 is older.')
    expect(await list(house, '?w=7d')).toMatchObject({ total: 1, windowLabel: 'last 7 days' })
    // The list beside a plan reaches as far as the plan.
    const { text } = await owner.get(`${PLANS}/old`)
    expect(text).toMatch(/<a class="rail-item"[^>]*data-item="old" aria-current="true">/)
  })

  test('stand page by page, and beside one of them the page that it is on', async () => {
    await using house = await openHouse()
    const owner = ownerOf(house)
    for (let n = 0; n < 201; n++) await addStep(house, `plan-${n}`)
    const { text } = await owner.get(`${PLANS}?page=2`)
    const [, href = ''] = /<a class="rail-item"[^>]*href="([^"]*plan-0[^"]*)"/.exec(text) ?? []
    expect(href).toContain('/plan-0?')
    const beside = (await owner.get(href.replaceAll('&amp;', '&'))).text
    expect(beside).toMatch(/<a class="rail-item"[^>]*data-item="plan-0" aria-current="true">/)
    expect(beside.match(/class="rail-item"/g)).toHaveLength(1)
    // One that the filter leaves out stands beside the first page.
    const other = (await owner.get(`${PLANS}/plan-0?within=delta&page=2`)).text
    expect(other).not.toContain('class="rail-item"')
    expect((await owner.get(`${PLANS}/plan-200?page=2`)).text).toContain('data-item="plan-1"')
  })

  test('are filtered by words, project and phase, strictly', async () => {
    await using house = await openHouse()
    const [alice, bob] = [await worker(house), await worker(house, 'delta')]
    await add(alice, 'A', { plan: 'tides' })
    await add(alice, 'B', { plan: 'sails' })
    await bob.call('notes_create', { title: 'How tides turn', body: 'B', plan: 'moon' })
    expect(slugs(await list(house, '?q=TIDE'))).toEqual(['moon', 'tides'])
    expect(slugs(await list(house, '?project=delta'))).toEqual(['moon'])
    expect(slugs(await list(house, '?project=no-such'))).toEqual([])
    expect(await list(house, '?phase=done')).toMatchObject({ rows: [], count: 0, total: 3 })
    const { status, body } = await ownerOf(house).json(`${PLANS}?phase=over`)
    expect([status, body.error]).toEqual([400, expect.stringContaining('in_progress, ready, done')])
    expect((await ownerOf(house).json(`${PLANS}?w=1h`)).status).toBe(400)
  })

  test('tell of one its text, its steps in the order of what waits for what, and who carries them', async () => {
    await using house = await openHouse()
    const [alice, bob] = [await worker(house), await worker(house)]
    await alice.call('notes_create', { title: 'The way', body: 'Slowly.', plan: 'launch' })
    const later = await add(alice, 'later', { plan: 'launch' })
    const first = await add(alice, 'first', { plan: 'launch' })
    const outside = await add(alice, 'outside')
    await alice.call('tasks_update', { id: later, add_depends_on: [first, outside] })
    await alice.call('tasks_claim', { id: first, paths: ['src/**'] })
    const rival = await add(bob, 'rival')
    await bob.call('tasks_claim', { id: rival, paths: ['src/a.ts'] })

    const { plan, body, tasks } = await one(house, 'launch')
    expect(plan).toMatchObject({ slug: 'launch', title: 'The way', phase: 'in_progress' })
    expect(body).toBe('Slowly.')
    expect(tasks).toMatchObject([
      {
        ...{ number: 1, id: first, status: 'in_progress', holderId: alice.session, needs: [] },
        ...{ claimLive: true, overlaps: [{ id: rival, title: 'rival', paths: ['src/a.ts'] }] },
      },
      {
        ...{ number: 2, id: later, status: 'open', blocked: true },
        needs: [
          { id: first, number: 1, waits: true },
          { id: outside, title: 'outside', waits: true },
        ],
      },
    ])
    const { text } = await ownerOf(house).get(`${PLANS}/launch?peek=1`)
    expect(text).toContain('1 in progress, 0 ready')
    expect(text.match(/class="gutter"/g)).toHaveLength(2)
  })

  test('release a claim in place', async () => {
    await using house = await openHouse()
    const alice = await worker(house)
    const id = await add(alice, 'A', { plan: 'launch' })
    await alice.call('tasks_claim', { id })
    const { text } = await ownerOf(house).get(`${PLANS}/launch`)
    expect(text).toContain(`action="/console/tasks/${id}/release"`)
    const next = '/console/plans/launch?project=atlas'
    expect(text).toContain(`name="next" value="${next}"`)
    const { headers } = await ownerOf(house).post(`/console/tasks/${id}/release`, { next })
    expect(headers.location).toBe(`${next}&notice=Released+%E2%80%9CA%E2%80%9D.`)
  })

  test('approve a captured plan in place, and no other', async () => {
    await using house = await openHouse()
    const from = await capture(house)
    await presentPlan(house.app.kernel, from, 'calm-otter')
    const owner = ownerOf(house)
    const slug = 'rebuild-the-importer'
    const before = await one(house, slug)
    expect(before).toMatchObject({
      plan: { status: 'presented', source: 'capture', basename: 'calm-otter', iteration: 1 },
      ...{ canApprove: true, bodyAvailable: true, attached: [] },
    })
    expect(before.history.map(({ kind }: any) => kind)).toEqual(['plan.presented', 'plan.captured'])
    expect((await owner.get(`${PLANS}/${slug}`)).text).toContain('Waits for approval.')
    const next = `${PLANS}/${slug}?project=atlas`
    const { headers } = await owner.post(`${PLANS}/${slug}/approve`, { project: 'atlas', next })
    expect(headers.location).toBe(`${next}&notice=Plan+approved.`)
    const after = await one(house, slug)
    expect(after).toMatchObject({ canApprove: false, plan: { status: 'approved', tasksTotal: 1 } })

    await add(await worker(house), 'A', { plan: 'steps' })
    expect(await one(house, 'steps')).toMatchObject({ canApprove: false })
    const refused = await owner.post(`${PLANS}/steps/approve`)
    expect(refused.headers.location).toContain('error=')
  })

  test('of one slug in several projects are told apart by project', async () => {
    await using house = await openHouse()
    for (const project of ['atlas', 'delta']) {
      await add(await worker(house, project), `of ${project}`, { plan: 'launch' })
    }
    const { plan, others } = await one(house, 'launch')
    expect(plan.project).toBe('delta')
    expect(others).toMatchObject([
      { project: 'atlas', href: '/console/plans/launch?project=atlas' },
    ])
    expect((await one(house, 'launch?project=atlas')).tasks[0].title).toBe('of atlas')
    const { status, body } = await ownerOf(house).json(`${PLANS}/launch?project=ops`)
    expect([status, body.error]).toEqual([404, 'no plan launch'])
  })

  test('have a page however long their slug is', async () => {
    await using house = await openHouse()
    const slug = '日'.repeat(500)
    await add(await worker(house), 'A', { plan: slug })
    const { rows } = await list(house)
    const { status, body } = await ownerOf(house).json(rows[0].address)
    expect([status, body.plan?.slug]).toEqual([200, slug])
  })

  test('have a page without a note', async () => {
    await using house = await openHouse()
    await add(await worker(house), 'A', { plan: 'bare' })
    expect(await one(house, 'bare')).toMatchObject({ body: '', bodyAvailable: false })
    expect((await ownerOf(house).get(`${PLANS}/bare`)).text).toContain('It is steps alone')
  })

  test('are none yet in a store that is new', async () => {
    await using house = await openHouse()
    expect((await ownerOf(house).get(PLANS)).text).toContain('No plans yet')
  })

  test('count what was shipped this month while momentum is on', async () => {
    await using house = await openHouse({ env: { LOAM_FEATURES_MOMENTUM: 'true' } })
    const alice = await worker(house)
    const id = await add(alice, 'A', { plan: 'over' })
    await alice.call('tasks_update', { id, status: 'done' })
    // The page is right at once, whoever has followed the log so far.
    expect(await list(house)).toMatchObject({
      shippedThisMonth: { count: 1 },
      rows: [{ shipped: true }],
    })
    expect(await one(house, 'over')).toMatchObject({ plan: { shipped: true } })
    const { text } = await ownerOf(house).get(PLANS)
    expect(text).toContain('1 shipped this month')
    expect(text).toMatch(/<a class="rail-item"[^>]*data-item="over"[^>]*data-shipped/)

    await switchOff(house, 'momentum')
    expect(await list(house)).not.toHaveProperty('shippedThisMonth')
    expect((await list(house)).rows[0]).not.toHaveProperty('shipped')
    expect((await one(house, 'over')).plan).not.toHaveProperty('shipped')
    const off = (await ownerOf(house).get(PLANS)).text.replace(/data-live="[^"]*"/, '')
    expect(off).not.toContain('shipped')
  })
})

describe('the drawing of steps', () => {
  test('has each step after those that it needs, and one line from each to the last that waits', () => {
    const graph = fc.integer({ min: 1, max: 14 }).chain((size) =>
      fc.record({
        needs: fc.array(fc.array(fc.nat({ max: 13 }), { maxLength: 4 }), {
          minLength: size,
          maxLength: size,
        }),
        shuffled: fc.shuffledSubarray([...Array(size).keys()], { minLength: size }),
      }),
    )
    fc.assert(
      fc.property(graph, ({ needs, shuffled }) => {
        // A step needs only earlier ones, so there is no circle.
        const needsOf = (id: string) =>
          [...new Set(needs[Number(id)]!)].filter((each) => each < Number(id)).map(String)
        const order = orderOf(shuffled.map(String), needsOf)
        expect(order.toSorted()).toEqual(shuffled.map(String).toSorted())
        order.forEach((id, row) => {
          for (const each of needsOf(id)) expect(order.indexOf(each)).toBeLessThan(row)
        })
        const running = new Map<number, string>()
        gutterOf(order, needsOf).forEach(({ lanes, begins, through, joins, ends }, row) => {
          expect(lanes).toBeLessThanOrEqual(6)
          // What runs in from above either goes on or ends here.
          expect([...through, ...ends].toSorted()).toEqual([...running.keys()].toSorted())
          for (const lane of joins) expect(needsOf(order[row]!)).toContain(running.get(lane))
          for (const lane of ends) running.delete(lane)
          if (begins === null) return
          expect(running.has(begins)).toBe(false)
          running.set(begins, order[row]!)
        })
        expect(running.size).toBe(0)
      }),
    )
  })

  test('puts steps that wait for each other last, and draws no line upwards', () => {
    const needs: Record<string, string[]> = { a: ['b'], b: ['a'], c: [] }
    expect(orderOf(['a', 'b', 'c'], (id) => needs[id]!)).toEqual(['c', 'a', 'b'])
    expect(gutterOf(['c', 'a', 'b'], (id) => needs[id]!)[0]).toMatchObject({ begins: null })
  })
})
