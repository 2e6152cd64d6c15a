/** Labelled histories of memories, by which the passes that propose to archive are judged. */
import { sql } from 'kysely'
import { newId } from '../../src/kernel/id.ts'
import type { Agent } from '../helpers/agent.ts'
import { buildHouse, type House } from '../helpers/build-house.ts'
import { ago, raisedBy, readCases, type Case, type Verdict } from './gardener-cases.ts'

/** Each pass, by the set of its cases. */
const PASSES = { staleness: 'staleness', 'stale-stage': 'stages', 'dead-weight': 'dead-weight' }

interface History extends Case {
  kind: string
  says: string
  /** Days since it was written, read, shown in a briefing, and asked for. */
  written: number
  read?: number
  shown?: number
  asked?: number
  /** Briefings of the last 30 days that showed it. */
  briefings?: number
  star?: boolean
  linked?: boolean
  /** Of a stage, as its header has it. */
  status?: string
}

/** Every history in one store, and what each pass raises of its own. */
export async function playHistories(): Promise<Verdict[]> {
  await using house = await buildHouse({ within: true })
  const agent = await house.connect()
  const verdicts: Verdict[] = []
  for (const [pass, set] of Object.entries(PASSES)) {
    const histories = await readCases<History>(set)
    const lived = new Map<string, History>()
    for (const history of histories) lived.set(await live(house, agent, set, history), history)
    const raised = new Set((await raisedBy(house, pass)).flatMap(({ items }) => items))
    for (const [memory, { id, label }] of lived) {
      verdicts.push({ pass, id, right: label === 'clean up', raised: raised.has(memory) })
    }
  }
  await agent.close()
  return verdicts
}

/** Writes the memory as an agent does, and puts what happened to it into the past. Returns its id. */
async function live(
  house: House,
  agent: Agent,
  project: string,
  { id: name, kind, says, status, star, linked, ...past }: History,
): Promise<string> {
  const header = kind === 'stage' ? `Status: ${status ?? ''}\nGate: human\n\n` : ''
  const written = { name, kind, description: says, body: `${header}${says}.\n`, project }
  const id = (await agent.call('memory_write', written))['id'] as string
  if (star) await agent.call('favorite_set', { kind: 'memory', id, favorite: true })
  if (linked) {
    const link = { kind: 'constraint', description: `Leads to ${name}`, body: `See [[${name}]].` }
    await agent.call('memory_write', { name: `leads-to-${name}`, ...link, project })
  }
  await age(house, id, past)
  return id
}

type Past = Pick<History, 'written' | 'read' | 'shown' | 'asked' | 'briefings'>

async function age(
  { app: { database } }: House,
  id: string,
  { written, read, shown, asked, briefings = 0 }: Past,
): Promise<void> {
  const { db } = database
  await sql`
    update memories set created_at = ${ago(written)}, updated_at = ${ago(written)} where id = ${id}`.execute(
    db,
  )
  for (let nth = 0; nth < briefings; nth++) await show(db, id, 'shown', (29 * nth) / briefings)
  if (asked !== undefined) await show(db, id, 'recall', asked)
  await sql`
    insert into item_stats (kind, id, inject_count, last_injected_at, last_read_at, as_of)
    values ('memory', ${id}, ${briefings}, ${ago(briefings > 0 ? 0 : shown)}, ${ago(read)}, loam_now())
    on conflict (kind, id) do update set inject_count = excluded.inject_count,
      last_injected_at = excluded.last_injected_at, last_read_at = excluded.last_read_at`.execute(
    db,
  )
}

/** The memory came before an agent so many days ago: in a briefing, or because somebody asked. */
async function show(
  db: House['app']['database']['db'],
  memory: string,
  how: 'shown' | 'recall',
  days: number,
): Promise<void> {
  const event = newId(new Date())
  const said =
    how === 'shown' ? { hook: 'session-start', source: 'briefing' } : { source: 'recall' }
  await sql`
    insert into events (id, ts, kind, transport, payload)
    values (${event}, loam_now() - ${days} * interval '1 day', 'retrieval.injected', false, ${JSON.stringify(said)}::jsonb)`.execute(
    db,
  )
  await sql`
    insert into event_items (event_id, ts, transport, item_kind, item_id, class)
    values (${event}, loam_now() - ${days} * interval '1 day', false, 'memory', ${memory}, ${how})`.execute(
    db,
  )
}
