/** The socket of the hooks: what a hook is. */
import type { Kernel } from '../kernel/kernel.ts'
import type { Hearer, Saved } from '../briefing/briefing.ts'
import { isFenced, resolvePlace, type Place } from '../projects/projects.ts'
import { ambientOf, beat, endGone, type SessionRow, type Sign } from '../sessions/sessions.ts'
import type { Client } from './clients.ts'
import type { Payload } from './payload.ts'

/** One call of a hook. */
export interface Call {
  client: Client
  payload: Payload
  /** Reports that a part failed while the rest goes on. The stage is a fixed label. */
  trouble(stage: string, error: unknown): void
}

/** What is injected into the context of an agent. */
export interface Injection {
  /** A context block. */
  text: string
  /** The items whose content it holds; undefined: it holds none, and nothing is recorded. */
  item_ids?: readonly string[]
  /** How many lines before the closing tag stay when the rest is cut. */
  keep?: number
}

export interface Outcome {
  /** The session of the call, for the log. */
  session?: { id: string; model: string } | undefined
  /** Null when none is known. */
  project?: string | null
  injection?: Injection | undefined
  /** The prompt of the user: recorded with what matched it, or as a prompt without a match. */
  prompt?: string
  /** Who counts as told of what is injected. */
  hearer?: Hearer | undefined
  /** What was left out because the agent had been told it before. */
  saved?: Saved
}

export interface Hook {
  /** Its address below /api/hooks, and its name in the log. */
  name: string
  /** What it does, for the documentation. */
  does: string
  /** The clients' name of the event. */
  event: string
  /** When the answer goes out at the latest, finished or not. */
  deadlineMs: number
  /** `context`: the answer always has the field; `maybe`: only when there is something to inject. */
  answers: 'context' | 'maybe' | 'nothing'
  run(kernel: Kernel, call: Call): Promise<Outcome | undefined>
}

/** For hooks that the agent waits for. */
export const SHORT_MS = 2_000
/** For hooks that read and write whole plans and reports. */
export const LONG_MS = 8_000

/** Returns the active session of a call. The call is a sign of life for it; only a prompt revives one. */
export const sessionOf = (
  kernel: Kernel,
  { client, payload: { session_id: external_id, model, process } }: Call,
  sign: Sign = 'turn',
  prompt = '',
): Promise<SessionRow | undefined> =>
  beat(kernel, { client, external_id, model, process, sign, prompt })

/** Ends the sessions whose clients no longer run, as the machine of the caller says. */
export async function endTheGone(
  kernel: Kernel,
  { client, payload: { gone, session_id }, trouble }: Call,
): Promise<void> {
  // A client that was killed and runs again speaks for its session by itself.
  const others = gone.filter((each) => each.client !== client || each.session_id !== session_id)
  const named = others.map(({ session_id, ...each }) => ({ ...each, external_id: session_id }))
  await endGone(kernel, named).catch((error: unknown) => trouble('gone', error))
}

/**
 * Returns the project of a call: that of its session, which may have ended, else of its directory. Nothing is
 * registered. A session that has ended leads out of no fence: not of its own, nor of the directory's.
 */
export async function homeOf(
  kernel: Kernel,
  session: SessionRow | undefined,
  { client, payload: { session_id, cwd, repo, repo_root } }: Call,
): Promise<Place> {
  if (session) return placeOf(session)
  const ended = await ambientOf(kernel, client, session_id)
  const here = await resolvePlace(kernel, { cwd, repo, repo_root }, false)
  return placeOf(ended && (isFenced(ended) || !isFenced(here)) ? ended : here)
}

const placeOf = ({ project, isolation }: Place): Place => ({ project, isolation })
