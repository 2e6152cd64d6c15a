import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newId } from '../../src/kernel/id.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { moments, switchOff, switchOn } from '../helpers/moments.ts'
import { addStep, moveStep } from '../helpers/plans.ts'

const claims = async (house: House): Promise<unknown[]> =>
  (await moments(house, 'milestone.reached')).map(({ payload }) => payload['claim'])

const fact = (name: string) => ({ name, kind: 'gotcha', description: 'D', body: 'B' })

/** The log of earlier days, as it would stand there. */
async function happened(
  { app: { database } }: House,
  kind: string,
  count: number,
  { project = 'atlas', payload = {} }: { project?: string; payload?: object } = {},
): Promise<void> {
  const rows = Array.from({ length: count }, () => ({
    id: newId(new Date()),
    item: newId(new Date()),
  }))
  await sql`
    insert into events (id, ts, kind, transport, project, item_id, payload)
    select id, loam_now() - interval '1 hour', ${kind}, false, ${project}, item, ${JSON.stringify(payload)}::jsonb
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (id text, item text)`.execute(
    database.db,
  )
}

describe('the first reuse of a memory', () => {
  test('is when another session reads it than the one that wrote it, once ever', async () => {
    await using house = await openHouse()
    await switchOn(house, 'momentum')
    const [alice, bob, carol] = [
      await house.inside('atlas'),
      await house.inside('atlas'),
      await house.inside('atlas'),
    ]
    const { id } = await alice.call('memory_write', fact('ebb'))
    await alice.call('memory_read', { name: 'ebb' })
    expect(await moments(house, 'memory.first_reuse')).toEqual([])
    await bob.call('memory_read', { id })
    const [event, ...others] = await moments(house, 'memory.first_reuse')
    const [written] = await house.events('memory.written')
    const reads = await house.events('memory.read')
    expect(others).toEqual([])
    expect(event).toMatchObject({
      ...{ item_id: id, project: 'atlas', session_id: reads.at(-1)!.session_id },
      payload: {
        ...{ name: 'ebb', kind: 'gotcha' },
        ...{ writer: written!.session_id, reader: reads.at(-1)!.session_id },
      },
    })
    await carol.call('memory_read', { id })
    expect(await moments(house, 'memory.first_reuse')).toHaveLength(1)
  })

  test('is not when nobody knows who wrote it or who reads it', async () => {
    await using house = await openHouse()
    await switchOn(house, 'momentum')
    const [alice, nobody] = [await house.inside('atlas'), await house.connect()]
    await nobody.call('memory_write', { ...fact('of-nobody'), project: 'atlas' })
    await alice.call('memory_write', fact('of-alice'))
    await alice.call('memory_read', { name: 'of-nobody' })
    await nobody.call('memory_read', { name: 'of-alice', project: 'atlas' })
    expect(await house.events('memory.read')).toHaveLength(2)
    expect(await moments(house, 'memory.first_reuse')).toEqual([])
  })

  test('knows a writer by the name that another store gave it', async () => {
    await using house = await openHouse()
    await switchOn(house, 'momentum')
    const [alice, bob] = [await house.inside('atlas'), await house.inside('atlas')]
    const { id } = await alice.call('memory_write', fact('ebb'))
    const { db } = house.app.database
    await sql`update memories set source_session = 'far away'`.execute(db)
    await sql`update sessions set name = 'far away' where id = (
      select session_id from events_acts where kind = 'memory.written')`.execute(db)
    await alice.call('memory_read', { id })
    expect(await moments(house, 'memory.first_reuse')).toEqual([])
    await bob.call('memory_read', { id })
    expect(await moments(house, 'memory.first_reuse')).toMatchObject([
      { payload: { writer: 'far away' } },
    ])
  })

  test('is not what comes after one that nobody was there to see', async () => {
    await using house = await openHouse()
    const [alice, bob] = [await house.inside('atlas'), await house.inside('atlas')]
    const { id } = await alice.call('memory_write', fact('ebb'))
    await bob.call('memory_read', { id })
    await switchOn(house, 'momentum')
    await bob.call('memory_read', { id })
    expect(await moments(house, 'memory.first_reuse')).toEqual([])
  })

  test('that cannot be recorded costs no read', async () => {
    await using house = await openHouse()
    await switchOn(house, 'momentum')
    const [alice, bob] = [await house.inside('atlas'), await house.inside('atlas')]
    const { id } = await alice.call('memory_write', fact('ebb'))
    const { db } = house.app.database
    await sql`alter table moments add constraint never check (false)`.execute(db)
    try {
      expect(await bob.call('memory_read', { id })).toMatchObject({ name: 'ebb', body: 'B' })
      expect(await moments(house, 'memory.first_reuse')).toEqual([])
    } finally {
      await sql`alter table moments drop constraint never`.execute(db)
    }
    // Nothing is lost: it is recorded once that can be.
    expect(await moments(house, 'memory.first_reuse')).toHaveLength(1)
  })
})

