import { memoryRef, supersede } from '../../memories/memories.ts'
import { defineEffect, GARDENER } from './effect.ts'

/** One of two that say the same stays as it is, and takes the place of the other. */
export const merge = defineEffect({
  kind: 'merge',
  apply: ({ kernel }, by, { keep, drop }) => supersede(kernel, by, drop.id, keep.id, GARDENER),
  told: ({ keep, drop }, _, lay) => ({
    kept: memoryRef(lay(keep)),
    dropped: memoryRef(lay(drop)),
  }),
})
