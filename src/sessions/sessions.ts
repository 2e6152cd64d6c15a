/**
 * Sessions: who works where, what was found, and what went wrong.
 *
 * This file is the room's door. Other rooms import from here and from nowhere else in sessions/. A
 * session begins in start.ts and ends in end.ts; what its client says of it is by-client.ts, and what it
 * leaves to others is findings.ts. The time of its last sign of life, and whether its turn has ended,
 * decide whether it is idle, which is never stored, and when it expires.
 */
import { ambiguous, notFound } from '../kernel/refusal.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { askWhich, type Caller } from '../projects/projects.ts'
import { getSession, meantAmbients, type SessionRow } from './store.ts'

export {
  beat,
  endByClient,
  endClosed,
  endGone,
  harvest,
  reportTokens,
  type Harvest,
  type Sign,
} from './by-client.ts'
export { endSession, expireSilent, updateFindings } from './end.ts'
export { agentMishap, sessionEnded, sessionStarted } from './events.ts'
export { hasFindings, NO_SUMMARY } from './findings.ts'
export { sessionHeartbeat } from './heartbeat.ts'
export { CLIENT_PREFIXES } from './handle.ts'
export { judgeName } from './names.ts'
export {
  ambientOf,
  ambientSession,
  likelyHandle,
  revive,
  SOURCES,
  startSession,
  type Ambience,
  type Source,
} from './start.ts'
export { starSession } from './star.ts'
export {
  isActive,
  isNoneActive,
  labOfSession,
  openSessionLab,
  SESSION_STATUSES,
  type SessionRow,
  type SessionStatus,
  type Tokens,
} from './store.ts'
export { recountSessions } from './totals.ts'

/** The session of a call that names none: the one it probably is. Between two nothing is guessed. */
export async function meantSession(kernel: Kernel, { probably }: Actor): Promise<SessionRow> {
  if (probably) return getSession(kernel.db, probably)
  const agents = await agentsAtWork(kernel)
  throw agents.length > 0 ? severalAgents('session', agents) : noSession()
}

/** The agents of clients that are at work, the last one heard first. */
export async function agentsAtWork({ db }: Kernel): Promise<Caller[]> {
  return (await meantAmbients(db)).map((session) => ({ ...session, handle: session.name }))
}

/** Refuses a call that could be that of several agents. */
export function severalAgents(what: 'agent' | 'session', callers: readonly Caller[]): Error {
  return ambiguous(`ambiguous ${what}: several agents are active; ${askWhich(callers)}`)
}

export const noSession = (): Error =>
  notFound('active session; start one with session_start, or pass session with its name or id')
