/** The list of the screens, in the order of the navigation. */
import { context, relations } from './context/context.ts'
import { events } from './events/events.ts'
import { favorites } from './favorites/favorites.ts'
import { gardener } from './gardener/gardener.ts'
import { interactions } from './interactions/interactions.ts'
import { labs } from './labs/labs.ts'
import { memories } from './memories/memories.ts'
import { notes } from './notes/notes.ts'
import { now } from './now/now.ts'
import { overview } from './overview/overview.ts'
import { parts } from './parts/parts.ts'
import { plans } from './plans/plans.ts'
import { projects } from './projects/projects.ts'
import type { Screen } from './screen.ts'
import { retrieval } from './retrieval/retrieval.ts'
import { search } from './search/search.ts'
import { sessions } from './sessions/sessions.ts'
import { settings } from './settings/settings.ts'
import { tasks } from './tasks/tasks.ts'
import { trials } from './trials/trials.ts'

export const screens: readonly Screen[] = [
  overview,
  now,
  interactions,
  search,
  projects,
  sessions,
  tasks,
  plans,
  memories,
  notes,
  labs,
  trials,
  retrieval,
  context,
  gardener,
  settings,
  events,
  favorites,
  relations,
  parts,
]
