import type { EventKind } from './kernel/event-kind.ts'
import { briefingChanged } from './briefing/briefing.ts'
import { favoriteChanged } from './favorites/favorites.ts'
import { featuresChanged } from './features/features.ts'
import { recordBroken } from './gamification/gamification.ts'
import { gardenerAction } from './gardener/gardener.ts'
import { hookError, hookPrompt } from './hooks/hooks.ts'
import { toolCall } from './mcp/events.ts'
import {
  memoryArchived,
  memoryMoved,
  memoryRead,
  memorySuperseded,
  memoryWritten,
} from './memories/memories.ts'
import {
  memoryFirstReuse,
  milestoneReached,
  planShipped,
  stageReached,
} from './momentum/momentum.ts'
import { noteRead, noteWritten } from './notes/notes.ts'
import { planApproved, planCaptured, planPresented, subagentCaptured } from './plans/plans.ts'
import { clockStepped } from './postgres/events.ts'
import { familiesChanged, repoMoved } from './projects/projects.ts'
import { recallMiss, retrievalInjected } from './recall/recall.ts'
import { agentMishap, sessionEnded, sessionStarted } from './sessions/sessions.ts'
import { taskTransition } from './tasks/tasks.ts'
import { trialRecorded } from './trials/trials.ts'

/** Every kind of event there is, by name. */
export const eventKinds: ReadonlyMap<string, EventKind> = new Map(
  [
    agentMishap,
    briefingChanged,
    clockStepped,
    familiesChanged,
    favoriteChanged,
    featuresChanged,
    gardenerAction,
    hookError,
    hookPrompt,
    memoryArchived,
    memoryFirstReuse,
    memoryMoved,
    memoryRead,
    memorySuperseded,
    memoryWritten,
    milestoneReached,
    noteRead,
    noteWritten,
    planApproved,
    planCaptured,
    planPresented,
    planShipped,
    recallMiss,
    recordBroken,
    repoMoved,
    retrievalInjected,
    sessionEnded,
    sessionStarted,
    stageReached,
    subagentCaptured,
    taskTransition,
    toolCall,
    trialRecorded,
  ].map((kind) => [kind.name, kind as unknown as EventKind]),
)
