/** By whom: stamped on what is written and on each event. Empty means unknown. */
export interface Actor {
  session: string
  model: string
  /** The session that it probably was, when `session` is unknown. Events alone keep it, and as a guess. */
  probably?: string
}

/** Nobody in particular: the owner at the command line, a timer, a file changed by hand. */
export const NOBODY: Actor = { session: '', model: '' }
