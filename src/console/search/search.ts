/** One question over everything there is. The palette asks the same address, for JSON. */
import Type, { type Static } from 'typebox'
import { findFeatures } from '../../features/features.ts'
import { name } from '../../kernel/schema/bounds.ts'
import { notAmong } from '../../kernel/schema/words.ts'
import { SPELT } from '../kept-parts.ts'
import { narrowingOf } from '../narrowing.ts'
import { Choice, Narrowing, Text } from '../parameters.ts'
import { defineScreen, type ScreenApp } from '../screen.ts'
import { findGroups, type Group, type SearchedScreen } from './groups.ts'
import { markerOf } from './marks.ts'
import { narrowed, ordered, SEARCH_WINDOW_KEYS, SEARCH_WINDOWS, SORTS } from './narrow.ts'
import { anchorOf } from './row.ts'

const QUERY_CHARACTERS = 200
/** Shorter questions are not asked. */
const LEAST_CHARACTERS = 2
/** Rows of a group: on the page, for the palette, and looked through when starred or recent ones are sought. */
const PAGE_ROWS = 20
const PALETTE_ROWS = 5
const DEEP_ROWS = 60

const Query = Type.Object(
  {
    q: Text(QUERY_CHARACTERS),
    scope: name({ default: 'all' }),
    sort: Choice(SORTS),
    w: Choice(SEARCH_WINDOW_KEYS),
    fav: Narrowing(['1']),
    fast: Narrowing(['1']),
  },
  { additionalProperties: false },
)
type Query = Static<typeof Query>

export const search = defineScreen({
  section: 'search',
  nav: { group: 'Watch', label: 'Search', key: '/', hint: 'Ctrl K' },

  async routes(app) {
    app.get('', { schema: { querystring: Query } }, async ({ query: given }, reply) => {
      const asked = { ...given, scope: given.scope || 'all' }
      const { q: query, fast, scope, sort, w, fav } = asked
      const screens = await searchedScreens(app)
      const scopes = ['all', ...screens.map((screen) => screen.search.scope)]
      if (!scopes.includes(scope)) throw notAmong('scope', scope, scopes)
      const idle = query.length < LEAST_CHARACTERS
      const marker = { mark: markerOf(query), [SPELT]: query }
      const limit = fast ? PALETTE_ROWS : PAGE_ROWS
      const groups = idle ? [] : await groupsOf(app, screens, { ...asked, limit }, marker.mark)
      const total = groups.reduce((sum, { count }) => sum + count, 0)
      return reply.page('results', {
        title: query === '' ? 'Search' : `Search: ${query}`,
        data: {
          ...{ query, scope, sort, window: w, windowLabel: SEARCH_WINDOWS[w].label },
          ...{ fast: fast === '1', favoritesOnly: fav === '1', total, groups },
        },
        only: {
          idle,
          marker,
          meant: groups.some(({ rows }) => rows.some(({ similarity }) => similarity !== undefined)),
          capped: groups.some(({ count }) => count === limit),
          tables: tablesOf(groups, sort),
          narrowing: headOf(asked, scopes),
        },
        // Another answer is another question; what is shown of these stays right.
        live: { page: concernsOf(groups) },
      })
    })
  },
})

async function groupsOf(
  app: ScreenApp,
  screens: readonly SearchedScreen[],
  { q: query, scope, fast, sort, w, fav, limit }: Query & { limit: number },
  mark: (text: string) => string,
): Promise<Group[]> {
  const starred = fav === '1'
  const depth = starred || w !== 'all' ? DEEP_ROWS : limit
  const wanted = screens.filter(({ search }) => scope === 'all' || search.scope === scope)
  await app.clock.look()
  const found = await findGroups(app, wanted, { query, limit: depth, fast: fast === '1' }, mark)
  return narrowed(found, { sort, w, starred, limit, now: app.clock.now() })
}

/** By relevance a part for each kind; in any other order kinds stand among each other. */
function tablesOf(groups: readonly Group[], sort: Query['sort']) {
  const anchored = ({ rows, ...group }: Group) => ({
    ...group,
    rows: rows.map((row) => ({ ...row, anchor: anchorOf(row) })),
  })
  if (sort === 'relevance') return groups.map(anchored)
  const rows = ordered(
    groups.flatMap(({ rows }) => rows),
    sort,
  )
  return rows.length === 0 ? [] : [anchored({ kind: 'all', label: '', count: rows.length, rows })]
}

function concernsOf(groups: readonly Group[]) {
  const item = groups.flatMap(({ rows }) => rows.map(({ id }) => id))
  return item.length === 0 ? [] : [{ kinds: ['acts'], where: { item } }]
}

const SORT_LABELS = {
  relevance: 'relevance',
  newest: 'changed last',
  oldest: 'changed first',
  project: 'project',
  confidence: 'meaning',
} as const

function headOf(query: Query, scopes: readonly string[]) {
  const narrowing = narrowingOf({
    base: '/console/search',
    schema: Query,
    values: query,
    filter: { label: 'Search everything', placeholder: 'A question, some words, a name, an id' },
    menus: [
      {
        name: 'scope',
        label: 'Look in',
        always: true,
        options: scopes.map((value) => ({ value, label: value })),
      },
      {
        name: 'sort',
        label: 'Sort',
        always: true,
        options: SORTS.map((value) => ({ value, label: SORT_LABELS[value] })),
      },
      {
        name: 'w',
        label: 'Changed',
        always: true,
        options: SEARCH_WINDOW_KEYS.map((value) => ({ value, label: SEARCH_WINDOWS[value].label })),
      },
      {
        name: 'fav',
        label: 'Star',
        options: [
          { value: '', label: 'any' },
          { value: '1', label: 'starred' },
        ],
      },
    ],
  })
  // The question stands in its field.
  return { ...narrowing, chips: narrowing.chips.slice(query.q === '' ? 0 : 1) }
}

/** The screens that have a group, in the order of their ranks. */
async function searchedScreens({ kernel, screens }: ScreenApp): Promise<SearchedScreen[]> {
  const features = await findFeatures(kernel)
  return screens
    .filter((screen): screen is SearchedScreen => screen.search !== undefined)
    .filter(({ feature }) => !feature || features[feature])
    .toSorted((a, b) => rankOf(a) - rankOf(b))
}

const rankOf = ({ search: { rank = Infinity } }: SearchedScreen): number =>
  Math.min(rank, Number.MAX_SAFE_INTEGER)
