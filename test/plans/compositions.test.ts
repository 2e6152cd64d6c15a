import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import {
  approveComposition,
  approvePlan,
  capturePlan,
  captureSubagent,
  getPlan,
  listPlans,
  type CaptureFrom,
} from '../../src/plans/plans.ts'
import { ownerScope, scopeAt } from '../../src/projects/projects.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { addStep, moveStep } from '../helpers/plans.ts'

const TEXT = '# Rebuild the importer\n\n1. Read.\n2. Write.\n'

async function planner(house: House, project = 'atlas'): Promise<CaptureFrom> {
  await house.inside(project)
  const session = await house.session(project, { ambient: true })
  const scope = await scopeAt(house.app.kernel.db, project)
  return { by: { session, model: '' }, name: 'cc/1', target: { project, scope }, git_head: '' }
}

const writeTokens = (house: House, session: string, tokens: number) =>
  sql`update sessions set input_tokens = ${tokens}, cached_tokens = 1, cache_creation_tokens = 2,
    output_tokens = 3 where id = ${session}`.execute(house.app.kernel.db)

/** The plans by where they are, in their order. */
const names = async (house: House, filter = {}) =>
  (await listPlans(house.app.kernel, ownerScope(), filter)).plans.map(
    ({ project, plan }) => `${project}/${plan}`,
  )

