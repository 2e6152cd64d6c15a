/** The figures of retrieval: what each counts, and what explains it. */
import { AIMS } from '../aims.ts'
import { declareFigures, type Place } from '../figures.ts'

export const BASE = '/console/retrieval'

export const addressOf = ({ w = '24h' }: Place, place = ''): string =>
  `${BASE}${w === '24h' ? '' : `?w=${w}`}${place && `#${place}`}`

const explainedAt =
  (place: string) =>
  (where: Place): string =>
    addressOf(where, place)

export const figure = declareFigures(
  'retrieval',
  [BASE, `${BASE}?w=7d`, `${BASE}?w=30d`, `${BASE}?w=all`],
  {
    reach: {
      label: 'Memory reach',
      unit: '%',
      definition:
        'Different active memories that were put before an agent in the window, of all active memories.',
      leads: 'explanation',
      href: explainedAt('scopes'),
      windowed: true,
      band: AIMS.reach,
    },
    injections: {
      label: 'Injections',
      unit: ['item', 'items'],
      definition:
        'Items put before agents in the window, at a start, with a prompt or by a search; one item counts each time.',
      leads: 'explanation',
      href: explainedAt('circulation'),
      windowed: true,
    },
    reached: {
      label: 'Sessions reached',
      unit: ['session', 'sessions'],
      definition: 'Different sessions that were given at least one item in the window.',
      leads: 'explanation',
      href: ({ w = '24h' }) => `/console/sessions?w=${w}`,
      windowed: true,
    },
    tokens: {
      label: 'Context taken',
      unit: ['token', 'tokens'],
      definition:
        'What the texts took that were put before agents unasked, about: four bytes count as one token. Answers of searches are not among them.',
      leads: 'explanation',
      href: explainedAt('loop'),
      windowed: true,
    },
    created: {
      label: 'Written',
      unit: ['memory', 'memories'],
      definition:
        'Memories that were written in the window, those among them that have ended since.',
      leads: 'explanation',
      href: () => '/console/memories?sort=recent',
      windowed: true,
    },
    retired: {
      label: 'Ended',
      unit: ['memory', 'memories'],
      definition: 'Memories that were superseded or archived in the window.',
      leads: 'explanation',
      href: () => '/console/memories?sort=recent',
      windowed: true,
    },
    demand: {
      label: 'Demand rate',
      unit: '%',
      definition:
        'Active memories that a session was given at its start in the window and that agents asked for in the same window, of all that were given at a start. To ask is to find by recall, to match with a prompt, or to read.',
      leads: 'explanation',
      href: explainedAt('dead'),
      windowed: true,
      band: AIMS.demand,
    },
    waste: {
      label: 'Waste share',
      unit: '%',
      definition:
        'Tokens of active memories that nobody asked for in the last 30 days, whatever the window is, of all tokens of the window. What several items took together counts in equal parts.',
      leads: 'explanation',
      href: explainedAt('dead'),
      windowed: true,
      band: AIMS.waste,
    },
    missed: {
      label: 'Prompts missed',
      unit: '%',
      definition:
        'Prompts that matched no memory in the window, of all prompts. One that matched what its agent had been told before has matched.',
      leads: 'explanation',
      href: explainedAt('vain'),
      windowed: true,
      band: AIMS.missed,
    },
    searches: {
      label: 'Searches in vain',
      unit: ['search', 'searches'],
      definition: 'Searches of agents in the window that found nothing at all.',
      leads: 'explanation',
      href: explainedAt('vain'),
      windowed: true,
    },
  },
)
