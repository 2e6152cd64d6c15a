import { defineCommand } from '../command.ts'
import { ASKER } from '../client/asker.ts'

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
    '--project <slug>': 'where a name or slug is looked up; default: that of this directory',
    ...ASKER,
  },
  async run({ kind, id, off, project, session }, { tool, say }) {
    const starred = await tool('favorite_set', { kind, id, favorite: !off, project, session })
    say(`${starred['favorite'] ? 'starred' : 'not starred'}: ${kind} ${id}`)
  },
})