describe('a plan', () => {
  test('is the notes and the tasks that share a slug in a project', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    const note = await agent.call('notes_create', { title: 'The way', body: 'B', plan: 'launch' })
    await agent.call('notes_create', { title: 'Later', body: 'B', tags: 'plan:launch' })
    await agent.call('notes_create', { title: 'Foreign', body: 'B', plan: 'other' })
    const [one, two] = [await addStep(house, 'launch'), await addStep(house, 'launch')]
    await moveStep(house, one, 'done')

    const { plans, total } = await listPlans(house.app.kernel, ownerScope(), { project: 'atlas' })
    expect(total).toBe(2)
    expect(plans[0]).toMatchObject({
      project: 'atlas',
      plan: 'launch',
      title: 'The way',
      source: 'composed',
      status: null,
      phase: 'ready',
      note: { id: note.id, slug: 'the-way', favorite: false },
      basename: null,
      iteration: null,
      runs: 0,
      steps: { total: 2, done: 1, in_flight: 0, open: 1, claimable: 1 },
    })
    const whole = await getPlan(house.app.kernel, ownerScope(), 'launch')
    expect(whole.body).toBe('B')
    expect(whole.attached.map(({ slug }) => slug)).toEqual(['later'])
    expect(whole.list.map(({ id, status }) => [id, status])).toEqual([
      [one, 'done'],
      [two, 'open'],
    ])
  })

  test('of tasks alone has no note, and is called by its slug', async () => {
    await using house = await openHouse()
    await addStep(house, 'launch', { project: '' })
    expect(await getPlan(house.app.kernel, ownerScope(), 'launch', '')).toMatchObject({
      project: '',
      title: 'launch',
      note: null,
      body: '',
      attached: [],
    })
  })

  test('has its earliest note for its own, unless a planning run came first', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    const add = (title: string, tags: string) =>
      agent.call('notes_create', { title, body: 'B', plan: 'launch', tags })
    await add('Run', 'agent-cache')
    const first = await add('First', '')
    await add('Second', '')
    const plan = await getPlan(house.app.kernel, ownerScope(), 'launch')
    expect(plan).toMatchObject({ note: { id: first.id }, runs: 1 })
    expect(plan.attached.map(({ slug, run }) => [slug, run])).toEqual([
      ['run', true],
      ['second', false],
    ])
  })

  test('that was captured owns its slug, however late its note', async () => {
    await using house = await openHouse()
    const from = await planner(house)
    const { kernel } = house.app
    const agent = await house.inside('atlas')
    await agent.call('notes_create', { title: 'Early', body: 'B', plan: 'rebuild-the-importer' })
    await capturePlan(kernel, from, { basename: 'quiet-river', text: TEXT })
    await capturePlan(kernel, from, { basename: 'quiet-river', text: `${TEXT}3. Rest.\n` })
    await captureSubagent(kernel, from, {
      agent_id: 'a1',
      agent_type: 'Explore',
      prompt: 'Look',
      report: 'Seen',
    })
    expect(await getPlan(kernel, ownerScope(), 'rebuild-the-importer')).toMatchObject({
      title: 'Rebuild the importer',
      source: 'capture',
      status: 'draft',
      note: { slug: 'cc-plan-quiet-river' },
      basename: 'quiet-river',
      iteration: 2,
      runs: 1,
      body: `${TEXT}3. Rest.\n`,
    })
  })

  test('is no capture because a page of the web, or an agent, says so', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    const note = { body: 'B', plan: 'launch', tags: 'cc-plan' }
    await agent.call('notes_create', { ...note, title: 'Mine' })
    await agent.call('notes_create', {
      ...note,
      title: 'cc plan x',
      source_url: 'https://e.example',
    })
    expect(await getPlan(house.app.kernel, ownerScope(), 'launch')).toMatchObject({
      source: 'composed',
      status: null,
    })
  })

  test('of one slug in two projects is two plans, and must be said which', async () => {
    await using house = await openHouse()
    const { kernel } = house.app
    await addStep(house, 'launch', { title: 'Here' })
    await addStep(house, 'launch', { project: '', title: 'Everywhere' })
    expect(await names(house)).toEqual(['/launch', 'atlas/launch'])
    expect((await getPlan(kernel, ownerScope(), 'launch', 'atlas')).list).toMatchObject([
      { title: 'Here' },
    ])
    await expect(getPlan(kernel, ownerScope(), 'launch')).rejects.toThrow(
      'several projects have a plan "launch"; name one: atlas, global',
    )
    await expect(getPlan(kernel, ownerScope(), 'launch', 'reef')).rejects.toThrow(
      'no plan "launch" in reef',
    )
    await expect(getPlan(kernel, ownerScope(), 'lunch')).rejects.toThrow('no plan "lunch"')
  })

  test('stands in a phase, by its steps and by what became of it', async () => {
    await using house = await openHouse()
    const { kernel } = house.app
    const phase = async () => (await getPlan(kernel, ownerScope(), 'p')).phase
    const [one, two] = [await addStep(house, 'p'), await addStep(house, 'p')]
    expect(await phase()).toBe('ready')
    await moveStep(house, one, 'in_progress')
    expect(await phase()).toBe('in_progress')
    await moveStep(house, one, 'dropped')
    expect(await phase()).toBe('ready')
    await moveStep(house, two, 'done')
    expect(await phase()).toBe('done')

    const from = await planner(house)
    await capturePlan(kernel, from, { basename: 'b', text: '# Q\n' })
    expect((await getPlan(kernel, ownerScope(), 'q')).phase).toBe('ready')
    await kernel.db
      .updateTable('notes')
      .set({ tags: sql`array_replace(tags, 'plan-status:draft', 'plan-status:abandoned')` })
      .execute()
    expect(await getPlan(kernel, ownerScope(), 'q')).toMatchObject({
      status: 'abandoned',
      phase: 'done',
    })
  })

  test('shows of each step who works on it, for how long, and what it waits for', async () => {
    await using house = await openHouse()
    const { db } = house.app.kernel
    const session = await house.session('atlas')
    const { name } = await db
      .selectFrom('sessions')
      .select('name')
      .where('id', '=', session)
      .executeTakeFirstOrThrow()
    const [one, two] = [await addStep(house, 'p'), await addStep(house, 'p')]
    await db.insertInto('task_deps').values({ task_id: two, depends_on: one }).execute()
    await sql`update tasks set status = 'in_progress', claimed_by = ${session},
      lease_expires_at = loam_now() + interval '10 minutes' where id = ${one}`.execute(db)
    const { list, steps } = await getPlan(house.app.kernel, ownerScope(), 'p')
    expect(steps).toMatchObject({ in_flight: 1, open: 1, claimable: 0 })
    expect(list).toMatchObject([
      { id: one, status: 'in_progress', holder: name, waits_for: [] },
      { id: two, status: 'open', holder: null, lease: null, waits_for: [one] },
    ])
    expect(list[0]!.lease).toBeGreaterThan(500)
    await moveStep(house, one, 'done')
    expect((await getPlan(house.app.kernel, ownerScope(), 'p')).steps).toMatchObject({
      claimable: 1,
    })
  })

  test('is listed with what moved last before it, within the time that is asked for', async () => {
    await using house = await openHouse()
    await addStep(house, 'old')
    await house.moveClock('3 days')
    await addStep(house, 'young')
    expect(await names(house)).toEqual(['atlas/young', 'atlas/old'])
    expect(await names(house, { since: '24 hours' })).toEqual(['atlas/young'])
    const agent = await house.inside('atlas')
    await agent.call('notes_create', { title: 'N', body: 'B', plan: 'old' })
    expect(await names(house, { since: '24 hours' })).toEqual(['atlas/old', 'atlas/young'])
  })
})

