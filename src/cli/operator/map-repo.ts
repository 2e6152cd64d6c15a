import { resolve } from 'node:path'
import Type from 'typebox'
import { line, name } from '../../kernel/schema/bounds.ts'
import { defineCommand } from '../command.ts'

export const mapRepo = defineCommand({
  name: 'map-repo',
  summary: 'say which project a directory, a git remote or both belong to',
  for: 'operator',
  options: {
    '--project <slug>': { text: 'the project; an unknown one is registered', required: true },
    '--path <dir>': 'the directory, with all below it; default: this one',
    '--remote <url>': 'the git remote, in every clone; without --path it alone',
  },
  operation: {
    input: Type.Object({
      project: name(),
      path: Type.Optional(line()),
      remote: Type.Optional(line()),
    }),
    async work({ kernel }, { project, path, remote }) {
      const { mapRepo } = await import('../../projects/projects.ts')
      const mapped = []
      for (const place of [path, remote])
        if (place !== undefined) mapped.push(await mapRepo(kernel, { place, project }))
      return mapped
    },
  },
  /** The current directory is meant when neither a directory nor a remote is given. */
  async run({ project, path: asked, remote }, { cwd, operate, say }) {
    const isMeant = asked !== undefined || remote === undefined
    const path = isMeant ? resolve(cwd, asked ?? '.') : undefined
    for (const { place, project: now, before } of await operate({ project, path, remote })) {
      const was = before !== null && before !== now ? `, no longer to ${before}` : ''
      say(`${place} belongs to ${now}${was}`)
    }
  },
})
