import { defineCommand } from '../command.ts'

interface Usage {
  memories: { active: number; byKind: Record<string, number> }
  notes: number
  sessions: Record<string, number>
  tasks: Record<string, number>
  retrieval: {
    injections: number
    reads: number
    held: number
    savedTokens: number
    topInjected: { name: string; count: number }[]
    topUtility: { name: string; score: number }[]
    funnelBySurface: { surface: string; injections: number; items: number; readRate: number }[]
  }
  gardenerPending: Record<string, number>
  eventsByKind: Record<string, number>
}

export const usage = defineCommand({
  name: 'usage',
  summary: 'say how much is kept and what becomes of it',
  for: 'agent',
  async run(_, { tool, say }) {
    const answer = (await tool('usage_summary', {})) as unknown as Usage
    for (const line of lines(answer)) say(line)
  },
})

function* lines(usage: Usage): Generator<string> {
  const { memories, retrieval } = usage
  yield `memories: ${memories.active} active${colon(listed(memories.byKind))}`
  yield `notes: ${usage.notes}`
  yield `sessions: ${listed(usage.sessions)}`
  yield `tasks: ${listed(usage.tasks)}`
  yield `put before agents: ${retrieval.injections} items; read: ${retrieval.reads}`
  yield `not told again: ${retrieval.held} items, about ${retrieval.savedTokens} tokens`
  for (const { surface, injections, items, readRate } of retrieval.funnelBySurface)
    yield `  by ${surface}: ${injections}, of ${items} items; ${readRate} % were then read`
  for (const { name, count } of retrieval.topInjected) yield `  ${name}: shown ${count} times`
  for (const { name, score } of retrieval.topUtility) yield `  ${name}: utility ${score}`
  yield `proposals: ${listed(usage.gardenerPending)}`
  yield `events: ${listed(usage.eventsByKind)}`
}

const listed = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name.replace('_', ' ')}`)
    .join(', ') || 'none'

const colon = (text: string): string => (text === 'none' ? '' : `: ${text}`)
