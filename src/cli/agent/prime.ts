import { resolve } from 'node:path'
import { defineCommand } from '../command.ts'
import { repositoryOf } from './hook/repository.ts'

export const prime = defineCommand({
  name: 'prime',
  summary: 'start a session here and print its briefing',
  for: 'agent',
  options: {
    '--cwd <folder>': 'where the work is; default: here',
    '--name <name>': 'a name for the session; one that exists is resumed',
  },
  /** The briefing goes to standard output, and the name of the session to standard error. */
  async run({ cwd: asked, name }, { cwd: here, tool, say, complain }) {
    const cwd = resolve(here, asked ?? '.')
    const { repo, repo_root } = repositoryOf(cwd) ?? {}
    const input = { cwd, repo, repo_root, name, source: 'explicit' }
    const session = await tool('session_start', input)
    complain(`session ${session['name']} (${session['session_id']}): ${session['scope']}`)
    if (session['briefing'] !== '') say(String(session['briefing']))
  },
})