describe('the tokens of a plan', () => {
  test('are those of every session that had a part in it, whole and once', async () => {
    await using house = await openHouse()
    const { kernel } = house.app
    const from = await planner(house)
    const captain = from.by.session
    const [mover, idler, both] = [
      await house.session('atlas'),
      await house.session('atlas'),
      await house.session('atlas'),
    ]
    await writeTokens(house, captain, 100)
    await writeTokens(house, mover, 1_000)
    await writeTokens(house, both, 10_000)
    await capturePlan(kernel, from, { basename: 'b', text: '# P\n' })
    await capturePlan(kernel, from, { basename: 'b', text: '# P again\n' })
    const step = await addStep(house, 'p', { session: mover })
    await moveStep(house, step, 'in_progress', mover)
    await moveStep(house, step, 'open', both)
    await moveStep(house, step, 'in_progress', idler)
    await moveStep(house, await addStep(house, 'q'), 'done', both)
    await addStep(house, '', { session: idler })

    expect((await getPlan(kernel, ownerScope(), 'p')).tokens).toEqual({
      total: 11_100 + 3 * 6,
      sessions: 4,
      unreported: 1,
      shared: 1,
    })
    expect((await getPlan(kernel, ownerScope(), 'q')).tokens).toEqual({
      total: 10_006,
      sessions: 1,
      unreported: 0,
      shared: 1,
    })
  })

  test('count who approved it, and nobody when no session did', async () => {
    await using house = await openHouse()
    const { kernel } = house.app
    const from = await planner(house)
    const nobody = { ...from, by: { session: '', model: '' } }
    await capturePlan(kernel, nobody, { basename: 'b', text: '# P\n' })
    expect((await getPlan(kernel, ownerScope(), 'p')).tokens.sessions).toBe(0)
    await approvePlan(kernel, from, { basename: 'b' })
    expect((await getPlan(kernel, ownerScope(), 'p')).tokens.sessions).toBe(1)
  })
})

describe('the owner approves', () => {
  test('a captured plan, once, as its hook would have told', async () => {
    await using house = await openHouse()
    const { kernel } = house.app
    await capturePlan(kernel, await planner(house), { basename: 'b', text: '# P\n' })

    const approved = await approveComposition(kernel, ownerScope(), 'p', undefined, 'console')
    expect(approved).toMatchObject({ status: 'approved', before: 'draft', project: 'atlas' })
    expect((await getPlan(kernel, ownerScope(), 'p')).list).toMatchObject([
      { id: approved.task, title: 'Implement plan: P', status: 'open' },
    ])
    expect(await approveComposition(kernel, ownerScope(), 'p', 'atlas', 'console')).toMatchObject({
      before: 'approved',
      task: null,
    })
    const events = await house.events('plan.approved')
    expect(events.map(({ payload }) => payload)).toMatchObject([{ by: 'console', plan_slug: 'p' }])
    expect(await house.app.kernel.db.selectFrom('tasks').select('created_by').execute()).toEqual([
      { created_by: 'console' },
    ])
  })

  test('nothing that is composed, nor what is not there', async () => {
    await using house = await openHouse()
    const { kernel } = house.app
    await addStep(house, 'p')
    await expect(
      approveComposition(kernel, ownerScope(), 'p', undefined, 'console'),
    ).rejects.toThrow('plan "p" is composed of notes and tasks; only a captured plan is approved')
    await expect(
      approveComposition(kernel, ownerScope(), 'x', undefined, 'console'),
    ).rejects.toThrow('no plan "x"')
  })
})
