import { abandonPlan as abandon, takeAbandonBack } from '../../plans/plans.ts'
import { wireProject } from '../../projects/projects.ts'
import { defineEffect } from './effect.ts'

/** A plan that nobody took up waits for nobody any more. Its note stays, and so do its steps. */
export const abandonPlan = defineEffect({
  kind: 'abandon_plan',
  apply: ({ kernel }, by, { id }) => abandon(kernel, by, id),
  ground: {
    lay: async () => ({}),
    lift: (kernel, { id }) => takeAbandonBack(kernel, id),
  },
  told: ({ note_slug, slug, project }) => ({
    abandoned: note_slug,
    plan: slug,
    project: wireProject(project),
  }),
})
