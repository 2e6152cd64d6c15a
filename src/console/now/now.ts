/** Who is at work at this moment, who fell silent, and what nobody carries. */
import Type from 'typebox'
import { findFeatures } from '../../features/features.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { once } from '../../kernel/once.ts'
import { wireProject, type OwnerScope } from '../../projects/projects.ts'
import { barsOf } from '../figures.ts'
import { connectCommand, isFirstRun } from '../first-run.ts'
import type { Live } from '../live/concerns.ts'
import { Text } from '../parameters.ts'
import { defineScreen, type PageData, type ScreenApp } from '../screen.ts'
import { calledSessions } from '../sessions/called.ts'
import { arcadeOf, contributionsOf } from './arcade.ts'
import { atWork, cardOf, countLive, MOST_CARDS, silentOf, sumOf } from './agents.ts'
import { chipsOf, choiceOf } from './chips.ts'
import { itemsOf, lineOf } from './lines.ts'
import { pulseOf } from './pulse.ts'
import { pulseRows } from './queries.ts'
import { scopeOf } from './scope.ts'
import { looseOf, plansOf, readyOf, wireOf } from './work.ts'

const Query = Type.Object({ scope: Text(200) })

/** Who is at work follows from every event, calls included; leases and silence from time alone. */
const EVERYTHING = ['*', { every: 30 }]
const OF_TASKS = ['task.*', { every: 300 }]
const LIVE: Live = {
  parts: {
    summary: EVERYTHING,
    agents: EVERYTHING,
    silent: EVERYTHING,
    loose: EVERYTHING,
    plans: OF_TASKS,
    next: OF_TASKS,
    wire: ['acts'],
    tape: ['task.*', 'memory.*', 'note.*', 'session.*'],
    records: ['acts'],
  },
}

export const now = defineScreen({
  section: 'now',
  nav: {
    group: 'Watch',
    label: 'Now',
    key: 'n',
    badge: {
      tone: 'live',
      asks: 'agents at work',
      count: ({ db, config }: Kernel, owner: OwnerScope) =>
        countLive(db, owner, config.sessions.idle_minutes),
      concerns: ['session.*', { every: 60 }],
    },
  },

  surfaces: [
    {
      feature: 'gamification',
      label: 'Today beside its week, records, and what each agent did today',
      owns: ['arcade', 'tape', 'records', 'moments', 'streak', 'agents[].contrib'],
    },
  ],

  async routes(app) {
    app.get('', { schema: { querystring: Query } }, async ({ query }, reply) => {
      const scope = await scopeOf(app, query.scope)
      return reply.page('page', { title: 'Now', ...momentOf(app, scope), live: LIVE })
    })
  },
})

/** Each value is read when JSON or an asked part names it, and what several need is read once. */
function momentOf(app: ScreenApp, scope: string | null): { data: PageData; only: PageData } {
  const { kernel, owner } = app
  const { db, config } = kernel
  const agents = once(() => atWork(db, owner, scope, config.sessions.idle_minutes))
  const pulse = once(async () => pulseOf(await pulseRows(db, owner, {})))
  const loose = once(async () => looseOf(db, owner, scope, (await agents()).everybody))
  const plans = once(() => plansOf(db, owner, scope))
  const ready = once(() => readyOf(db, owner, scope))
  const cards = once(async () => {
    const [working, beat] = await Promise.all([agents(), pulse()])
    const shown = working.live.slice(0, MOST_CARDS)
    const [items, contribution] = await Promise.all([
      itemsOf(app, [...working.latest.values()].flat()),
      contributed(shown.map(({ id }) => id)),
    ])
    return shown.map((row) => {
      const contrib = contribution?.(row.id)
      return { ...cardOf(row, working, beat, items), ...(contrib && { contrib }) }
    })
  })
  const contributed = async (sessions: readonly string[]) =>
    (await findFeatures(kernel)).gamification ? contributionsOf(app, sessions) : undefined
  const arcade = arcadeOf(app)
  const wire = async () => {
    const acts = await wireOf(kernel, owner, scope)
    const ids = [...new Set(acts.flatMap(({ session_id: id }) => id ?? []))]
    const [items, actors] = await Promise.all([itemsOf(app, acts), calledSessions(db, owner, ids)])
    return acts.map((event) => {
      const actor = actors.get(event.session_id ?? '')
      return {
        ...lineOf(event, items),
        ...(event.session_id && { session_id: event.session_id }),
        ...(actor && { session_name: actor.name, session_called: actor.called }),
      }
    })
  }
  const slug = scope === null ? '' : wireProject(scope)
  const query = slug === '' ? '' : `?scope=${slug}`
  return {
    data: {
      generated: async () => (await pulse()).at,
      agents_live: async () => (await agents()).live.length,
      tasks_in_flight: async () => (await loose()).total + (await agents()).carried,
      plans_moving: async () => (await plans()).moving,
      events_last_hour: async () => sumOf((await pulse()).house),
      ...(slug && { scope: slug }),
      scopes: async () => chipsOf((await agents()).projects, scope),
      pulse: async () => {
        const { house, spans } = await pulse()
        return house.map((count, nth) => ({ label: spans[nth], count }))
      },
      agents: cards,
      silent: async () => {
        const working = await agents()
        return working.silent.map((row) => silentOf(row, working))
      },
      loose_ends: async () => (await loose()).shown,
      plans: async () => (await plans()).shown,
      up_next: async () => (await ready()).shown,
      wire,
      ...arcade.data,
    },
    only: {
      here: `/console/now${query}`,
      json: `/console/now${query === '' ? '?' : `${query}&`}format=json`,
      choice: async () => choiceOf((await agents()).projects, scope),
      house_bars: async () => barsOf((await pulse()).house),
      cards: async () => withBars(await cards()),
      more: async () => Math.max(0, (await agents()).live.length - MOST_CARDS),
      first_run: () => isFirstRun(kernel, owner),
      command: () => connectCommand(kernel),
      loose_total: async () => (await loose()).total,
      plans_total: async () => (await plans()).total,
      ready_total: async () => (await ready()).total,
      ...arcade.only,
    },
  }
}

/** One scale for all, so that two agents can be compared; roots, so that a quiet one is still seen. */
function withBars<Card extends { pulse: number[] }>(cards: readonly Card[]) {
  const most = Math.sqrt(Math.max(0, ...cards.flatMap(({ pulse }) => pulse)))
  return cards.map((card) => ({ ...card, bars: barsOf(card.pulse.map(Math.sqrt), most) }))
}
