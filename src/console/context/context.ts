/** What agents are told unasked: who is told what of whom, and a briefing as it would be now. */
import { parseProject, wireProject } from '../../projects/projects.ts'
import { once } from '../../kernel/once.ts'
import { notFound } from '../../kernel/refusal.ts'
import { linkQuery } from '../parameters.ts'
import { defineScreen } from '../screen.ts'
import { Asking, checkAsking } from './asking.ts'
import { mapOf } from './map.ts'
import { clientMenu, previewsOf } from './preview.ts'
import { topologyOf, type Topology } from './topology.ts'

const LIVE = {
  page: [
    ...['memory.*', 'session.*', 'task.*', 'plan.*', 'gardener.action'],
    ...['settings.briefing_changed', 'settings.families_changed', { every: 60 }],
  ],
}

export const context = defineScreen({
  section: 'context',
  nav: { group: 'Tend', label: 'Context', key: 'c' },

  async routes(app) {
    app.get('', { schema: { querystring: Asking } }, async ({ query }, reply) => {
      checkAsking(query)
      const focus = query.scope === 'all' ? undefined : (parseProject(query.project) ?? '')
      const topology = await topologyOf(app, focus, query.page)
      if (!topology) throw notFound(`project ${query.project}`)
      const previews = once(async () =>
        focus === undefined ? null : previewsOf(app, focus, query),
      )
      const { summary, rules, projects, families, lineages, more } = topology
      const named = focus === undefined ? null : wireProject(focus)
      return reply.page('page', {
        title: named === null ? 'Context' : `Context of ${named}`,
        data: {
          ...{ scope: query.scope, project: named },
          options: optionsOf(topology, named),
          ...{ summary, rules, projects, families, lineages },
          ...(more > 0 && { more }),
          ...(focus !== undefined && { preview: previews }),
        },
        only: {
          focus: named,
          map: mapOf(topology),
          menus: menusOf(topology, named, query),
          preview: previews,
          asked: query.prompt,
          pages: {
            ...{ base: '/console/context', query: linkQuery(Asking, query) },
            ...{ page: query.page, more },
          },
        },
        live: LIVE,
      })
    })
  },
})

/** The former address of the page above. */
export const relations = defineScreen({
  section: 'relations',
  async routes(app) {
    app.get('', async ({ url }, reply) =>
      reply.redirect(url.replace('/console/relations', '/console/context'), 308),
    )
  },
})

const optionsOf = ({ scopes }: Topology, focus: string | null) =>
  scopes.map(({ slug, name, registered, retired }) => ({
    slug: wireProject(slug),
    label: name || wireProject(slug),
    selected: wireProject(slug) === focus,
    ...{ registered, retired: retired !== null },
  }))

function menusOf({ scopes }: Topology, focus: string | null, query: Asking) {
  const slugs = scopes.map(({ slug }) => wireProject(slug))
  const linkTo = (project: string) =>
    `/console/context${linkQuery(Asking, { ...query, scope: 'project', project })}`
  const links = [
    { label: 'all', href: '/console/context', current: focus === null },
    ...slugs.map((slug) => ({ label: slug, href: linkTo(slug), current: slug === focus })),
  ]
  const scope = { name: 'scope', label: 'Project', value: focus ?? 'all', links }
  return focus === null ? [scope] : [scope, clientMenu(query)]
}
