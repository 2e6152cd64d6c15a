/**
 * Memories: one durable fact each, told to every agent that starts where it holds.
 *
 * This file is the room's door. Other rooms import from here and from nowhere else in memories/.
 */
export { memoryArchived, memoryRead, memorySuperseded, memoryWritten } from './events.ts'
export type { Memory } from './file.ts'
export { MEMORY_KINDS, type MemoryKind } from './kinds.ts'
