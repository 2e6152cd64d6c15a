import { text } from 'node:stream/consumers'
import { defineCommand } from '../command.ts'
import { ASKER } from '../client/asker.ts'

export const remember = defineCommand({
  name: 'remember',
  summary: 'write a memory; its body from standard input, unless --body is given',
  for: 'agent',
  options: {
    '--name <name>': { text: 'what it is called', required: true },
    '--kind <kind>': {
      text: 'constraint, convention, runbook, gotcha, decision, …',
      required: true,
    },
    '--description <line>': { text: 'the one line that briefings show', required: true },
    '--body <text>': 'the whole of it, as markdown',
    '--project <slug>': 'where it holds; default: that of this directory; global: everywhere',
    ...ASKER,
  },
  async run({ name, kind, description, body: given, project, session }, call) {
    const body = given ?? (await text(call.stdin))
    const memory = { name, kind, description, project, session, body }
    const written = await call.tool('memory_write', memory)
    const { name: slug, project: where, nearest_project: near } = written
    call.say(`${written['updated'] ? 'rewritten' : 'written'}: ${slug} in ${where}`)
    if (written['project_created']) {
      call.say(`${where} is a new project${near ? `; was ${near} meant?` : ''}`)
    }
    const similar = written['similar'] as { name: string; score: number } | undefined
    if (similar)
      call.say(`much like ${similar.name} (${similar.score.toFixed(2)}): one of them may do`)
    for (const hint of ['stage_hint', 'secret_hint'])
      if (written[hint]) call.say(String(written[hint]))
  },
})
