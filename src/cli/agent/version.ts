import { readBuild } from '../../kernel/build.ts'
import { defineCommand } from '../command.ts'

export const version = defineCommand({
  name: 'version',
  summary: 'print the version, the commit and the Node in use',
  for: 'agent',
  config: false,
  async run(_, { say }) {
    const { version, commit, built } = readBuild()
    const details = [commit.slice(0, 12), built, `Node ${process.versions.node}`]
    say(`loam ${version} (${details.filter(Boolean).join(', ')})`)
  },
})
