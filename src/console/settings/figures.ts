import { declareFigures } from '../figures.ts'

const SEMANTIC = '/console/settings#semantic-index'

/** How far the store can be searched by meaning, and how large it is. */
export const settingsFigure = declareFigures('settings', ['/console/settings'], {
  items: {
    label: 'Items',
    unit: ['item', 'items'],
    definition: 'Memories, notes, tasks, trials and findings that stand and are searched.',
    leads: 'explanation',
    href: () => SEMANTIC,
  },
  missing: {
    label: 'Without vectors',
    unit: ['item', 'items'],
    definition: 'Items of which a passage has no vector at all: they are found by words alone.',
    leads: 'explanation',
    href: () => SEMANTIC,
  },
  stale: {
    label: 'Of another model',
    unit: ['item', 'items'],
    definition: 'Items of which a passage has the vector of a model that is not in use.',
    leads: 'explanation',
    href: () => SEMANTIC,
  },
  backlog: {
    label: 'Waiting',
    unit: ['item', 'items'],
    definition: 'Items that the background still turns into vectors, those included that failed.',
    leads: 'explanation',
    href: () => SEMANTIC,
  },
})
