import { defineScreen } from '../screen.ts'
import { findTrialNames } from './queries.ts'

/** Trials are found by the search while research is on. They have no pages yet. */
export const trials = defineScreen({
  section: 'trials',
  feature: 'research',
  item: { kind: 'trial', fragments: [], find: findTrialNames },
  search: { scope: 'trials', label: 'Trials', rank: 40 },
})
