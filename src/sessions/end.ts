/** How sessions report what they found, and how they end: by themselves, by their client, or in silence. */
import { record } from '../kernel/events.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { invalid } from '../kernel/refusal.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { judgeWrite, type Scope } from '../projects/projects.ts'
import { sessionEnded } from './events.ts'
import { harvestOf, indexFindings, NO_SUMMARY, recordMishaps, hasFindings } from './findings.ts'
import {
  changeSession,
  claimsReleased,
  expire,
  getSession,
  listSilent,
  lockSession,
  ofClient,
  touch,
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

async function changeAndIndex(kernel: Kernel, session: SessionRow, change: Change): Promise<void> {
  await changeSession(kernel.db, session.id, change)
  const { findings = session.findings } = change
  if (findings !== session.findings) await indexFindings(kernel, { ...session, findings })
}

const actorOf = ({ id, model }: SessionRow): Actor => ({ session: id, model })

type Said = Parameters<typeof sessionEnded.summary>[0]

/** Records the end; what follows from it frees the tasks that the session held. Returns how many. */
async function recordEnd(kernel: Kernel, session: SessionRow, payload: Said): Promise<number> {
  const event = await record(kernel, sessionEnded, {
    by: actorOf(session),
    project: session.project,
    item: null,
    payload,
  })
  return claimsReleased(kernel.db, event)
}

/** What a client reports of a session when it ends or pauses. */
export interface Harvest {
  /** The client's last words. */
  findings?: string
  tokens?: Tokens
  model?: string
}

interface OfClient {
  client: string
  external_id: string
}

/** A hook was called: the client's active session is alive. Returns it, if there is one. */
export async function beat(
  { db }: Kernel,
  { client, external_id: external, model = '' }: OfClient & { model?: string },
): Promise<SessionRow | undefined> {
  if (client === '' || external === '') return undefined
  await touch(db, { client, external, model })
  return (await ofClient(db, client, external)).find(({ status }) => status === 'active')
}

/**
 * The client has ended, and with it every active session of its identity. Returns how many.
 *
 * Findings that the agent wrote are kept. Only an ambient session without findings takes the
 * client's last words.
 */
export async function endByClient(
  kernel: Kernel,
  { client, external_id, reason = '', ...said }: OfClient & Harvest & { reason?: string },
): Promise<number> {
  if (client === '' || external_id === '') return 0
  return inTransaction(kernel, async (kernel) => {
    let ended = 0
    const all = await ofClient(kernel.db, client, external_id)
    for (const { id } of all.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
      await lockSession(kernel.db, id)
      const session = await getSession(kernel.db, id)
      if (session.status !== 'active') continue
      const taken = session.ambient ? takenFrom(session, said, NO_SUMMARY) : {}
      const { model = '' } = said
      await changeAndIndex(kernel, session, { status: 'completed', model, ...taken })
      const { findings = session.findings } = taken
      await recordEnd(kernel, session, {
        ...(session.ambient ? { ambient: true } : { linked: true }),
        ...(taken.harvested && { harvested: true }),
        ...(reason && { reason }),
        ...(hasFindings(findings) && { findings }),
      })
      ended++
    }
    return ended
  })
}

/** A client pauses and reports how far it is. Findings that the agent wrote are kept. */
export function harvest(kernel: Kernel, { id }: { id: string }, said: Harvest): Promise<void> {
  return inTransaction(kernel, async (kernel) => {
    await lockSession(kernel.db, id)
    const session = await getSession(kernel.db, id)
    if (session.status !== 'active') return
    const { model = '' } = said
    await changeAndIndex(kernel, session, { model, ...takenFrom(session, said, session.findings) })
  })
}

/** @param silence the findings of a session for which neither the agent nor the client wrote any */
function takenFrom(session: SessionRow, said: Harvest, silence: string): Change {
  const tokens = said.tokens && { tokens: said.tokens }
  if (hasFindings(session.findings) && !session.harvested) return { ...tokens }
  const words = harvestOf(said.findings)
  if (words !== '') return { ...tokens, findings: words, harvested: true }
  return hasFindings(session.findings) ? { ...tokens } : { ...tokens, findings: silence }
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
