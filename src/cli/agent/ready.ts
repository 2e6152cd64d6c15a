import { defineCommand } from '../command.ts'
import { ASKER } from '../client/asker.ts'

interface Waiting {
  id: string
  title?: string
  claimed_by?: string
}

interface Queue {
  ready: Waiting[]
  blocked: (Waiting & { blockers: { id: string; title?: string }[]; blockers_total?: number })[]
  lapsed: Waiting[]
  ready_total: number
  blocked_total: number
  lapsed_total: number
}

export const ready = defineCommand({
  name: 'ready',
  summary: 'list what can be begun now, and with --blocked what waits for what',
  for: 'agent',
  options: {
    '--project <slug>': 'of this project; default: that of this directory',
    ...ASKER,
    '--plan <slug>': 'steps of this plan',
    '--blocked': 'tell what is blocked as well',
    '--limit <number>': 'of each at most; default 50',
  },
  async run({ project, session, plan, limit, blocked }, { tool, say, complain }) {
    const queue = (await tool('tasks_ready', { project, session, plan, limit })) as unknown as Queue
    for (const { id, title } of queue.ready) say(`${id}  ${title}`)
    for (const { id, title, claimed_by } of queue.lapsed)
      say(`${id}  ${title}  (lapsed${claimed_by ? `, was held by ${claimed_by}` : ''})`)
    if (blocked) for (const line of blockedLines(queue)) say(line)
    const { ready_total, lapsed_total, blocked_total } = queue
    complain(`${ready_total} ready, ${lapsed_total} lapsed, ${blocked_total} blocked`)
  },
})

function* blockedLines({ blocked }: Queue): Generator<string> {
  for (const { id, title, blockers, blockers_total = 0 } of blocked) {
    yield `${id}  ${title}  (blocked)`
    for (const blocker of blockers) yield `  waits on ${blocker.id}  ${blocker.title ?? ''}`
    if (blockers_total > blockers.length) yield `  and on ${blockers_total - blockers.length} more`
  }
}
