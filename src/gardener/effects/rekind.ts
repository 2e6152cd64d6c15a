import { memoryRef, rekindMemory } from '../../memories/memories.ts'
import { defineEffect, GARDENER } from './effect.ts'

/** A memory is of another kind than its writer thought. */
export const rekind = defineEffect({
  kind: 'rekind',
  apply: ({ kernel }, by, { id, to }) => rekindMemory(kernel, by, id, to, GARDENER),
  told: (brief, _, lay) => ({ rekinded: memoryRef(lay(brief)), from: brief.from, to: brief.to }),
})
