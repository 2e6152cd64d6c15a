/**
 * Sessions: who works where, what was found, and what went wrong.
 *
 * This file is the room's door. Other rooms import from here and from nowhere else in sessions/. A
 * session begins in start.ts and ends in end.ts; what it leaves to others is findings.ts. The time of
 * its last sign of life decides whether it is idle, which is never stored, and when it expires.
 */
import { ambiguous, notFound } from '../kernel/refusal.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { askWhich } from '../projects/projects.ts'
import { meantAmbients, type SessionRow } from './store.ts'

export {
  beat,
  endByClient,
  endSession,
  expireSilent,
  harvest,
  updateFindings,
  type Harvest,
} from './end.ts'
export { agentMishap, sessionEnded, sessionStarted } from './events.ts'
export { hasFindings, NO_SUMMARY } from './findings.ts'
export { sessionHeartbeat } from './heartbeat.ts'
export { CLIENT_PREFIXES } from './handle.ts'
export { ambientSession, SOURCES, startSession, type Ambience, type Source } from './start.ts'
export { starSession } from './star.ts'
export {
  findSession,
  isActive,
  labOfSession,
  meantAmbients,
  openSessionLab,
  revive,
  SESSION_STATUSES,
  type SessionRow,
  type SessionStatus,
  type Tokens,
} from './store.ts'

/** The session of a call that names none: the only ambient one. Two are ambiguous, and nothing is guessed. */
export async function meantSession({ db }: Kernel): Promise<SessionRow> {
  const meant = await meantAmbients(db)
  if (meant.length > 1) throw severalAgents('session', meant)
  if (!meant[0]) throw noSession()
  return meant[0]
}

/** Refuses a call that could be that of several agents. */
export function severalAgents(what: 'agent' | 'session', meant: readonly SessionRow[]): Error {
  const callers = meant.map((session) => ({ ...session, handle: session.name }))
  return ambiguous(`ambiguous ${what}: several agents are active; ${askWhich(callers)}`)
}

export const noSession = (): Error =>
  notFound('active session; start one with session_start, or pass session with its name or id')
