/** One question over everything there is. The palette asks the same address, for JSON. */
import Type from 'typebox'
import { findFeatures } from '../../features/features.ts'
import { name } from '../../kernel/schema/bounds.ts'
import { notAmong } from '../../kernel/schema/words.ts'
import { Narrowing, Text } from '../parameters.ts'
import { defineScreen, type ScreenApp } from '../screen.ts'
import { findGroups, type SearchedScreen } from './groups.ts'

const QUERY_CHARACTERS = 200
/** Shorter questions are not asked. */
const LEAST_CHARACTERS = 2

const Query = Type.Object(
  {
    q: Text(QUERY_CHARACTERS),
    scope: name({ default: '' }),
    fast: Narrowing(['1']),
  },
  { additionalProperties: false },
)

export const search = defineScreen({
  section: 'search',
  nav: { group: 'Watch', label: 'Search', key: '/', hint: 'Ctrl K' },

  async routes(app) {
    app.get('', { schema: { querystring: Query } }, async (request, reply) => {
      const { q: query, fast: given, scope: asked } = request.query
      const fast = given === '1'
      const limit = fast ? 5 : 20
      const searched = await searchedScreens(app)
      const scopes = ['all', ...searched.map((screen) => screen.search.scope)]
      const scope = asked || 'all'
      if (!scopes.includes(scope)) throw notAmong('scope', scope, scopes)
      const idle = query.length < LEAST_CHARACTERS
      const wanted = idle
        ? []
        : searched.filter((screen) => scope === 'all' || screen.search.scope === scope)
      const groups = await findGroups(app, wanted, { query, limit, fast })
      const total = groups.reduce((sum, { count }) => sum + count, 0)
      return reply.page('results', {
        title: query === '' ? 'Search' : `Search: ${query}`,
        data: { query, scope, fast, total, groups },
        only: {
          idle,
          capped: groups.some(({ count }) => count === limit),
          menu: scopeMenu(query, scope, scopes),
        },
      })
    })
  },
})

/** The menu of what is looked through. */
function scopeMenu(query: string, chosen: string, scopes: readonly string[]) {
  const href = (scope: string) => {
    const asked = new URLSearchParams({ ...(query && { q: query }), scope })
    return `/console/search?${asked.toString()}`
  }
  const links = scopes.map((scope) => ({
    ...{ label: scope, href: href(scope), count: null },
    current: scope === chosen,
  }))
  return { name: 'scope', label: 'Look in', value: chosen, links }
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
