import { defineCommand } from '../command.ts'

export const fav = defineCommand({
  name: 'fav',
  summary: 'star an item, or take its star away',
  for: 'agent',
  arguments: {
    '<kind>': 'memory, note, project, plan, task, session, trial',
    '<id>': "a memory's name, a slug or an id",
  },
  options: {
    '--off': 'take the star away',
    '--project <slug>': 'where a name or slug is looked up',
  },
  async run({ kind, id, off, project }, { tool, say }) {
    const starred = await tool('favorite_set', { kind, id, favorite: !off, project })
    say(`${starred['favorite'] ? 'starred' : 'not starred'}: ${kind} ${id}`)
  },
})
