import { defineScreen } from '../screen.ts'
import { findMemoryNames } from './queries.ts'

/** Memories are found by the search, and named where they are met. They have no pages yet. */
export const memories = defineScreen({
  section: 'memories',
  item: { kind: 'memory', fragments: [], find: findMemoryNames },
  search: { scope: 'memories', label: 'Memories', rank: 10 },
})
