/** Plans are found by the search, and the owner may approve one. They have no pages yet. */
import { defineScreen } from '../screen.ts'
import { searchPlans } from './queries.ts'
import { approve } from './writes.ts'

export const plans = defineScreen({
  section: 'plans',
  item: { kind: 'plan', fragments: [] },
  search: { scope: 'plans', label: 'Plans', rank: 35, find: searchPlans },
  writes: [approve],
})
