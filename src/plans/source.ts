import type { Actor } from '../kernel/kernel.ts'
import { maskSecrets } from '../text/secrets.ts'
import type { Scope } from '../projects/projects.ts'

/** Where a capture comes from and where it belongs. */
export interface CaptureFrom {
  by: Actor
  /** The session as people call it, or who else acts: `console`. */
  name: string
  /** Resolved, as a session's own project is; judged once more beside the file. */
  target: { project: string; scope: Scope }
  /** The client and its own id of the session, for the log. */
  client?: string
  external_id?: string
  /** The commit that the working directory has checked out, in hexadecimal; '' is unknown. */
  git_head?: string
}

/** What nobody has read before it is stored: whole, but for secrets and what no text may hold. */
export const storable = (text: string): string =>
  maskSecrets(text.toWellFormed().replaceAll('\0', '\u{fffd}'))
