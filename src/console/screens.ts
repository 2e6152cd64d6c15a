/** The list of the screens. Within a group of the navigation their order is that of this list. */
import { events } from './events/events.ts'
import { memories } from './memories/memories.ts'
import { notes } from './notes/notes.ts'
import { projects } from './projects/projects.ts'
import type { Screen } from './screen.ts'
import { search } from './search/search.ts'
import { sessions } from './sessions/sessions.ts'
import { tasks } from './tasks/tasks.ts'
import { trials } from './trials/trials.ts'

export const screens: readonly Screen[] = [
  projects,
  sessions,
  memories,
  notes,
  search,
  events,
  tasks,
  trials,
]
