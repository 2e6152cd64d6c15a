import { defineCommand } from '../command.ts'

export const capture = defineCommand({
  name: 'capture',
  summary: 'keep a public web page as a note',
  for: 'agent',
  arguments: { '<url>': 'an http or https address' },
  options: { '--project <slug>': 'where the note belongs' },
  async run({ url, project }, { tool, say }) {
    const note = await tool('capture_url', { url, project })
    say(`${note['slug']}: ${note['title']}`)
  },
})
