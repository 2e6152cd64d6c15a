import { unavailable } from '../../kernel/refusal.ts'
import { defineCommand } from '../command.ts'

export const status = defineCommand({
  name: 'status',
  summary: 'say whether the service is well',
  for: 'agent',
  asksHere: true,
  async run(_, { client, tool, say }) {
    const { readHealth } = await import('../client/health.ts')
    const { url } = await client()
    const health = await readHealth(url)
    const { projects } = await tool('project_list', {})
    say(`${url}: ${health.status}, Loam ${health.version}`)
    say(`${(projects as unknown[]).length} projects`)
    if (!health.ok) throw unavailable('the service is not well; see "loam doctor"')
  },
})
