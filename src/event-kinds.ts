import type { EventKind } from './kernel/events.ts'
import { toolCall } from './mcp/events.ts'
import { memoryArchived, memoryRead, memorySuperseded, memoryWritten } from './memories/memories.ts'
import { noteRead, noteWritten } from './notes/notes.ts'
import { planApproved, planCaptured, planPresented, subagentCaptured } from './plans/plans.ts'
import { recallMiss, retrievalInjected } from './recall/recall.ts'
import { taskTransition } from './tasks/tasks.ts'

/** Every kind of event there is, by name. */
export const eventKinds: ReadonlyMap<string, EventKind> = new Map(
  [
    memoryArchived,
    memoryRead,
    memorySuperseded,
    memoryWritten,
    noteRead,
    noteWritten,
    planApproved,
    planCaptured,
    planPresented,
    recallMiss,
    retrievalInjected,
    subagentCaptured,
    taskTransition,
    toolCall,
  ].map((kind) => [kind.name, kind as unknown as EventKind]),
)
