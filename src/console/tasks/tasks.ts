/** What the owner may do to a claim. Tasks are found by the search; they have no pages yet. */
import { defineScreen } from '../screen.ts'
import { findHolders, findTaskNames } from './queries.ts'
import { releaseClaim } from './writes.ts'

export const tasks = defineScreen({
  section: 'tasks',
  item: { kind: 'task', fragments: [], find: findTaskNames },
  search: { scope: 'tasks', label: 'Tasks', rank: 30, details: findHolders },
  writes: [releaseClaim],
})
