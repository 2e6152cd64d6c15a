/** Tasks as agents add, claim and finish them, with what the ledger keeps of each. */
import type { Answer, DemoAgent, World } from '../agent.ts'
import type { TaskAccount } from '../ledger.ts'
import { MINUTE } from '../timeline.ts'

export interface KnownTask {
  title: string
  body?: string
  plan?: string
  dependsOn?: string[]
}

/** What a claim is good for. */
export interface Held {
  task: TaskAccount
  token: string
}

export async function addTask(
  world: World,
  agent: DemoAgent,
  { title, body = '', plan = '', dependsOn = [] }: KnownTask,
): Promise<TaskAccount> {
  const more = { ...(plan && { plan }), ...(dependsOn.length > 0 && { depends_on: dependsOn }) }
  const { id } = await agent.call('tasks_add', { title, body, ...more })
  const at = world.now().toISOString()
  const { project } = agent.account
  const task = {
    ...{ id: String(id), name: title, project, kind: 'task', status: 'open', starred: false },
    ...{ created: at, updated: at, plan, dependsOn, holder: null, leaseUntil: null },
  }
  world.ledger.tasks.push(task)
  return task
}

export async function claimTask(
  world: World,
  agent: DemoAgent,
  task: TaskAccount,
  { minutes = 15, paths = [] as string[] } = {},
): Promise<Held> {
  const answer: Answer = await agent.call('tasks_claim', {
    id: task.id,
    lease_seconds: minutes * 60,
    ...(paths.length > 0 && { paths }),
  })
  const now = world.now()
  task.status = 'in_progress'
  task.holder = agent.account.key
  task.leaseUntil = new Date(now.getTime() + minutes * MINUTE).toISOString()
  task.updated = now.toISOString()
  return { task, token: String(answer['claim_token']) }
}

/** Another status; what is closed or open is held by nobody. */
export async function setTask(
  world: World,
  agent: DemoAgent,
  task: TaskAccount,
  status: 'done' | 'dropped' | 'in_progress',
  token?: string,
): Promise<void> {
  const claim = token === undefined ? {} : { claim_token: token }
  await agent.call('tasks_update', { id: task.id, status, ...claim })
  task.status = status
  task.updated = world.now().toISOString()
  if (status !== 'in_progress') task.holder = task.leaseUntil = null
}
