import type { Actor } from '../kernel/kernel.ts'
import { invalid } from '../kernel/refusal.ts'
import type { Scope } from '../projects/projects.ts'

/** The origin and the target of a capture. */
export interface CaptureFrom {
  by: Actor
  /** The readable name of the session, or of another actor: `console`. */
  name: string
  /** The resolved project. The write judges it once more beside the file. */
  target: { project: string; scope: Scope }
  /** The client and its own id of the session, for the log. */
  client?: string
  external_id?: string
  /** The commit of the working directory, in hexadecimal; '' is unknown. */
  git_head?: string
}

/** Nobody reads a longer plan, and no note holds one. 4 MiB. */
const MAX_PLAN_BYTES = 4 * 1024 * 1024

/** Refuses a plan of so many bytes when it is too large. */
export function checkPlan(bytes: number): void {
  if (bytes > MAX_PLAN_BYTES) throw invalid('the plan is larger than 4 MiB and is not kept')
}
