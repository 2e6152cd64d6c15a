import Type from 'typebox'
import { name } from '../../kernel/schema/bounds.ts'
import { wireTime } from '../../kernel/clock.ts'
import { defineCommand } from '../command.ts'
import { ownerScope } from '../../projects/projects.ts'

export const projectShow = defineCommand({
  name: 'project show',
  summary: 'print all that is known of a project',
  for: 'operator',
  arguments: { '<project>': 'its slug' },
  operation: {
    input: Type.Object({ project: name() }),
    async work({ kernel }, { project }) {
      const { overviewProject } = await import('../../projects/projects.ts')
      return overviewProject(kernel, ownerScope(), project)
    },
  },
  async run({ project }, { operate, say }) {
    const shown = await operate({ project })
    const lists = { children: shown.children, families: shown.families, places: shown.places }
    const rows = Object.entries({
      slug: shown.slug,
      id: shown.id,
      name: shown.name,
      description: shown.description,
      isolation: shown.isolation,
      parent: shown.parent ?? '',
      retired: shown.retired === null ? '' : wireTime(new Date(shown.retired)),
      created: wireTime(new Date(shown.created)),
      ...Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.join(', ')])),
      holds: `${shown.memories} memories, ${shown.notes} notes, ${shown.tasks} tasks to do`,
    })
    for (const [name, value] of rows) if (value !== '') say(`${name.padEnd(11)}  ${value}`)
  },
})
