/** How sessions report what they found, and how they end: by themselves or in silence. */
import { record } from '../kernel/events.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { invalid } from '../kernel/refusal.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { judgeWrite, type Scope } from '../projects/projects.ts'
import { sessionEnded } from './events.ts'
import { indexFindings, recordMishaps } from './findings.ts'
import {
  changeSession,
  claimsReleased,
  expire,
  getSession,
  listSilent,
  lockSession,
  type Change,
  type SessionRow,
  type SessionStatus,
  type Tokens,
} from './store.ts'

/** Replaces the findings of a session in any state, and leaves the state as it is. */
export function updateFindings(
  kernel: Kernel,
  scope: Scope,
  id: string,
  given: string,
): Promise<SessionStatus> {
  const findings = checkFindings(given)
  return inTransaction(kernel, async (kernel) => {
    const session = await open(kernel, scope, id)
    await changeAndIndex(kernel, session, { findings, harvested: false })
    return session.status
  })
}

export interface End {
  findings: string
  mishaps?: readonly string[]
  tokens?: Tokens
}

export interface Ended {
  claims_released: number
  mishaps_recorded: number
}

/** Completes a session in any state. The second end overwrites the findings of the first. */
export function endSession(kernel: Kernel, scope: Scope, id: string, end: End): Promise<Ended> {
  const findings = checkFindings(end.findings)
  return inTransaction(kernel, async (kernel) => {
    const session = await open(kernel, scope, id)
    const mishaps_recorded = await recordMishaps(
      kernel,
      actorOf(session),
      session,
      end.mishaps ?? [],
    )
    await changeAndIndex(kernel, session, {
      status: 'completed',
      findings,
      harvested: false,
      ...(end.tokens && { tokens: end.tokens }),
    })
    const claims_released = await recordEnd(kernel, session, { findings })
    return { claims_released, mishaps_recorded }
  })
}

function checkFindings(given: string): string {
  const findings = given.trim()
  if (findings === '') throw invalid('findings is required')
  return findings
}

/** Locked, read and judged: the scope may write where the session belongs. */
async function open(kernel: Kernel, scope: Scope, id: string): Promise<SessionRow> {
  await lockSession(kernel.db, id)
  const session = await getSession(kernel.db, id)
  await judgeWrite(kernel.db, scope, session.project)
  return session
}

export async function changeAndIndex(
  kernel: Kernel,
  session: SessionRow,
  change: Change,
): Promise<void> {
  await changeSession(kernel.db, session.id, change)
  const { findings = session.findings } = change
  if (findings !== session.findings) await indexFindings(kernel, { ...session, findings })
}

const actorOf = ({ id, model }: SessionRow): Actor => ({ session: id, model })

type Said = Parameters<typeof sessionEnded.summary>[0]

/** Records the end; what follows from it frees the tasks that the session held. Returns how many. */
export async function recordEnd(
  kernel: Kernel,
  session: SessionRow,
  payload: Said,
): Promise<number> {
  const event = await record(kernel, sessionEnded, {
    by: actorOf(session),
    project: session.project,
    item: null,
    payload,
  })
  return claimsReleased(kernel.db, event)
}

/** How many of the silent are looked at in one run. */
const AT_ONCE = 500

/** For a timer: sessions that have been silent for too long are expired. Returns how many. */
export async function expireSilent(kernel: Kernel): Promise<number> {
  const { expire_minutes: minutes } = kernel.config.sessions
  let expired = 0
  for (const id of await listSilent(kernel.db, minutes, AT_ONCE)) {
    await inTransaction(kernel, async (kernel) => {
      if (!(await expire(kernel.db, id, minutes))) return
      expired++
      await recordEnd(kernel, await getSession(kernel.db, id), { reason: 'expired', reaped: true })
    })
  }
  return expired
}
