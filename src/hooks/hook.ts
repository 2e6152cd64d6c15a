/** The socket of the hooks: what one of them is. */
import type { Kernel } from '../kernel/kernel.ts'
import { resolvePlace, type Place } from '../projects/projects.ts'
import { beat, type SessionRow } from '../sessions/sessions.ts'
import type { Client } from './clients.ts'
import type { Payload } from './payload.ts'

/** One call of a hook. */
export interface Call {
  client: Client
  payload: Payload
  /** Something failed, and the rest goes on. The stage is a fixed label. */
  trouble(stage: string, error: unknown): void
}

/** What an agent is to be told. */
export interface Injection {
  /** A fenced block. */
  text: string
  /** Whose content stands in it; undefined: none, and nothing is recorded. */
  item_ids?: readonly string[]
  /** Lines before the closing tag that stay whatever is cut. */
  keep?: number
}

export interface Outcome {
  /** Whose session it is, for the log. */
  session?: { id: string; model: string } | undefined
  /** Null: none is known. */
  project?: string | null
  injection?: Injection | undefined
  /** What the user had asked: kept with what answered it, or as a prompt that nothing answered. */
  prompt?: string
}

export interface Hook {
  /** Below /api/hooks, and as it stands in the log. */
  name: string
  /** What it does, for whoever sets it up. */
  does: string
  /** As the clients call the event. */
  event: string
  /** Until it is answered, in ms, whatever has become of it. */
  deadline: number
  /** `context`: the answer always has a place for one, `maybe`: only when there is something to tell. */
  answers: 'context' | 'maybe' | 'nothing'
  run(kernel: Kernel, call: Call): Promise<Outcome | undefined>
}

/** What the agent waits for. */
export const SHORT = 2_000
/** What reads and writes whole plans and reports. */
export const LONG = 8_000

/** The active session that a call belongs to. A sign of life for it; nothing is revived. */
export const sessionOf = (
  kernel: Kernel,
  { client, payload: { session_id: external_id, model } }: Call,
): Promise<SessionRow | undefined> => beat(kernel, { client, external_id, model })

/** Where a call is at home: where its session is, else what its directory says. Nothing is registered. */
export async function homeOf(
  kernel: Kernel,
  session: SessionRow | undefined,
  { payload: { cwd, repo, repo_root } }: Call,
): Promise<Place> {
  if (session) return { project: session.project, isolation: session.isolation }
  const { project, isolation } = await resolvePlace(kernel, { cwd, repo, repo_root }, false)
  return { project, isolation }
}
