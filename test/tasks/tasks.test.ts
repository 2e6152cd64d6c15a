import { describe, expect, test } from 'vitest'
import { NOBODY } from '../../src/kernel/kernel.ts'
import { inTransaction } from '../../src/postgres/transaction.ts'
import { GLOBAL, scopeAt, scopesFor } from '../../src/projects/projects.ts'
import { addTask, hasUnfinishedStep, releaseClaims } from '../../src/tasks/tasks.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { NOBODY_KNOWN } from '../helpers/callers.ts'

const targetIn = async ({ app: { kernel } }: House, project: string) => {
  const scopes = scopesFor(kernel, NOBODY_KNOWN)
  return { project: await scopes.write(project || 'global'), scope: scopes.reach }
}

const add = async (house: House, project: string, draft: { title: string; plan?: string }) =>
  addTask(house.app.kernel, NOBODY, await targetIn(house, project), draft)

const row = ({ app }: House, id: string) =>
  app.kernel.db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

async function hold(house: House, id: string, session: string): Promise<void> {
  await house.app.kernel.db
    .updateTable('tasks')
    .set({ status: 'in_progress', claimed_by: session, claim_token: 'T' })
    .where('id', '=', id)
    .execute()
}

describe('a task', () => {
  test('begins open, is found by recall and tells of its beginning', async () => {
    await using house = await openHouse()
    const task = await add(house, 'atlas', { title: 'Sharpen the pruning saw', plan: 'orchard' })

    expect(task).toMatchObject({ status: 'open', project: 'atlas' })
    expect(await row(house, task.id)).toMatchObject({ plan: 'orchard', claimed_by: '' })
    const agent = await house.inside('atlas')
    const { hits } = await agent.call('recall', { query: 'pruning saw' })
    expect(hits).toMatchObject([{ kind: 'task', id: task.id, title: 'Sharpen the pruning saw' }])
    expect(await house.events('task.transition')).toMatchObject([
      {
        item_id: task.id,
        project: 'atlas',
        payload: { to: 'open', created: true, plan_slug: 'orchard' },
      },
    ])
  })

  test('of a fenced project is not found from elsewhere', async () => {
    await using house = await openHouse()
    const inside = await house.inside('crypt', 'sealed')
    const { kernel } = house.app
    const scope = await scopeAt(kernel.db, 'crypt')
    await addTask(kernel, NOBODY, { project: 'crypt', scope }, { title: 'Oil the hinges' })

    expect((await inside.call('recall', { query: 'hinges' })).hits).toHaveLength(1)
    const agent = await house.inside('atlas')
    expect((await agent.call('recall', { query: 'hinges' })).hits).toEqual([])
  })

  test('is refused without a title, and into a project that the caller may not write', async () => {
    await using house = await openHouse()
    await house.inside('crypt', 'sealed')
    await expect(add(house, 'atlas', { title: '  ' })).rejects.toThrow('title must not be blank')
    const { kernel } = house.app
    const { reach } = scopesFor(kernel, NOBODY_KNOWN)
    expect(reach.caller).toEqual(GLOBAL)
    await expect(
      addTask(kernel, NOBODY, { project: 'crypt', scope: reach }, { title: 'A' }),
    ).rejects.toThrow('project crypt is sealed')
    expect(await house.events('task.transition')).toEqual([])
  })
})

describe('a session that ends', () => {
  test('gives back what it holds and nothing else, each with a transition of its own', async () => {
    await using house = await openHouse()
    const { kernel } = house.app
    const [mine, also, theirs, done] = await Promise.all(
      ['mine', 'also mine', 'theirs', 'done'].map((title) => add(house, 'atlas', { title })),
    )
    await hold(house, mine!.id, 'me')
    await hold(house, also!.id, 'me')
    await hold(house, theirs!.id, 'you')
    await hold(house, done!.id, 'me')
    await kernel.db
      .updateTable('tasks')
      .set({ status: 'done' })
      .where('id', '=', done!.id)
      .execute()

    expect(await inTransaction(kernel, (kernel) => releaseClaims(kernel, 'me'))).toBe(2)
    expect(await inTransaction(kernel, (kernel) => releaseClaims(kernel, 'me'))).toBe(0)

    const free = { status: 'open', claimed_by: '', claim_token: '', lease_expires_at: null }
    expect(await row(house, mine!.id)).toMatchObject(free)
    expect(await row(house, also!.id)).toMatchObject(free)
    expect(await row(house, theirs!.id)).toMatchObject({ status: 'in_progress' })
    expect(await row(house, done!.id)).toMatchObject({ status: 'done' })
    const released = (await house.events('task.transition')).filter(
      ({ payload }) => payload['released'],
    )
    expect(released.map(({ item_id }) => item_id).sort()).toEqual([mine!.id, also!.id].sort())
    expect(released[0]).toMatchObject({ session_id: 'me', payload: { to: 'open' } })
  })
})

describe('a plan', () => {
  test('has an unfinished step while one is open or in progress, in its own project only', async () => {
    await using house = await openHouse()
    const { db } = house.app.kernel
    const { id } = await add(house, 'atlas', { title: 'A step', plan: 'launch' })
    expect(await hasUnfinishedStep(db, 'atlas', 'launch')).toBe(true)
    expect(await hasUnfinishedStep(db, 'ledger', 'launch')).toBe(false)
    await hold(house, id, 'me')
    expect(await hasUnfinishedStep(db, 'atlas', 'launch')).toBe(true)
    await db.updateTable('tasks').set({ status: 'dropped' }).where('id', '=', id).execute()
    expect(await hasUnfinishedStep(db, 'atlas', 'launch')).toBe(false)
  })
})

test('session_end tells how many tasks are free again, and so does its event', async () => {
  await using house = await openHouse()
  const agent = await house.connect()
  const started = await agent.call('session_start', { project: 'atlas' })
  const { id } = await add(house, 'atlas', { title: 'Held to the end' })
  await hold(house, id, started['session_id'] as string)

  const ended = await agent.call('session_end', { findings: 'Done what I could.' })
  expect(ended).toMatchObject({ claims_released: 1 })
  expect(await row(house, id)).toMatchObject({ status: 'open', claimed_by: '' })
  expect(await house.events('session.ended')).toMatchObject([{ payload: { claims_released: 1 } }])
})
