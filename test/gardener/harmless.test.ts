import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { OPERATIONS } from '../../src/gardener/request/operations.ts'
import { FORMS } from '../../src/gardener/request/understand.ts'
import { garden } from '../helpers/garden.ts'
import { openHouse, type House } from '../helpers/house.ts'

const KINDS = ['constraint', 'convention', 'gotcha', 'decision', 'stage', 'reference']

/** Everything that a clean-up could change. */
async function knowledge({ app, dir, files }: House): Promise<Record<string, string>> {
  const state: Record<string, string> = {}
  for (const path of await files()) state[path] = await readFile(join(dir, path), 'base64')
  for (const table of ['memories', 'notes', 'tasks', 'projects', 'links', 'families', 'sessions']) {
    // A session that is open is noted as alive by each of its calls, whatever they do.
    const pulse = table === 'sessions' ? 'updated_at' : ''
    const { rows } = await sql`
      select md5(string_agg(t::text, '' order by t::text)) as hash
      from (
        select to_jsonb(t) - case when to_jsonb(t) ->> 'status' = 'active' then ${pulse} else '' end as t
        from ${sql.table(table)} t
      ) t`.execute(app.database.db)
    state[table] = JSON.stringify(rows)
  }
  return state
}

test('no pass and no form of a request changes a file or a row of what is known', async () => {
  await using house = await openHouse()
  const agent = await house.connect()
  await agent.call('session_start', { name: 'harbor', project: 'atlas' })
  await agent.call('project_create', { name: 'Delta' })
  for (let n = 0; n < 30; n++) {
    const word = ['tide', 'moon', 'sail', 'rope', 'mast'][n % 5]!
    await agent.call('memory_write', {
      ...{ name: `${word}-${n}`, kind: KINDS[n % KINDS.length]!, tags: [word] },
      description: `What the ${word} does`,
      body: `The ${word} is seen from the house, and ${n < 10 ? 'nobody knows why' : `is number ${n}`}.`,
    })
  }
  for (const name of ['one', 'two', 'three']) {
    const ends = await house.connect()
    await ends.call('session_start', { name, project: 'atlas' })
    await ends.call('recall', { query: 'where is the lighthouse keeper' })
    await ends
      .call('notes_read', { id: `01K9ZC4T7Q8V2M5N6P3R1S0W${name.slice(0, 2).toUpperCase()}` })
      .catch(() => {})
    await ends.call('session_end', { findings: `Found out about ${name}` })
  }
  await house.moveClock('95 days')
  await agent.call('session_start', { name: 'later', project: 'atlas' })
  const before = await knowledge(house)

  const reports = await garden(house)
  expect(Object.values(reports).filter(({ failed }) => failed !== undefined)).toEqual([])
  expect(Object.values(reports).reduce((sum, { proposed }) => sum + proposed, 0)).toBeGreaterThan(5)
  const forms = [...FORMS, 'archive everything tagged tide', 'find duplicates', 'digest for atlas']
  for (const request of [...forms, 'move everything tagged sail from atlas to delta']) {
    await agent.call('gardener_request', { request })
  }
  const [a, b] = ['moon-1', 'sail-2']
  const operations: Record<string, object> = {
    merge: { keep: a, drop: b },
    archive: { target: a },
    consolidate: { sources: [a, b], name: 'both', body: 'Both of them' },
    reproject: { target: a, to: 'delta' },
    rekind: { target: a, to: 'protocol' },
    digest: { to: 'atlas' },
  }
  for (const op of OPERATIONS) {
    await agent.call('gardener_request', { request: op, operations: [{ op, ...operations[op] }] })
  }
  await agent.call('gardener_split', {
    ...{ source: 'atlas', children: [{ slug: 'sea' }, { slug: 'sky' }] },
  })
  const { total } = await agent.call('gardener_proposals', {})
  expect(total).toBeGreaterThan(20)
  expect(await knowledge(house)).toEqual(before)
})
