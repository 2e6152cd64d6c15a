import type { Fault } from './fault.ts'
import { checkKill } from './check-kill.ts'
import { clockSet } from './clock-set.ts'
import { clockSteps } from './clock-steps.ts'
import { databaseFirstStart } from './database-first-start.ts'
import { databaseKill } from './database-kill.ts'
import { databaseLock } from './database-lock.ts'
import { databaseMigrations } from './database-migrations.ts'
import { databasePowerCut } from './database-power-cut.ts'
import { databaseRestart } from './database-restart.ts'
import { databaseSlowQuery } from './database-slow-query.ts'
import { databaseUntidy } from './database-untidy.ts'
import { embeddingsKill } from './embeddings-kill.ts'
import { feedDisconnects } from './feed-disconnects.ts'
import { feedInterleavings } from './feed-interleavings.ts'
import { feedListener } from './feed-listener.ts'
import { feedStuckReader } from './feed-stuck-reader.ts'
import { gardenerCrashPoints } from './gardener-crash-points.ts'
import { gardenerUndo } from './gardener-undo.ts'
import { memoryCrashPoints } from './memory-crash-points.ts'
import { momentsMonth } from './moments-month.ts'
import { recallAsOf } from './recall-as-of.ts'
import { serviceDrain } from './service-drain.ts'
import { severalProcesses } from './several-processes.ts'
import { storeLost, storeMoves, storeOwed } from './store-asked.ts'
import { storeCrashPoints } from './store-crash-points.ts'
import { storeEditors } from './store-editors.ts'
import { storeFolder } from './store-folder.ts'
import { storeFailing } from './store-failing.ts'
import { learningKill, learningProcesses } from './learning-kill.ts'
import { logFull } from './log-full.ts'
import { serverFull, storeFull } from './store-full.ts'
import { storePowerCut } from './store-power-cut.ts'
import { storeClosed } from './store-closed.ts'
import { storeGroupCrashPoints } from './store-group-crash-points.ts'
import { storeGround } from './store-ground.ts'
import { storeKill } from './store-kill.ts'
import { storeWriters } from './store-writers.ts'
import { tasksClaims } from './tasks-claims.ts'
import { tasksRace } from './tasks-race.ts'

export const faults: readonly Fault[] = [
  databaseKill,
  databasePowerCut,
  databaseFirstStart,
  databaseLock,
  databaseRestart,
  databaseMigrations,
  databaseSlowQuery,
  databaseUntidy,
  embeddingsKill,
  checkKill,
  learningKill,
  learningProcesses,
  feedListener,
  feedInterleavings,
  feedDisconnects,
  feedStuckReader,
  momentsMonth,
  recallAsOf,
  serviceDrain,
  severalProcesses,
  storeKill,
  storeGround,
  storeClosed,
  storePowerCut,
  storeFailing,
  logFull,
  storeFull,
  serverFull,
  storeEditors,
  storeCrashPoints,
  storeGroupCrashPoints,
  memoryCrashPoints,
  gardenerUndo,
  gardenerCrashPoints,
  storeWriters,
  storeLost,
  storeMoves,
  storeOwed,
  storeFolder,
  tasksRace,
  tasksClaims,
  clockSteps,
  clockSet,
]
