/** Who is at work at this moment, who fell silent, and what nobody carries. */
import Type from 'typebox'
import { wireProject } from '../../projects/projects.ts'
import { Text } from '../parameters.ts'
import { defineScreen, type ScreenApp } from '../screen.ts'
import { atWork, cardOf, MOST_CARDS, silentOf, sumOf } from './agents.ts'
import { itemsOf, lineOf } from './lines.ts'
import { pulseOf } from './pulse.ts'
import { pulseRows } from './queries.ts'
import { scopeOf } from './scope.ts'
import { workOf } from './work.ts'

const Query = Type.Object({ scope: Text(200) })

export const now = defineScreen({
  section: 'now',

  async routes(app) {
    app.get('', { schema: { querystring: Query } }, async ({ query }, reply) => {
      const scope = await scopeOf(app, query.scope)
      const { data, only } = await nowOf(app, scope)
      return reply.page('page', { title: 'Now', data, only })
    })
  },
})

async function nowOf(app: ScreenApp, scope: string | null) {
  const { kernel, owner } = app
  const { db, config } = kernel
  await kernel.telemetry.flush()
  const [agents, rows] = await Promise.all([
    atWork(db, owner, scope, config.sessions.idle_minutes),
    pulseRows(db, owner, {}),
  ])
  const pulse = pulseOf(rows)
  const work = await workOf(db, owner, scope, agents.everybody)
  const items = await itemsOf(app, [...[...agents.latest.values()].flat(), ...work.wire])
  const carried = [...agents.claims.values()].flat()
  const data = {
    generated: pulse.at,
    agents_live: agents.live.length,
    tasks_in_flight: work.looseTotal + carried.length,
    plans_moving: work.plansMoving,
    events_last_hour: sumOf(pulse.house),
    ...(scope !== null && { scope: wireProject(scope) }),
    scopes: chipsOf(agents.projects, scope),
    pulse: pulse.house.map((count, nth) => ({ label: pulse.spans[nth], count })),
    agents: agents.live.slice(0, MOST_CARDS).map((row) => cardOf(row, agents, pulse, items)),
    silent: agents.silent.map((row) => silentOf(row, agents)),
    loose_ends: work.loose,
    plans: work.plans,
    up_next: work.ready,
    wire: work.wire.map((event) => ({
      ...lineOf(event, items),
      ...(event.session_id && { session_id: event.session_id }),
    })),
  }
  const here = `/console/now${scope === null ? '' : `?scope=${wireProject(scope)}`}`
  return { data, only: { here } }
}

/** Each project in which agents are at work, and the chosen one even when nobody is. */
function chipsOf(projects: readonly [string, number][], scope: string | null) {
  const chips = projects.map(([slug, live]) => ({
    slug: wireProject(slug),
    live,
    active: slug === scope,
  }))
  if (scope !== null && !chips.some(({ active }) => active)) {
    chips.push({ slug: wireProject(scope), live: 0, active: true })
  }
  return chips.sort((a, b) => (a.slug < b.slug ? -1 : 1))
}
