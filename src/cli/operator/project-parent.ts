import Type from 'typebox'
import { name } from '../../kernel/schema/bounds.ts'
import { invalid } from '../../kernel/refusal.ts'
import { defineCommand } from '../command.ts'

export const projectParent = defineCommand({
  name: 'project parent',
  summary: 'have a project inherit the memories of another, or with --none of nobody',
  for: 'operator',
  arguments: {
    '<project>': 'its slug',
    '[parent]': 'the slug of the project it inherits from',
  },
  options: { '--none': 'inherit from nobody any more' },
  operation: {
    /** Without a parent the project inherits from nobody. */
    input: Type.Object({ project: name(), parent: Type.Optional(name()) }),
    async work({ kernel }, { project, parent }) {
      const { setParent } = await import('../../projects/projects.ts')
      return setParent(kernel, project, parent ?? null)
    },
  },
  async run({ project, parent, none }, { operate, say }) {
    if ((parent === undefined) !== (none === true)) throw invalid('name the parent, or pass --none')
    const set = await operate({ project, parent })
    const was =
      set.before !== null && set.before !== set.parent ? `, no longer from ${set.before}` : ''
    say(`${set.slug} inherits from ${set.parent ?? 'nobody'}${was}`)
  },
})
