import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runGardener, undoProposal } from '../../src/gardener/gardener.ts'
import { NOBODY } from '../../src/kernel/kernel.ts'
import { ownerScope } from '../../src/projects/projects.ts'
import type { Agent } from '../helpers/agent.ts'
import { callHook, fixture } from '../helpers/call-hook.ts'
import { openHouse, type House } from '../helpers/house.ts'

const REPO = { repo: 'git@github.com:acme/orders.git', repo_root: '/home/ana/src/orders' }
const START = fixture('claude-code/session-start', REPO)
const WRITE = fixture('claude-code/post-tool-use.write', REPO)
const AGREE = fixture('claude-code/post-tool-use.exit-plan-mode', REPO)
const PRESENT = fixture('claude-code/permission-request', REPO)
const END = fixture('claude-code/session-end')

const PLAN = 'retry-failed-orders'
const PATH = 'notes/orders/cc-plan-quiet-river.md'
const QUIET = 'neither its notes nor its steps were changed for'

describe('the pass stale-plan', () => {
  let house: House
  let agent: Agent
  beforeEach(async () => {
    house = await openHouse()
    agent = await house.connect()
  })
  afterEach(() => house[Symbol.asyncDispose]())

  /** A client's session plans, and ends. */
  const capture = async ({ presented = false } = {}) => {
    await callHook(house, 'session-start', START)
    await callHook(house, 'post-tool-use', WRITE)
    if (presented) await callHook(house, 'permission-request', PRESENT)
    await callHook(house, 'session-end', END)
  }
  const run = async () => {
    const { passes } = await runGardener(house.app.kernel, ownerScope(), { only: 'stale-plan' })
    const [{ pass: _, ms: __, ...report }] = passes as [any]
    return report
  }
  const NONE = { proposed: 0, held_back: 0 }
  const ONE = { proposed: 1, held_back: 0 }
  const proposals = async (): Promise<any[]> =>
    (await agent.call('gardener_proposals', { kind: 'abandon_plan' })).proposals
  const decide = async (action = 'apply'): Promise<any> => {
    const [{ id }] = (await proposals()) as [any]
    return { id, ...(await agent.call('gardener_apply', { id, action })) }
  }
  const note = () =>
    house.app.kernel.db
      .selectFrom('notes')
      .selectAll()
      .where('slug', '=', 'cc-plan-quiet-river')
      .executeTakeFirstOrThrow()
  const bytes = () => readFile(join(house.dir, PATH), 'utf8')
  const rows = async () => {
    const { db } = house.app.database
    return {
      notes: await db.selectFrom('notes').selectAll().orderBy('id').execute(),
      passages: await db
        .selectFrom('passages')
        .select(['kind', 'id', 'chunk', 'hash', 'words'])
        .orderBy('id')
        .execute(),
      files: await db.selectFrom('files').select(['path', 'content_hash']).execute(),
    }
  }

  test('proposes to abandon a captured plan that nobody approved and nobody touched for so many days', async () => {
    await capture()
    const { id, title } = await note()
    await house.moveClock('13 days')
    expect(await run()).toEqual(NONE)
    await house.moveClock('15 days')
    expect(await run()).toEqual(ONE)
    const [{ payload }] = (await proposals()) as [any]
    expect(payload).toEqual({
      key: `abandon_plan:${id}`,
      id,
      slug: PLAN,
      note_slug: 'cc-plan-quiet-river',
      title,
      project: 'orders',
      plan_status: 'draft',
      reason: `it is draft, and ${QUIET} 15 days`,
      last_activity: (await note()).updated_at.toISOString(),
    })
    expect(await run()).toEqual(NONE)
    expect(await proposals()).toHaveLength(1)
  })

  test('leaves a plan that was approved, and a page of the web that is tagged like one', async () => {
    await capture({ presented: true })
    await house.moveClock('1 day')
    await callHook(house, 'post-tool-use', AGREE)
    await callHook(house, 'session-end', END)
    await house.moveClock('40 days')
    expect(await run()).toEqual(NONE)

    const tagged = (await bytes())
      .replace('plan-status:approved', 'plan-status:draft')
      .replace(/^description:/m, 'source_url: https://a.example/\ndescription:')
    await writeFile(join(house.dir, PATH), tagged)
    const { reconcile } = await import('../../src/vault/reconcile.ts')
    await reconcile(house.app.kernel as never)
    expect(await note()).toMatchObject({ source_url: 'https://a.example/' })
    expect(await run()).toEqual(NONE)
  })

  test('keeps a slow plan: its steps are claimed or changed, or a note joins it', async () => {
    await capture({ presented: true })
    await agent.call('session_start', { name: 'harbor', project: 'orders' })
    await agent.call('session_end', { findings: 'a place to stand' })
    await house.moveClock('10 days')
    const step = await agent.call('tasks_add', {
      title: 'Queue them',
      plan: PLAN,
      project: 'orders',
    })
    await house.moveClock('20 days')
    expect(await run()).toEqual(NONE)

    const worker = await house.connect('bob')
    await worker.call('session_start', { name: 'bay', project: 'orders' })
    await worker.call('tasks_claim', { id: step['id'] })
    await worker.call('tasks_release', { id: step['id'] })
    await worker.call('session_end', { findings: 'not now' })
    await house.moveClock('33 days')
    expect(await run()).toEqual(NONE)

    await agent.call('notes_create', {
      ...{ title: 'On queues', body: 'They fill.', plan: PLAN, project: 'orders' },
    })
    await house.moveClock('46 days')
    expect(await run()).toEqual(NONE)
    await house.moveClock('48 days')
    expect(await run()).toEqual(ONE)
    const [{ payload }] = (await proposals()) as [any]
    expect(payload).toMatchObject({
      plan_status: 'presented',
      reason: `it is presented, and ${QUIET} 15 days; 0 of 1 steps done`,
    })
  })

  test('keeps a plan while a session that took part in it is at work, and one whose work is done', async () => {
    await capture()
    const worker = await house.connect('bob')
    await worker.call('session_start', { name: 'bay', project: 'orders' })
    const { id } = await worker.call('tasks_add', { title: 'Queue them', plan: PLAN })
    await house.moveClock('20 days')
    await worker.call('session_start', { name: 'bay', project: 'orders' })
    expect(await run()).toEqual(NONE)
    await worker.call('session_end', { findings: 'later' })
    expect(await run()).toEqual(ONE)
    await decide('dismiss')

    await agent.call('session_start', { name: 'cape', project: 'orders' })
    await agent.call('tasks_update', { id, status: 'done' })
    await agent.call('session_end', { findings: 'done' })
    await house.moveClock('40 days')
    expect(await run()).toEqual(NONE)
  })

  test('proposes a dismissed one again after it moved and went quiet again, and a hidden one never', async () => {
    await capture()
    await house.moveClock('15 days')
    await run()
    await decide('dismiss')
    await house.moveClock('60 days')
    expect(await run()).toEqual(NONE)
    await callHook(house, 'session-start', START)
    await callHook(house, 'permission-request', PRESENT)
    await callHook(house, 'session-end', END)
    await house.moveClock('70 days')
    expect(await run()).toEqual(NONE)
    await house.moveClock('75 days')
    expect(await run()).toEqual(ONE)
    await decide('hide')
    await callHook(house, 'session-start', START)
    await callHook(house, 'post-tool-use', WRITE)
    await callHook(house, 'session-end', END)
    await house.moveClock('120 days')
    expect(await run()).toEqual(NONE)
  })

  test('is off at 0 days', async () => {
    await using quiet = await openHouse({ env: { LOAM_GARDENER_STALE_PLAN_DAYS: '0' } })
    await callHook(quiet, 'session-start', START)
    await callHook(quiet, 'post-tool-use', WRITE)
    await callHook(quiet, 'session-end', END)
    await quiet.moveClock('100 days')
    const { passes } = await runGardener(quiet.app.kernel, ownerScope())
    expect(passes.map(({ pass }) => pass)).not.toContain('stale-plan')
    expect(passes.map(({ pass }) => pass)).toContain('digest')
  })

  describe('once applied', () => {
    beforeEach(async () => {
      await capture({ presented: true })
      await house.moveClock('15 days')
      await run()
    })

    test('the plan is marked as abandoned, and taken back byte for byte', async () => {
      const [before, rowsBefore] = [await bytes(), await rows()]
      const { id, ...told } = await decide()
      expect(told).toEqual({
        status: 'applied',
        kind: 'abandon_plan',
        abandoned: 'cc-plan-quiet-river',
        plan: PLAN,
        project: 'orders',
      })
      const { tags, description, updated_at, body } = await note()
      expect(tags).toEqual([`plan:${PLAN}`, 'cc-plan', 'created-by:agent', 'plan-status:abandoned'])
      expect(description).toBe('Plan quiet-river.md, iteration 1, abandoned')
      expect(updated_at.getTime()).toBeGreaterThan(Date.now() + 14 * 86_400_000)
      expect(before.endsWith(body)).toBe(true)
      expect((await house.events('note.written')).at(-1)).toMatchObject({
        payload: { title: 'Retry failed orders', updated: true },
      })
      expect((await house.events('gardener.action')).at(-1)).toMatchObject({
        item_id: id,
        payload: { action: 'apply', kind: 'abandon_plan' },
      })
      await house.moveClock('60 days')
      expect(await run()).toEqual(NONE)

      const noted = await house.events('note.written')
      await undoProposal(house.app.kernel, NOBODY, id)
      expect((await house.events('note.written')).slice(noted.length)).toMatchObject([
        {
          item_id: (await note()).id,
          payload: { title: 'Retry failed orders', updated: true },
        },
      ])
      expect(await bytes()).toBe(before)
      expect(await rows()).toEqual(rowsBefore)
      await decide()
      expect((await note()).tags).toContain('plan-status:abandoned')
    })

    test('its session plans again once it is taken back', async () => {
      const resumed = async () =>
        (await callHook(house, 'session-start', { ...START, source: 'resume' })).context
      const { id } = await decide()
      expect(await resumed()).toContain(`plan ${PLAN} (abandoned)`)
      await undoProposal(house.app.kernel, NOBODY, id)
      expect(await resumed()).toContain(`plan ${PLAN} (presented)`)
    })

    test('a description that somebody wrote stays, and so does a tag of theirs', async () => {
      await agent.call('notes_update', {
        ...{ id: (await note()).id, description: 'How orders are tried again', tags_add: ['mine'] },
      })
      await decide()
      expect(await note()).toMatchObject({
        description: 'How orders are tried again',
        tags: expect.arrayContaining(['mine', 'plan-status:abandoned']),
      })
    })

    test('a plan that was approved meanwhile stays approved, and the proposal pending', async () => {
      await callHook(house, 'post-tool-use', AGREE)
      const before = await bytes()
      await expect(decide()).rejects.toThrow(
        'plan "Retry failed orders" is approved by now; only a draft or a presented plan',
      )
      expect(await bytes()).toBe(before)
      expect(await proposals()).toHaveLength(1)
    })

    test('a second apply after a lost decision changes nothing', async () => {
      const { id } = await decide()
      const after = await bytes()
      const { db } = house.app.database
      await db.deleteFrom('proposal_files').execute()
      await db
        .updateTable('proposals')
        .set({ status: 'pending', resolved_at: null, result: null })
        .where('id', '=', id)
        .execute()
      expect(await decide()).toMatchObject({ status: 'applied', noop: true })
      expect(await bytes()).toBe(after)
    })

    test('it is not taken back over a later change', async () => {
      const { id } = await decide()
      await callHook(house, 'post-tool-use', WRITE)
      const before = await bytes()
      expect(before).toContain('plan-status:draft')
      await expect(undoProposal(house.app.kernel, NOBODY, id)).rejects.toThrow('was changed after')
      expect(await bytes()).toBe(before)
    })

    test('a plan whose note is gone is refused', async () => {
      const { id } = await note()
      const [{ id: proposal }] = (await proposals()) as [any]
      await agent.call('session_start', { name: 'cape', project: 'orders' })
      await agent.call('notes_delete', { id })
      await expect(agent.call('gardener_apply', { id: proposal })).rejects.toThrow(
        `no proposal with id "${proposal}"`,
      )
      expect(await house.files()).not.toContain(PATH)
    })
  })
})
