/** The figures of the overview: what each counts, and where it leads. */
import { AIMS } from '../aims.ts'
import { declareFigures, type Place } from '../figures.ts'

/** What explains a figure of retrieval: a part of its page, in the same window. */
const retrieval =
  (place = '') =>
  ({ w = '24h' }: Place) =>
    `/console/retrieval${w === '24h' ? '' : `?w=${w}`}${place && `#${place}`}`
/** A figure that nothing else explains leads to its own definition. */
const explained =
  (name: string) =>
  ({ w = '24h' }: Place) =>
    `/console/${w === '24h' ? '' : `?w=${w}`}#figure-overview-${name}`
const inWindow = ({ w = '24h' }: Place): string => `w=${w}`

export const figure = declareFigures(
  'overview',
  ['/console/', '/console/?w=7d', '/console/?w=30d', '/console/?w=all'],
  {
    reach: {
      label: 'Memory reach',
      unit: '%',
      definition:
        'Different active memories that were put before an agent in the window, of all active memories.',
      leads: 'explanation',
      href: retrieval(),
      windowed: true,
      band: AIMS.reach,
    },
    continuity: {
      label: 'Continuity',
      unit: '%',
      definition:
        'Sessions that left findings, a memory, a note or a trial, of all sessions that began in the window.',
      leads: 'explanation',
      href: (place) => `/console/sessions?${inWindow(place)}&retained=no`,
      windowed: true,
      band: AIMS.continuity,
    },
    injections: {
      label: 'Injections',
      unit: ['item', 'items'],
      definition:
        'Items put before agents in the window, at a start, with a prompt or by a search; one item counts each time.',
      leads: 'explanation',
      href: retrieval('delivery'),
      windowed: true,
    },
    reached: {
      label: 'Sessions reached',
      unit: ['session', 'sessions'],
      definition: 'Different sessions that were given at least one item in the window.',
      leads: 'explanation',
      href: retrieval(),
      windowed: true,
    },
    memories: {
      label: 'Memories',
      unit: ['memory', 'memories'],
      definition:
        'Active memories of all projects; superseded and archived ones are not among them.',
      leads: 'rows',
      href: () => '/console/memories?status=active',
    },
    notes: {
      label: 'Notes',
      unit: ['note', 'notes'],
      definition: 'All notes of all projects.',
      leads: 'rows',
      href: () => '/console/notes',
    },
    sessions: {
      label: 'Sessions',
      unit: ['session', 'sessions'],
      definition: 'All sessions there ever were, in any state.',
      leads: 'rows',
      href: () => '/console/sessions?w=all',
    },
    tasks: {
      label: 'Unfinished tasks',
      unit: ['task', 'tasks'],
      definition: 'Tasks that are open or in progress, blocked ones among them.',
      leads: 'explanation',
      href: explained('tasks'),
    },
  },
)
