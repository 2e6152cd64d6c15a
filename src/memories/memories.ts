/**
 * Memories: one durable fact each, told to every agent that starts where it holds.
 *
 * This file is the room's door. Other rooms import from here and from nowhere else in memories/. A
 * memory is made in write.ts, read in read.ts and changed in change.ts, which edit.ts uses;
 * lifecycle.ts alone ends it and brings it back; file kind.ts says how its rows follow from its file.
 */
export type { StoredMemory } from './change.ts'
export { memoryName } from './checks.ts'
export { memoryFileKind } from './file-kind.ts'
export { deleteMemory } from './delete.ts'
export { appendMemory, editMemory, type MemoryPatch } from './edit.ts'
export { memoryArchived, memoryRead, memorySuperseded, memoryWritten } from './events.ts'
export type { Memory } from './file.ts'
export { MEMORY_KINDS, type MemoryKind } from './kinds.ts'
export { archive, supersede, unarchive, unsupersede, type Settling } from './lifecycle.ts'
export { linksOf, type Link } from './links.ts'
export { memoryRef, readMemory, type MemoryAddress, type ReadMemory } from './read.ts'
export { findSimilar, type Similar } from './similar.ts'
export { starMemory } from './star.ts'
export { STAGE_STATUSES, stageHeader, stageHint } from './stage.ts'
export { supersedeByName } from './supersede.ts'
export { checkDraft, writeMemory, type MemoryDraft, type WrittenMemory } from './write.ts'
