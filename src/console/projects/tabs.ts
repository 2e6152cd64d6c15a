/** The seven parts of a project's page, and what their addresses may say. */
import Type, { type Static, type TObject } from 'typebox'
import { name } from '../../kernel/schema/bounds.ts'
import type { ListPlace } from '../list-place.ts'
import { narrowingOf } from '../narrowing.ts'
import { Choice, linkQuery, PageNumber, parametersReader, Text } from '../parameters.ts'
import type { PageData } from '../screen.ts'
import { WINDOW_KEYS, WindowParameter, WINDOWS } from '../windows.ts'

export const TABS = [
  'overview',
  'tasks',
  'sessions',
  'memories',
  'notes',
  'interactions',
  'context',
] as const
export type Tab = (typeof TABS)[number]

const LABELS: Record<Tab, string> = {
  overview: 'Overview',
  tasks: 'Plans & tasks',
  sessions: 'Sessions',
  memories: 'Memories',
  notes: 'Notes',
  interactions: 'Interactions',
  context: 'Context',
}

/** What narrows a list is read by the list's own schema, which knows its values. */
const Given = Text(200)

export const One = Type.Object({
  tab: Choice(TABS),
  w: WindowParameter,
  q: Given,
  status: Given,
  kind: Given,
  retained: Given,
  sort: Given,
  /** The memory or note that is open beside the rail. */
  item: Text(26),
  /** A stretch of its interactions, whose rows are shown; both or neither. */
  afterTs: Text(40),
  beforeTs: Text(40),
  page: PageNumber,
})
export type One = Static<typeof One>

export const BySlug = Type.Object({ slug: name({}) })

/** What one part shows: values of JSON, and of templates alone. Those that cost something are functions. */
export interface TabView {
  data: PageData
  only: PageData
}

/** How many rows follow on other pages; left out of the JSON where there are none. */
export const moreOf = ({ more }: { more: number }): number | undefined =>
  more > 0 ? more : undefined

export const pageOf = (slug: string): string => `/console/projects/${encodeURIComponent(slug)}`

export const tabHref = (slug: string, tab: Tab, query: Partial<One> = {}): string =>
  pageOf(slug) + linkQuery(One, { ...query, tab } as One)

/** The address of the page as it is narrowed now, for a form that leads back to it. */
export function hereOf(slug: string, query: One): string {
  const href = tabHref(slug, query.tab, query)
  if (query.page === 1) return href
  return `${href}${href.includes('?') ? '&' : '?'}page=${query.page}`
}

/** What the head of a part without a list of its own offers, with what else is set there. */
export const headOf = (
  slug: string,
  query: One,
  chips: readonly { label: string; href: string }[] = [],
) => ({
  ...narrowingOf({
    base: pageOf(slug),
    schema: One,
    values: { ...query, afterTs: '', beforeTs: '' },
    menus: ['overview', 'interactions'].includes(query.tab)
      ? [
          {
            ...{ name: 'w', label: 'Window', always: true },
            options: WINDOW_KEYS.map((value) => ({ value, label: WINDOWS[value].label })),
          },
        ]
      : [],
  }),
  chips,
  count: null,
  words: '',
})

/** The links to all parts, with how much is in each. The window goes along. */
export const tabLinks = (
  slug: string,
  open: Tab,
  w: One['w'],
  counts: Partial<Record<Tab, number>>,
) =>
  TABS.map((tab) => ({
    ...{ tab, label: LABELS[tab], count: counts[tab] ?? null, current: tab === open },
    href: tabHref(slug, tab, { w }),
  }))

/**
 * The list of a section as it stands in a part of the page of this project, and how its parameters are read there. The
 * window of the page goes along with its links, unless the list has one itself.
 */
export function heldList<Query extends TObject>(List: Query, tab: Tab) {
  const { project: _, ...own } = List.properties as Record<string, Query['properties'][string]>
  const schema = Type.Object({ ...One.properties, ...own })
  const read = parametersReader(List)
  return {
    read: (query: One, slug: string): Static<Query> => read({ ...query, project: slug }),
    at: (slug: string, { w }: One): ListPlace => ({
      ...{ base: pageOf(slug), schema, held: true },
      beside: Object.hasOwn(own, 'w') ? { tab } : { tab, w },
    }),
  }
}