describe('milestones', () => {
  test.each([
    [99, 'the 100th memory of atlas', 100],
    [499, 'the 500th memory of atlas', 500],
    [999, 'the 1,000th memory of atlas', 1_000],
  ])('are what comes after %i memories', async (before, claim, threshold) => {
    await using house = await openHouse()
    await happened(house, 'memory.written', before - 1, { payload: { updated: false } })
    await switchOn(house, 'momentum')
    const alice = await house.inside('atlas')
    await alice.call('memory_write', fact('almost'))
    // Neither a change nor a memory of elsewhere counts.
    await alice.call('memory_append', { name: 'almost', body: 'more' })
    await alice.call('memory_write', { ...fact('elsewhere'), project: 'reef' })
    expect(await claims(house)).toEqual([])
    await alice.call('memory_write', fact('there'))
    await alice.call('memory_write', fact('beyond'))
    const [event, ...others] = await moments(house, 'milestone.reached')
    const written = await house.events('memory.written')
    expect(others).toEqual([])
    expect(event).toMatchObject({
      ...{ project: 'atlas', item_id: `memories-${threshold}:atlas` },
      session_id: written.at(-1)!.session_id,
      payload: { claim, project: 'atlas', count: threshold, threshold },
    })
  })

  test('are counted anew when momentum comes back', async () => {
    await using house = await openHouse()
    await happened(house, 'memory.written', 97)
    const alice = await house.inside('atlas')
    await switchOn(house, 'momentum')
    await alice.call('memory_write', fact('a'))
    expect(await claims(house)).toEqual([])
    await switchOff(house, 'momentum')
    await alice.call('memory_write', fact('b'))
    await switchOn(house, 'momentum')
    expect(await claims(house)).toEqual([])
    await alice.call('memory_write', fact('c'))
    expect(await claims(house)).toEqual(['the 100th memory of atlas'])
  })

  test('count distinct memories, deleted ones included', async () => {
    await using house = await openHouse()
    await happened(house, 'memory.written', 97)
    await switchOn(house, 'momentum')
    const alice = await house.inside('atlas')
    for (const name of ['a', 'b']) {
      await alice.call('memory_write', fact(name))
      await alice.call('memory_delete', { name })
    }
    expect(await claims(house)).toEqual([])
    await alice.call('memory_write', fact('a'))
    expect(await claims(house)).toEqual(['the 100th memory of atlas'])
  })

  test('are the 1,000th recall that found something', async () => {
    await using house = await openHouse()
    const alice = await house.inside('atlas')
    await alice.call('memory_write', fact('ebb'))
    await happened(house, 'retrieval.injected', 998, {
      payload: { source: 'recall', item_ids: [] },
    })
    await happened(house, 'retrieval.injected', 5, {
      payload: { hook: 'session-start', item_ids: [] },
    })
    await switchOn(house, 'momentum')
    await alice.call('recall', { query: 'ebb' })
    await alice.call('recall', { query: 'zyzzyva' })
    expect(await claims(house)).toEqual([])
    await alice.call('recall', { query: 'ebb' })
    expect(await claims(house)).toEqual(['the 1,000th answered recall in atlas'])
  })

  test('are the first supersession and the first shipped plan of each project', async () => {
    await using house = await openHouse()
    await switchOn(house, 'momentum')
    const alice = await house.inside('atlas')
    for (const project of ['atlas', 'reef', 'atlas']) {
      const name = newId(new Date()).toLowerCase()
      await alice.call('memory_write', { ...fact(name), project })
      const supersedes = `${project}/${name}`
      await alice.call('memory_write', { ...fact(`${name}-2`), project, supersedes })
      await moveStep(house, await addStep(house, `plan-${name}`, { project }), 'done')
      await claims(house)
    }
    const events = await moments(house, 'milestone.reached')
    expect(events.map(({ item_id }) => item_id).toSorted()).toEqual([
      'first-plan-shipped:atlas',
      'first-plan-shipped:reef',
      'first-supersession:atlas',
      'first-supersession:reef',
    ])
    const superseded = await house.events('memory.superseded')
    const first = events.find(({ item_id }) => item_id === 'first-supersession:atlas')
    expect(first!.payload).toEqual({
      ...{ project: 'atlas', count: 1, memory: superseded[0]!.payload['name'] },
      claim: `the first supersession in atlas: ${superseded[0]!.payload['name']}`,
    })
    const shipped = events.find(({ item_id }) => item_id === 'first-plan-shipped:reef')
    expect(shipped!.payload).toMatchObject({ project: 'reef', count: 1, steps: 1 })
  })

  test('are birthdays, each with the first thing that happens from that day on', async () => {
    await using house = await openHouse()
    await house.moveClock('-800 days')
    const alice = await house.inside('atlas')
    await switchOn(house, 'momentum')
    await house.moveClock('-440 days')
    await alice.call('memory_write', fact('early'))
    expect(await claims(house)).toEqual([])
    await house.moveClock('-430 days')
    await alice.call('memory_write', fact('a-year'))
    await alice.call('memory_write', fact('and-again'))
    expect(await claims(house)).toEqual(['atlas is 1 year old'])
    await house.moveClock('0')
    await alice.call('memory_read', { name: 'early' })
    const events = await moments(house, 'milestone.reached')
    expect(events.map(({ item_id }) => item_id)).toEqual(['birthday-1:atlas', 'birthday-2:atlas'])
    expect(events[1]!.payload).toEqual({
      ...{ claim: 'atlas is 2 years old', project: 'atlas', years: 2 },
      registered: expect.stringMatching(/^20\d\d-/),
    })
  })

  test('of a time in which momentum was off are never made up for', async () => {
    await using house = await openHouse()
    await house.moveClock('-400 days')
    const alice = await house.inside('atlas')
    await house.moveClock('0')
    await happened(house, 'memory.written', 100)
    await happened(house, 'memory.superseded', 1)
    await switchOn(house, 'momentum')
    await alice.call('memory_write', fact('ebb'))
    await alice.call('memory_write', { ...fact('flow'), supersedes: 'ebb' })
    expect(await claims(house)).toEqual([])

    await switchOff(house, 'momentum')
    await happened(house, 'memory.written', 400)
    await switchOn(house, 'momentum')
    await alice.call('memory_write', fact('tide'))
    expect(await claims(house)).toEqual([])
  })
})

describe('while momentum is off', () => {
  test('nothing is kept of what happens, and what was minted stays', async () => {
    await using house = await openHouse()
    await switchOn(house, 'momentum')
    await moveStep(house, await addStep(house, 'p'), 'done')
    expect(await moments(house, 'plan.shipped')).toHaveLength(1)
    await switchOff(house, 'momentum')
    const alice = await house.inside('atlas')
    await alice.call('memory_write', fact('ebb'))
    await moveStep(house, await addStep(house, 'q'), 'done')
    expect(await moments(house, 'plan.shipped')).toHaveLength(1)
    const { rows } = await sql`select from followers`.execute(house.app.database.db)
    expect(rows).toEqual([])
  })

  test('what happened until then is still minted', async () => {
    await using house = await openHouse()
    await switchOn(house, 'momentum')
    // While it still counts what happened before, nothing is minted.
    expect(await moments(house, 'plan.shipped')).toEqual([])
    await moveStep(house, await addStep(house, 'p'), 'done')
    await switchOff(house, 'momentum')
    expect(await house.events('plan.shipped')).toHaveLength(1)
  })
})
