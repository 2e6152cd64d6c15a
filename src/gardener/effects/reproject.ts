import { moveMemory } from '../../memories/memories.ts'
import { ensureProject, findPlace, unregisterBare, wireProject } from '../../projects/projects.ts'
import { defineEffect, GARDENER } from './effect.ts'
import { refuseAcrossFence } from './fence.ts'

/** A memory holds elsewhere than where it was written. */
export const reproject = defineEffect({
  kind: 'reproject',
  apply: ({ kernel }, by, { id, to, plan }) =>
    moveMemory(kernel, by, id, to, { ...GARDENER, ...(plan && { plan }) }),
  judge: (db, { id, name, from, to }, lay) =>
    refuseAcrossFence(db, [lay({ id, name, project: from }).project, to]),
  // A move of a split may come before the projects of the split are made.
  ground: {
    async lay(kernel, { to }) {
      if (to === '' || (await findPlace(kernel.db, to)).registered) return {}
      await ensureProject(kernel, to)
      return { registered: true }
    },
    async lift(kernel, { to }, { registered }) {
      if (registered === true) await unregisterBare(kernel, to)
    },
  },
  told({ id, name, from, to }, _, lay) {
    const { project } = lay({ id, name, project: from })
    // Moved by an apply that was cut off, it is there already.
    return { moved: name, from: wireProject(project === to ? from : project), to: wireProject(to) }
  },
})
