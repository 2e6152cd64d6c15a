import { consolidateMemories, type Consolidated } from '../../memories/memories.ts'
import { defineEffect, GARDENER } from './effect.ts'
import { refuseAcrossFence } from './fence.ts'

/** Several memories become one, which says what they said. */
export const consolidate = defineEffect({
  kind: 'consolidate',
  final: true,
  apply: ({ kernel }, by, { id, name, project, kind, description, body, model, sources }) =>
    consolidateMemories(
      kernel,
      by,
      { id, name, project, kind, description, body, model, sources },
      GARDENER,
    ),
  judge: (db, { project, sources }, lay) =>
    refuseAcrossFence(db, [project, ...sources.map((source) => lay(source).project)]),
  told(_payload, written) {
    const { created, superseded } = written as unknown as Consolidated
    return { created, superseded }
  },
})
