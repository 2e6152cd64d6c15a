/** Labelled histories of plans, of questions in vain and of failed calls, by which their passes are judged. */
import { sql } from 'kysely'
import { newId } from '../../src/kernel/id.ts'
import type { Agent } from '../helpers/agent.ts'
import { buildHouse, type House } from '../helpers/build-house.ts'
import { ago, raisedBy, readCases, type Case, type Verdict } from './gardener-cases.ts'

interface Plan extends Case {
  says: string
  status: string
  /** Days since its page and its last other note were changed. */
  changed: number
  noted?: number
  steps?: { status: string; changed: number }[]
}

interface Signal extends Case {
  happened: { says: string; session: number; days: number }[]
}

type Db = House['app']['database']['db']

/** Each case lies in a project of its own, by which what is raised of it is known. */
export async function playSignals(): Promise<Verdict[]> {
  await using house = await buildHouse({ within: true })
  const { db } = house.app.database
  const agent = await house.connect()
  const [plans, misses, errors] = [
    await readCases<Plan>('plans'),
    await readCases<Signal>('misses'),
    await readCases<Signal>('tool-errors'),
  ]
  for (const { id } of [...plans, ...misses, ...errors]) {
    await agent.call('project_create', { name: id })
  }
  for (const plan of plans) await leavePlan(db, agent, plan)
  for (const miss of misses)
    await tell(db, miss, 'recall.miss', (query) => ({ query, source: 'recall' }))
  for (const error of errors) await tell(db, error, 'tool.call', failedCall)
  await agent.close()
  const verdicts = async (pass: string, cases: readonly Case[]): Promise<Verdict[]> => {
    const raised = new Set((await raisedBy(house, pass)).flatMap(({ projects }) => projects))
    return cases.map(({ id, label }) => ({
      ...{ pass, id, right: label === 'clean up', raised: raised.has(id) },
    }))
  }
  return [
    ...(await verdicts('stale-plan', plans)),
    ...(await verdicts('memory-wanted', misses)),
    ...(await verdicts('tool-error', errors)),
  ]
}

/** A plan as a client's hook captures it, and what was done of it. */
async function leavePlan(
  db: Db,
  agent: Agent,
  { id: project, says, status, changed, noted, steps = [] }: Plan,
): Promise<void> {
  const page = {
    title: says,
    content: `# ${says}\n\nFirst this, then that.`,
    project,
    plan: project,
  }
  const tags = ['cc-plan', `plan-status:${status}`]
  const { id } = await agent.call('notes_create', page)
  // The tags are the hook's alone to give.
  await sql`
    update notes set tags = tags || ${tags}::text[], updated_at = ${ago(changed)} where id = ${id}`.execute(
    db,
  )
  if (noted !== undefined) {
    const found = { title: `Found on ${says}`, content: 'It is slower than thought.' }
    const { id } = await agent.call('notes_create', { ...found, project, plan: project })
    await sql`update notes set updated_at = ${ago(noted)} where id = ${id}`.execute(db)
  }
  for (const [nth, step] of steps.entries()) {
    const { id } = await agent.call('tasks_add', { title: `Step ${nth}`, plan: project, project })
    await sql`
      update tasks set status = ${step.status}, updated_at = ${ago(step.changed)} where id = ${id}`.execute(
      db,
    )
  }
}

const failedCall = (error: string) => ({
  ...{ tool: error.slice(0, error.indexOf(':')), is_error: true, error },
})

async function tell(
  db: Db,
  { id: project, happened }: Signal,
  kind: string,
  payloadOf: (says: string) => object,
): Promise<void> {
  for (const { says, session, days } of happened) {
    await sql`
      insert into events (id, ts, kind, transport, session_id, project, payload)
      values (${newId(new Date())}, ${ago(days)}, ${kind}, true, ${`${project}-${session}`}, ${project},
        ${JSON.stringify(payloadOf(says))}::jsonb)`.execute(db)
  }
}
