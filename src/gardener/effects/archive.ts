import { archive as archiveMemory, memoryRef } from '../../memories/memories.ts'
import { defineEffect, GARDENER } from './effect.ts'

/** What nobody needs any more leaves the indexes. Its file stays, and says why. */
export const archive = defineEffect({
  kind: 'archive',
  apply: ({ kernel }, by, { id, reason }) =>
    archiveMemory(kernel, by, id, { ...GARDENER, reason, again: true }),
  told: (brief, _, lay) => ({ archived: memoryRef(lay(brief)) }),
})
