/** The figures of a session's page. */
import { declareFigures } from '../figures.ts'

const page = ({ of = '' }: { of?: string }) => `/console/sessions/${of}`

export const sessionFigure = declareFigures('sessions', ['/console/sessions/{id}'], {
  calls: {
    label: 'Calls',
    unit: ['call', 'calls'],
    definition:
      'Calls of tools that were recorded for this session, those included that the log no longer holds.',
    leads: 'explanation',
    href: (place) => `${page(place)}#trace`,
  },
  shown: {
    label: 'Context shown',
    unit: ['item', 'items'],
    definition:
      'Different memories, notes and other items that were put before it, by a briefing, for a prompt or by recall.',
    leads: 'explanation',
    href: (place) => `${page(place)}#context`,
  },
  read: {
    label: 'Read afterwards',
    unit: '%',
    definition:
      'Items that it read after they were put before it, of all different items that were put before it.',
    leads: 'explanation',
    href: (place) => `${page(place)}#context`,
  },
  memories: {
    label: 'Memory activity',
    unit: ['time', 'times'],
    definition: 'Times that it read or wrote a memory.',
    leads: 'explanation',
    href: (place) => `${page(place)}#made`,
  },
  tokens: {
    label: 'Tokens',
    unit: ['token', 'tokens'],
    definition:
      'Input, cached, written to the cache and output together, as its client last reported them.',
    leads: 'explanation',
    href: (place) => `${page(place)}#facts`,
  },
})
