import { defineCommand } from '../command.ts'
import { ASKER } from '../client/asker.ts'

interface Hit {
  kind: string
  name: string
  id: string
  title: string
  description: string
  passage?: string
  project: string
  age: string
}

export const recall = defineCommand({
  name: 'recall',
  summary: 'search what agents have written down',
  for: 'agent',
  arguments: { '<words...>': 'what you want to know' },
  options: {
    '--scope <scope>': 'all, memories, notes, tasks, trials, sessions',
    '--project <slug>': 'search there, and in global; default: that of this directory',
    ...ASKER,
    '--limit <number>': 'hits at most; default 10',
  },
  async run({ words, scope, project, session, limit }, { tool, say, complain }) {
    const answer = await tool('recall', { query: words.join(' '), scope, project, session, limit })
    const hits = answer['hits'] as Hit[]
    for (const { kind, name, title, description, passage, project, age, id } of hits) {
      say(`${kind} ${name || id} (${project}), ${age}`)
      const line = [title === name ? '' : title, description].filter(Boolean).join(': ')
      if (line) say(`  ${line}`)
      if (passage) say(`  ${passage}`)
    }
    complain(`${hits.length} hits, evidence ${answer['evidence']}`)
    if (answer['incomplete']) complain(`incomplete: ${answer['incomplete']}`)
    if (answer['degraded']) complain(`by words only: ${answer['degraded']}`)
  },
})
