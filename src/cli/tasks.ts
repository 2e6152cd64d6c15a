/** What the commands on tasks do: the tools' answers, in lines. */
import { askConsole, callTool, type Asked } from './agent-commands.ts'

interface Shown {
  id: string
  title?: string
  status?: string
  project: string
  plan?: string
  claimed_by?: string
  lease_expires_at?: string
}

interface Queue {
  ready: Shown[]
  blocked: (Shown & { blockers: { id: string; title?: string }[]; blockers_total?: number })[]
  lapsed: Shown[]
  ready_total: number
  blocked_total: number
  lapsed_total: number
}

interface Which extends Asked {
  project?: string
  plan?: string
  limit?: string
}

export async function ready(options: Which & { blocked?: true }): Promise<void> {
  const { project, plan, limit } = options
  const answer = await callTool(options, 'tasks_ready', { project, plan, limit })
  const queue = answer as unknown as Queue
  for (const { id, title } of queue.ready) console.log(`${id}  ${title}`)
  for (const { id, title, claimed_by } of queue.lapsed) {
    console.log(`${id}  ${title}  (lapsed${claimed_by ? `, was held by ${claimed_by}` : ''})`)
  }
  if (options.blocked) {
    for (const { id, title, blockers, blockers_total = 0 } of queue.blocked) {
      console.log(`${id}  ${title}  (blocked)`)
      for (const blocker of blockers)
        console.log(`  waits on ${blocker.id}  ${blocker.title ?? ''}`)
      if (blockers_total > blockers.length)
        console.log(`  and on ${blockers_total - blockers.length} more`)
    }
  }
  const { ready_total, lapsed_total, blocked_total } = queue
  console.error(`${ready_total} ready, ${lapsed_total} lapsed, ${blocked_total} blocked`)
}

interface Draft extends Asked {
  title: string
  body?: string
  project?: string
  depends?: string
  plan?: string
}

export async function add({ config, depends, ...draft }: Draft): Promise<void> {
  const input = { ...draft, depends_on: depends }
  const task = await callTool({ ...(config && { config }) }, 'tasks_add', input)
  console.log(task['id'])
  if (task['secret_hint']) console.error(task['secret_hint'])
}

export async function list(options: Which & { id?: string; status?: string }): Promise<void> {
  const { id, project, plan, status, limit } = options
  const input = { id, project, plan, status, limit }
  const { tasks, total } = await callTool(options, 'tasks_list', input)
  for (const task of tasks as Shown[]) {
    const { id, title, status = '', claimed_by } = task
    const held = claimed_by
      ? `  (${claimed_by} until ${task.lease_expires_at ?? 'nobody knows'})`
      : ''
    console.log(`${id}  ${status.padEnd(11)}  ${title}${held}`)
  }
  console.error(`${(tasks as Shown[]).length} of ${total}`)
}

export async function show(id: string, options: Asked): Promise<void> {
  const { tasks } = await callTool(options, 'tasks_list', { id })
  console.log(JSON.stringify((tasks as Shown[])[0], null, 2))
}

interface Held extends Asked {
  session?: string
  token?: string
}

export async function change(id: string, status: string, options: Held): Promise<void> {
  const { session, token } = options
  const input = { id, status, session, claim_token: token }
  told(await callTool(options, 'tasks_update', input))
}

/** The token alone goes to standard output, so that a script can keep it. */
export async function claim(
  id: string,
  options: Held & { lease?: string; paths?: string[] },
): Promise<void> {
  const { session, token, lease, paths } = options
  const input = { id, session, claim_token: token, lease_seconds: lease, paths }
  const claimed = await callTool(options, 'tasks_claim', input)
  console.log(claimed['claim_token'])
  const { lease_expires_at: until, prior_holder, overlaps = [] } = claimed
  const how = claimed['renewed'] ? 'held on' : 'claimed'
  console.error(`${how} until ${until}${prior_holder ? `, taken over from ${prior_holder}` : ''}`)
  for (const { id, title, claimed_by, paths } of overlaps as (Shown & { paths: string[] })[]) {
    console.error(`${claimed_by} changes ${paths.join(', ')} as well, for ${id}  ${title}`)
  }
}

export async function release(id: string, options: Held & { force?: true }): Promise<void> {
  if (options.force) {
    told(await askConsole(options, `/console/tasks/${encodeURIComponent(id)}/release`, 'POST'))
    return
  }
  const { session, token } = options
  told(await callTool(options, 'tasks_release', { id, session, claim_token: token }))
}

const told = ({ id, status, title = '' }: Record<string, unknown>): void =>
  console.log(`${id}  ${status}  ${title}`)
