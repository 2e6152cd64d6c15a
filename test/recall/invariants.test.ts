/** The rules that searches and their ranking live by, each under its own name. */
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Agent } from '../helpers/agent.ts'
import { openHouse } from '../helpers/house.ts'
import { ownerOf } from '../console/owner.ts'

const remember = (agent: Agent, name: string, over: object = {}) =>
  agent.call('memory_write', {
    name,
    kind: 'gotcha',
    description: `about ${name}`,
    body: 'x',
    project: 'atlas',
    ...over,
  })

async function recalled(agent: Agent, question: object): Promise<string[]> {
  const { hits } = await agent.call('recall', { project: 'atlas', explain: true, ...question })
  return (hits as { name: string }[]).map(({ name }) => name)
}

describe('search safety', () => {
  test('21: user text never reaches the full-text syntax unquoted', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await remember(agent, 'sextant')
    await remember(agent, 'lantern')
    for (const query of [
      'sextant & !lantern',
      "sextant' | 'lantern",
      'sextant:* <-> zz',
      String.raw`sextant\' ) | ( lantern`,
      'sextant OR -lantern "zz',
    ]) {
      expect({ query, found: await recalled(agent, { query }) }).toEqual({
        query,
        found: expect.arrayContaining(['sextant']),
      })
    }
    for (const query of ["'", ':*', '!', '((', '<->', String.raw`\\`, "''''"]) {
      expect({ query, found: await recalled(agent, { query }) }).toEqual({ query, found: [] })
    }
  })

  test('22: no usable word means no results, never no filter', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await remember(agent, 'sextant')
    for (const query of ['the of and', '?!', '…', '🜁']) {
      expect(await recalled(agent, { query })).toEqual([])
      expect(await recalled(agent, { query, kind: 'gotcha' })).toEqual([])
    }
  })

  test('23: a pattern escapes backslash, percent and underscore', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await agent.call('project_create', { name: 'One 100%_sure', slug: 'sure' })
    await agent.call('project_create', { name: String.raw`Back\slash`, slug: 'slash' })
    await agent.call('project_create', { name: 'Plain', slug: 'plain' })
    const found = async (q: string): Promise<string[]> => {
      const path = `/console/search?scope=projects&q=${encodeURIComponent(q)}`
      const { body } = await ownerOf(house).json(path)
      return (body.groups[0]?.rows ?? []).map(({ id }: { id: string }) => id)
    }
    expect(await found('%%')).toEqual([])
    expect(await found('__')).toEqual([])
    expect(await found('0%_s')).toEqual(['sure'])
    expect(await found(String.raw`k\s`)).toEqual(['slash'])
    expect(await found(String.raw`\%`)).toEqual([])
  })

  test('24: scope, validity and kind are judged before the limit, not after it', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { db } = house.app.kernel
    const loud = { body: 'sextant '.repeat(20) }
    const gotcha = await remember(agent, 'sextant-loud', loud)
    const elsewhere = await remember(agent, 'sextant-elsewhere', { ...loud, project: 'ledger' })
    await remember(agent, 'sextant-rule', { kind: 'constraint' })
    // More better answers of every wrong sort than a retriever looks at: of a kind, a project, retired ones.
    const more = async (id: string, mark: string, changed: object): Promise<void> => {
      await sql`
        insert into memories
        select (jsonb_populate_record(m, jsonb_build_object('id', ${mark} || i, 'name', ${mark} || i,
          'path', ${mark} || i) || ${JSON.stringify(changed)}::jsonb)).*
        from memories m, generate_series(1, 90) i where id = ${id}`.execute(db)
      await sql`
        insert into passages
        select (jsonb_populate_record(p, jsonb_build_object('id', ${mark} || i) || ${JSON.stringify(
          'invalid_at' in changed ? { active: false } : {},
        )}::jsonb)).*
        from passages p, generate_series(1, 90) i where id = ${id}`.execute(db)
    }
    await more(gotcha.id, 'k', {})
    await more(elsewhere.id, 'p', {})
    expect(await recalled(agent, { query: 'sextant', kind: 'constraint', limit: 1 })).toEqual([
      'sextant-rule',
    ])
    await sql`delete from memories where id like 'k%'`.execute(db)
    await sql`delete from passages where id like 'k%'`.execute(db)
    await more(gotcha.id, 'r', { invalid_at: '2026-01-01T00:00:00Z' })
    const found = await recalled(agent, { query: 'sextant', limit: 2 })
    expect(found.toSorted()).toEqual(['sextant-loud', 'sextant-rule'])
  })
})

describe('the ranking loop', () => {
  test('29: exposure is never demand', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    await remember(agent, 'sextant', { kind: 'constraint' })
    await agent.call('recall', { kind: 'constraint' })
    await agent.call('recall', { query: 'sextant', explain: true })
    await agent.call('session_start', { project: 'atlas', name: 'watch' })
    await house.app.kernel.telemetry.flush()
    const { db } = house.app.kernel
    const { rows } = await sql<{ utility: number; inject_count: number }>`
      select utility(s) as utility, inject_count from item_stats s`.execute(db)
    expect(rows).toEqual([{ utility: 0, inject_count: expect.any(Number) }])
    expect(rows[0]!.inject_count).toBeGreaterThanOrEqual(2)
  })

  test('30: utility reorders what qualified, admits and revives nothing, and stays weaker than a star', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    const [plain, wanted, starred] = [
      await remember(agent, 'sextant-a'),
      await remember(agent, 'sextant-b'),
      await remember(agent, 'sextant-c'),
    ]
    const dead = await remember(agent, 'sextant-d')
    const { db } = house.app.kernel
    const sessions = await Promise.all(Array.from({ length: 60 }, () => house.session('atlas')))
    await sql`
      insert into session_items (session_id, item_id, shown_at, read_at)
      select s, id, loam_now(), loam_now()
      from unnest(${sessions}::text[]) s, unnest(${[wanted.id, dead.id]}::text[]) id`.execute(db)
    await remember(agent, 'other', { supersedes: 'sextant-d' })
    await sql`update memories set favorite = true where id = ${starred.id}`.execute(db)
    const { hits } = await agent.call('recall', { query: 'sextant', explain: true })
    expect((hits as { id: string }[]).map(({ id }) => id)).toEqual([
      starred.id,
      wanted.id,
      plain.id,
    ])
    expect(await recalled(agent, { query: 'zeppelin' })).toEqual([])
  })
})
