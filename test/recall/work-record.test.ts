import { describe, expect, test } from 'vitest'
import { NOBODY } from '../../src/kernel/kernel.ts'
import { scopeAt } from '../../src/projects/projects.ts'
import { addTask } from '../../src/tasks/tasks.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { research, tried } from '../helpers/research.ts'

async function work(house: House) {
  await research(house)
  const agent = await house.connect()
  const { name, session_id } = await agent.call('session_start', { project: 'harbor' })
  const scope = await scopeAt(house.app.kernel.db, 'harbor')
  const task = await addTask(
    house.app.kernel,
    NOBODY,
    { project: 'harbor', scope },
    { title: 'Replace the winch cable', body: 'It frays at the drum.', plan: 'refit' },
  )
  const trial = await tried(agent, 'Greased winch', {
    changes: 'lithium grease on the drum',
    actual: 'the noise went away',
    outcome: 'pass',
  })
  await agent.call('session_update', { findings: 'The winch drum is bent by two millimetres.' })
  return { agent, name, session_id, task, trial }
}

describe('recall over the work record', () => {
  test('finds tasks, trials and findings by their words, each with what it is called and how it stands', async () => {
    await using house = await openHouse()
    const { agent, name, session_id, task, trial } = await work(house)
    const { hits } = await agent.call('recall', { query: 'winch drum' })
    const shown = Object.fromEntries(
      (hits as { kind: string }[]).map(({ kind, ...hit }) => [kind, hit]),
    )
    expect(shown).toMatchObject({
      task: {
        id: task.id,
        name: 'refit',
        title: 'Replace the winch cable',
        description: 'It frays at the drum.',
        project: 'harbor',
        status: 'open',
      },
      trial: {
        id: trial['id'],
        name: 'tide-cache',
        title: 'Greased winch',
        description: 'the noise went away',
        project: 'harbor',
        status: 'pass',
        age: 'just now',
      },
      session: {
        id: session_id,
        name,
        title: name,
        description: 'The winch drum is bent by two millimetres.',
        status: 'active',
      },
    })
    expect(hits).toHaveLength(3)
  })

  test.each([
    ['tasks', 'refit', 'task'],
    ['trials', 'tide-cache', 'trial'],
    ['trials', 'pass', 'trial'],
    ['trials', 'lithium', 'trial'],
    ['sessions', 'millimetres', 'session'],
  ])('looks through %s alone when asked, and finds %s', async (scope, query, kind) => {
    await using house = await openHouse()
    const { agent } = await work(house)
    const { hits } = await agent.call('recall', { query, scope })
    expect(hits).toMatchObject([{ kind }])
    for (const other of ['memories', 'notes']) {
      expect((await agent.call('recall', { query, scope: other }))['hits']).toEqual([])
    }
  })

  test('finds a closed task still, and tells that it is closed', async () => {
    await using house = await openHouse()
    const { agent, task } = await work(house)
    await house.app.kernel.db
      .updateTable('tasks')
      .set({ status: 'done' })
      .where('id', '=', task.id)
      .execute()
    const { hits } = await agent.call('recall', { query: 'cable' })
    expect(hits).toMatchObject([{ kind: 'task', status: 'done' }])
  })

  test('lifts a starred trial, and stars no session in its hits', async () => {
    await using house = await openHouse()
    const { agent, session_id } = await work(house)
    const plain = await tried(agent, 'Cable A', { actual: 'snapped' })
    const starred = await tried(agent, 'Cable B', { actual: 'snapped' })
    await agent.call('favorite_set', { kind: 'trial', id: starred['id'], favorite: true })
    await agent.call('favorite_set', { kind: 'session', id: session_id, favorite: true })
    const { hits } = await agent.call('recall', { query: 'snapped' })
    expect(hits).toMatchObject([{ id: starred['id'], favorite: true }, { id: plain['id'] }])
    const found = await agent.call('recall', { query: 'bent', scope: 'sessions' })
    expect(found['hits'][0]['favorite']).toBeUndefined()
  })

  test('knows which trials there were at an earlier time', async () => {
    await using house = await openHouse()
    const { agent } = await work(house)
    const { rows } = {
      rows: await house.app.kernel.db.selectFrom('trials').select('created_at').execute(),
    }
    const made = rows[0]!.created_at
    const hits = async (ms: number) =>
      (
        await agent.call('recall', {
          query: 'lithium',
          as_of: new Date(made.getTime() + ms).toISOString(),
        })
      )['hits']
    expect(await hits(-1)).toEqual([])
    expect(await hits(1)).toMatchObject([{ kind: 'trial' }])
  })

  test('counts a hit of a trial as demand of it', async () => {
    await using house = await openHouse()
    const { agent, trial } = await work(house)
    await agent.call('recall', { query: 'lithium' })
    await house.app.kernel.telemetry.flush()
    const row = await house.app.kernel.db
      .selectFrom('item_stats')
      .select(['kind', 'recall_raw'])
      .where('id', '=', trial['id'])
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({ kind: 'trial', recall_raw: 1.5 })
  })
})
