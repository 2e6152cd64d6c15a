/** Callers as scopes see them, without an edge in front. */
import type { CallContext } from '../../src/projects/projects.ts'

/** A caller of whom nothing is known. */
export const NOBODY_KNOWN: CallContext = {
  session: null,
  model: '',
  guess: { places: [], isUnplaced: false, isAway: false },
  listAgents: async () => [],
}
