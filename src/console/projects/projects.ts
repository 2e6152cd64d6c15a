import { defineScreen } from '../screen.ts'
import { searchProjects } from './queries.ts'

/** Projects are found by their names. They have no pages yet. */
export const projects = defineScreen({
  section: 'projects',
  item: { kind: 'project', fragments: [] },
  search: { scope: 'projects', label: 'Projects', rank: 50, find: searchProjects },
})
