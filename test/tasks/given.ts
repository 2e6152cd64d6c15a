import type { Agent } from '../helpers/agent.ts'
import type { House } from '../helpers/house.ts'
import type { Isolation } from '../../src/projects/projects.ts'

/** An agent that speaks for a session of its own in the project. */
export interface Worker extends Agent {
  /** Its id. */
  session: string
  /** As people call it. */
  called: string
}

export async function worker(
  house: House,
  project = 'atlas',
  isolation: Isolation = 'open',
): Promise<Worker> {
  const agent = await house.inside(project, isolation)
  const row = await house.app.database.db
    .selectFrom('mcp_sessions')
    .innerJoin('sessions', 'sessions.id', 'mcp_sessions.session_id')
    .select(['sessions.id', 'sessions.name'])
    .where('mcp_sessions.id', '=', agent.id)
    .executeTakeFirstOrThrow()
  return Object.assign(agent, { session: row.id, called: row.name })
}

/** What people call a session. */
export const called = async ({ app }: House, session: string): Promise<string> =>
  (
    await app.database.db
      .selectFrom('sessions')
      .select('name')
      .where('id', '=', session)
      .executeTakeFirstOrThrow()
  ).name

/** Adds a task where the agent works; answers its id. */
export async function add(
  agent: Agent,
  title: string,
  more: Record<string, unknown> = {},
): Promise<string> {
  return (await agent.call('tasks_add', { title, ...more }))['id'] as string
}

/** The row behind a task. */
export const row = ({ app }: House, id: string) =>
  app.database.db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

/** What the log says of a task, oldest first, without what the event itself carries. */
export async function transitions(house: House, id: string): Promise<Record<string, unknown>[]> {
  const events = await house.events('task.transition')
  return events.filter((event) => event.item_id === id).map(({ payload }) => payload)
}

export const UNKNOWN = '01K9ZC4T7Q8V2M5N6P3R1S0WXY'
