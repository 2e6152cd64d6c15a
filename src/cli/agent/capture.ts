import { defineCommand } from '../command.ts'
import { ASKER } from '../client/asker.ts'

export const capture = defineCommand({
  name: 'capture',
  summary: 'keep a public web page as a note',
  for: 'agent',
  arguments: { '<url>': 'an http or https address' },
  options: {
    '--project <slug>': 'where the note belongs; default: that of this directory',
    ...ASKER,
  },
  async run({ url, project, session }, { tool, say }) {
    const note = await tool('capture_url', { url, project, session })
    say(`${note['slug']}: ${note['title']}`)
  },
})
