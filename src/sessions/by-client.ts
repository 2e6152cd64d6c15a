/** What a client reports of its sessions: that they live, rest, pause and end. */
import type { Kernel } from '../kernel/kernel.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { cut } from '../text/text.ts'
import { changeAndIndex, recordEnd } from './end.ts'
import { harvestOf, hasFindings, NO_SUMMARY } from './findings.ts'
import { ambientSession } from './start.ts'
import {
  getSession,
  lockSession,
  ofClient,
  putTokens,
  touch,
  type Change,
  type SessionRow,
  type Tokens,
} from './store.ts'

/** What a client reports of a session when it ends or pauses. */
export interface Harvest {
  /** The client's last words. */
  findings?: string
  tokens?: Tokens
  model?: string
}

interface Ending {
  /** The key of the client's process; '' when it is not said. */
  process?: string
  reason?: string
}

interface OfClient {
  client: string
  external_id: string
}

/**
 * What a hook of a client says of its session: its user spoke, its turn goes on, its turn is over, or
 * only that it lives.
 */
export type Sign = 'prompt' | 'turn' | 'rest' | 'life'

interface Heard extends OfClient {
  model?: string
  /** The key of the client's process; '' when it is not said. */
  process?: string
  sign: Sign
  /** What its user asked, with secrets masked. */
  prompt?: string
}

/**
 * A hook was called: the client's active session is alive. A prompt also brings one back that has ended;
 * the other signs may be late. Returns the session when it is active.
 */
export async function beat(kernel: Kernel, heard: Heard): Promise<SessionRow | undefined> {
  const { client, external_id: external, model = '', sign, prompt = '' } = heard
  if (client === '' || external === '') return undefined
  const { turn_idle_minutes: rest } = kernel.config.sessions
  const idle_minutes = { prompt: null, turn: null, rest, life: undefined }[sign]
  const life = { client, external, model, idle_minutes, asked: firstLine(prompt) }
  await touch(kernel.db, life)
  const all = await ofClient(kernel.db, client, external)
  const active = all.find(({ status }) => status === 'active')
  const ended = sign === 'prompt' ? all.find(({ ambient }) => ambient) : undefined
  if (active || !ended) return active
  const { project, cwd, source } = ended
  const process = heard.process || ended.process
  const ambience = { client, external_id: external, project, cwd, source, model, process }
  const revived = await ambientSession(kernel, ambience)
  if (revived.first_prompt === '') await touch(kernel.db, life)
  return revived
}

/** Of what is kept of a prompt, in code points. */
const LONGEST_LINE = 200

const firstLine = (text: string): string =>
  cut(/^.*\S.*$/m.exec(text)?.[0].trim() ?? '', LONGEST_LINE)

/**
 * The client has ended, and with it every active session of its identity. Returns how many. The end of
 * one process is none of a session that runs in another meanwhile.
 *
 * Findings that the agent wrote are kept. Only an ambient session without findings takes the
 * client's last words.
 */
export async function endByClient(
  kernel: Kernel,
  { client, external_id, process = '', reason = '', ...said }: OfClient & Harvest & Ending,
): Promise<number> {
  if (client === '' || external_id === '') return 0
  return inTransaction(kernel, async (kernel) => {
    let ended = 0
    const all = await ofClient(kernel.db, client, external_id)
    for (const { id } of all.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
      if (await complete(kernel, id, { client, external_id, process, reason, ...said })) ended++
    }
    if (said.tokens) await reportTokens(kernel, { client, external_id }, said.tokens)
    return ended
  })
}

/** Returns whether the session was active, of this client still, and in this process where that is said. */
async function complete(
  kernel: Kernel,
  id: string,
  { client, external_id, process = '', reason = '', ...said }: OfClient & Harvest & Ending,
): Promise<boolean> {
  await lockSession(kernel.db, id)
  const session = await getSession(kernel.db, id)
  if (session.status !== 'active') return false
  // Another client may have taken it up before it was locked.
  if (session.external_client !== client || session.client_session_id !== external_id) return false
  if (process !== '' && session.process !== '' && process !== session.process) return false
  const taken = session.ambient ? takenFrom(session, said, NO_SUMMARY) : {}
  const { model = '' } = said
  const isSilent = reason === GONE
  await changeAndIndex(kernel, session, { status: 'completed', model, isSilent, ...taken })
  const { findings = session.findings } = taken
  await recordEnd(kernel, session, {
    ...(session.ambient && { ambient: true }),
    ...(!session.ambient && session.client_session_id !== '' && { linked: true }),
    ...(taken.harvested && { harvested: true }),
    ...(reason && { reason }),
    ...(hasFindings(findings) && { findings }),
  })
  return true
}

const GONE = 'gone'

/**
 * The machine of these sessions says that their clients no longer run. Findings, tokens and the last sign of
 * life are what was reported before. Returns how many have ended.
 */
export async function endGone(
  kernel: Kernel,
  gone: readonly (OfClient & { process?: string })[],
): Promise<number> {
  let ended = 0
  for (const each of gone) ended += await endByClient(kernel, { ...each, reason: GONE })
  return ended
}

/** Clients that start a bridge of its own for each subagent, and report the end of a session themselves. */
const SEVERAL_BRIDGES = new Set(['codex'])

/**
 * The client of a session has closed its bridge to us.
 *
 * @param process the key of the client's process; '' when it is not said
 */
export async function endClosed(kernel: Kernel, id: string, process: string): Promise<void> {
  const { external_client: client, client_session_id: external_id } = await getSession(
    kernel.db,
    id,
  )
  if (SEVERAL_BRIDGES.has(client)) return
  const ending = { client, external_id, process, reason: 'closed' }
  if (external_id === '') await inTransaction(kernel, (kernel) => complete(kernel, id, ending))
  else await endByClient(kernel, ending)
}

/** A client reports the tokens of its own session, which its agent has ended in the turn that they are of. */
export async function reportTokens(
  { db }: Kernel,
  { client, external_id }: OfClient,
  tokens: Tokens,
): Promise<void> {
  if (client === '' || external_id === '' || Object.keys(tokens).length === 0) return
  await putTokens(db, client, external_id, tokens)
}

/**
 * A client pauses and reports how far it is. Findings that the agent wrote are kept. A session that the agent named
 * has its own, and no tokens: those are of the session that the client keeps.
 */
export function harvest(kernel: Kernel, { id }: { id: string }, said: Harvest): Promise<void> {
  return inTransaction(kernel, async (kernel) => {
    await lockSession(kernel.db, id)
    const session = await getSession(kernel.db, id)
    if (session.status !== 'active') return
    const { model = '' } = said
    const taken = session.ambient ? takenFrom(session, said, session.findings) : {}
    await changeAndIndex(kernel, session, { model, ...taken })
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
