/** By whom: stamped on what is written and on each event. Empty means unknown. */
export interface Actor {
  session: string
  model: string
}

/** Nobody in particular: the owner at the command line, a timer, a file changed by hand. */
export const NOBODY: Actor = { session: '', model: '' }
