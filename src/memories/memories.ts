/**
 * Memories: one durable fact each, in the briefing of every agent that starts where it holds.
 *
 * This file is the room's door. Other rooms import from here and from nowhere else in memories/. What
 * a memory shares with a note is in documents/, and document.ts declares it. A memory is made in
 * write.ts, read in read.ts and changed in edit.ts; lifecycle.ts alone ends it and brings it back.
 */
export type { Acting } from './act.ts'
export {
  consolidateMemories,
  saidBy,
  type Consolidated,
  type Consolidation,
} from './consolidate.ts'
export { memoryName } from './checks.ts'
export { memoryDocument, memoryFileKind, memoryNameAt } from './document.ts'
export { editMemory, type MemoryPatch } from './edit.ts'
export {
  memoryArchived,
  memoryMoved,
  memoryRead,
  memorySuperseded,
  memoryWritten,
} from './events.ts'
export type { Memory } from './file.ts'
export { MEMORY_KINDS, type MemoryKind } from './kinds.ts'
export { archive, supersede, unarchive, unsupersede } from './lifecycle.ts'
export { moveMemory, rekindMemory } from './refile.ts'
export { refusePrinted } from './printed.ts'
export { memoryRef, readMemory } from './read.ts'
export { lookForSimilar, seeksSimilar, type Look, type Similar } from './similar.ts'
export { stageHint } from './stage.ts'
export { findSuperseded, supersedeFound } from './supersede.ts'
export {
  checkDraft,
  checkFirst,
  writeMemory,
  type MemoryDraft,
  type WrittenMemory,
} from './write.ts'
