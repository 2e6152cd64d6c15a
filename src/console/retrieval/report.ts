/** The report of circulation in a window. Each answer is read once, and only when something shows it. */
import { once } from '../../kernel/once.ts'
import { AIMS } from '../aims.ts'
import { deltaOfShare, deltaOfVolume, ofActive, percentOf } from '../figures.ts'
import { keptAnswers } from '../kept-answers.ts'
import { boundsOf, findShown, type Bounds } from '../overview/queries.ts'
import type { ScreenApp } from '../screen.ts'
import { calledSessions } from '../sessions/called.ts'
import { WINDOW_KEYS, WINDOWS, type Window } from '../windows.ts'
import { ringOf } from './charts.ts'
import { addressOf, BASE, figure } from './figures.ts'
import {
  describe,
  findInVain,
  findMemories,
  findMisses,
  findStale,
  findSurfaces,
  findWays,
  type Described,
} from './queries.ts'
import { drawnKinds, kindsOf, projectsOf, stepsOf, sumsOf } from './scopes.ts'
import { circulationOf, FOLLOW_HOURS, funnelOf, pushedOf } from './ways.ts'

/** As the product says. */
const STALE_DAYS = 90
const JUDGED_DAYS = 30
const MOST_INJECTED = 12
const MOST_STALE = 12
const MOST_DEAD = 8
const MOST_IN_VAIN = 8
/** Kinds that every start tells, asked for or not: they are no dead weight. */
const EXEMPT = ['constraint', 'stage']
/** Searches in vain among which questions are told apart. */
const LOOKED_BACK = 200
/** Rows of the table of projects, and names of those of which nothing was shown. */
const SCOPE_ROWS = 15
const UNTOUCHED = 24

type Named = Omit<Described, 'times'> & { injects: number; sessions?: number }

export function reportOf({ kernel, owner }: ScreenApp, w: Window, page: number) {
  const { db } = kernel
  const place = { w }
  const answers = keptAnswers(db)
  const bounds = once(() => answers('bounds', { w }, () => boundsOf(db, owner, w)))
  /** What is asked of a window, and kept for it. */
  const within = async <Value>(what: string, ask: (bounds: Bounds) => Promise<Value>) => {
    const asked = await bounds()
    return answers(what, { w }, () => ask(asked))
  }
  const memories = once(async () => {
    const asked = { days: JUDGED_DAYS, most: MOST_INJECTED, dead: MOST_DEAD, exempt: EXEMPT }
    const [row] = await within('circulation', (bounds) =>
      findMemories(db, owner, { ...bounds, ...asked }),
    )
    return row!
  })
  const shown = once(async () => {
    const [row] = await within('shown', (bounds) => findShown(db, owner, bounds))
    return row!
  })
  const surfaces = once(() =>
    within('surfaces', (bounds) => findSurfaces(db, owner, sinceOf(bounds))),
  )
  const ways = once(() =>
    within('ways', ({ since, zone, by_hour }) =>
      findWays(db, owner, { since, zone, unit: by_hour ? 'hour' : 'day' }),
    ),
  )
  const circulation = once(async () =>
    circulationOf(await ways(), await surfaces(), await bounds()),
  )
  const misses = once(async () => {
    const [row] = await within('misses', ({ since }) => findMisses(db, owner, { since }))
    const { prompts, told, searches } = row!
    const matches = surfaceOf(await surfaces(), 'user-prompt-submit') + told
    return { prompts, searches, matches, rate: percentOf(prompts, prompts + matches) }
  })
  const scopes = once(async () => (await memories()).scopes)
  const sums = once(async () => sumsOf(await scopes()))
  const named = async (rows: readonly { id: string; injects?: number; sessions?: number }[]) => {
    const { since } = await bounds()
    const found = await describe(
      db,
      owner,
      rows.map(({ id }) => id),
      since,
    )
    return rows.flatMap((row): Named[] => {
      const about = found.get(row.id)
      if (!about) return []
      const { times, ...known } = about
      return [{ ...known, injects: times, ...row }]
    })
  }
  const top = once(async () => (await named((await memories()).top)).map(listed))
  const dead = once(async () => (await named((await memories()).dead)).map(listed))
  const stale = once(async () => {
    const rows = await answers('stale', {}, () =>
      findStale(db, owner, { days: STALE_DAYS, most: MOST_STALE }),
    )
    const ids = rows.map(({ id }) => ({ id }))
    return { rows: (await named(ids)).map(listed), total: rows[0]?.total ?? 0 }
  })
  const rates = once(async () => {
    const [{ briefed, demanded, wasted }, { tokens }] = await Promise.all([sums(), shown()])
    return { demand: percentOf(demanded, briefed), waste: percentOf(wasted, tokens) }
  })
  const reached = async () => {
    const { surfaced, active } = await sums()
    return percentOf(surfaced, active)
  }
  const projects = once(async () => projectsOf(await scopes()))
  const hasPrior = w !== 'all'
  const before = <Value>(value: Value): Value | null => (hasPrior ? value : null)

  const data = {
    window: w,
    window_label: WINDOWS[w].label,
    injections: async () => (await shown()).injections,
    injected_tokens: async () => (await shown()).tokens,
    memories_surfaced: async () => (await sums()).surfaced,
    active_memories: async () => (await sums()).active,
    reach_rate: async () => (await reached()) ?? 0,
    sessions_reached: async () => (await shown()).sessions,
    created_in_window: async () => (await sums()).created,
    retired_in_window: async () => (await sums()).retired,
    by_kind: async () => kindsOf(await scopes()),
    by_project: projects,
    trend: async () => (await circulation()).trend,
    trend_max: async () => Math.max(0, ...(await circulation()).trend.map(({ count }) => count)),
    top_injected: top,
    stale: async () => (await stale()).rows,
    stale_total: async () => (await stale()).total,
    stale_days: STALE_DAYS,
    briefing_surfaced: async () => (await sums()).briefed,
    demanded_of_surfaced: async () => (await sums()).demanded,
    demand_rate: async () => (await rates()).demand,
    waste_share: async () => (await rates()).waste,
    prompt_matches: async () => (await misses()).matches,
    recall_misses: async () => (await misses()).prompts,
    miss_rate: async () => (await misses()).rate,
    tool_misses: async () => (await misses()).searches,
    dead_weight: dead,
    dead_total: async () => (await memories()).dead_total,
    funnel_by_surface: async () => pushedOf(await surfaces()),
    funnel_follow_hours: FOLLOW_HOURS,
  }

  const only = {
    within: WINDOWS[w].within,
    judged_days: JUDGED_DAYS,
    menus: [
      {
        ...{ name: 'window', label: 'Window', value: WINDOWS[w].label },
        links: WINDOW_KEYS.map((key) => ({
          label: WINDOWS[key].label,
          href: addressOf({ w: key }),
          current: key === w,
        })),
      },
    ],
    reach: async () => {
      const { surfaced, active, surfaced_before } = await sums()
      const rate = await reached()
      const delta = deltaOfShare(rate, before(percentOf(surfaced_before, active)))
      const of = ofActive(surfaced, active)
      return {
        figure: figure('reach', { value: rate, of, delta }, place),
        ring: ringOf(rate ?? 0, AIMS.reach.atLeast),
      }
    },
    vitals: async () => {
      const [all, { created, retired }] = await Promise.all([shown(), sums()])
      const { injections, tokens, sessions } = all
      const moved = (now: number, then: number) => deltaOfVolume(now, before(then))
      return [
        ...(
          [
            ['injections', injections, all.injections_before],
            ['reached', sessions, all.sessions_before],
            ['tokens', tokens, all.tokens_before],
          ] as const
        ).map(([name, value, then]) => figure(name, { value, delta: moved(value, then) }, place)),
        figure('created', { value: created }, place),
        figure('retired', { value: retired }, place),
      ]
    },
    delivery: async () => {
      const [all, total] = await Promise.all([shown(), sums()])
      return {
        ...{ injections: all.injections, sessions: all.sessions },
        ...{ surfaced: total.surfaced, active: total.active },
        waiting: total.active - total.surfaced,
        steps: stepsOf(total),
      }
    },
    circulation,
    kinds: async () => drawnKinds(await scopes()),
    scopes: async () => scopesOf(await projects(), w, page),
    top,
    old: stale,
    loop: async () => {
      const [{ demand, waste }, { briefed, demanded }, missed] = await Promise.all([
        rates(),
        sums(),
        misses(),
      ])
      const { prompts, matches, searches, rate } = missed
      return [
        figure('demand', { value: demand, of: `${count(demanded)} of ${count(briefed)}` }, place),
        figure('waste', { value: waste, of: `judged over ${JUDGED_DAYS} days` }, place),
        figure(
          'missed',
          { value: rate, of: `${count(prompts)} of ${count(prompts + matches)}` },
          place,
        ),
        figure('searches', { value: searches }, place),
      ]
    },
    funnel: async () => funnelOf(await surfaces()),
    vain: async () => {
      const { since } = await bounds()
      const asked = { since, look: LOOKED_BACK, most: MOST_IN_VAIN }
      const rows = await findInVain(db, owner, asked)
      const ids = rows.flatMap(({ session_id }) => session_id ?? [])
      const called = await calledSessions(db, owner, ids)
      return rows.map((row) => ({ ...row, session: called.get(row.session_id ?? '') ?? null }))
    },
    weight: async () => {
      const { dead_total: total } = await memories()
      const judged = (await scopes()).filter(({ kind }) => !EXEMPT.includes(kind))
      const { briefed } = await sums()
      return { rows: await dead(), total, given: briefed, judged: sumsOf(judged).briefed }
    },
  }
  return { data, only }
}

const sinceOf = <Time, Zone>({ since, zone }: { since: Time; zone: Zone }) => ({ since, zone })

const surfaceOf = (rows: readonly { surface: string; events: number }[], surface: string): number =>
  rows.find((row) => row.surface === surface)?.events ?? 0

const count = (n: number): string => n.toLocaleString('en')

/** A memory as the lists of the page name it. */
const listed = ({ last_injected, sessions, ...row }: Named) => ({
  ...row,
  ...(sessions !== undefined && { sessions }),
  ...(last_injected && { last_injected }),
})

/** One page of the projects of which something was shown, and the names of the others. */
function scopesOf(projects: ReturnType<typeof projectsOf>, w: Window, page: number) {
  const touched = projects.filter(({ surfaced }) => surfaced > 0)
  const untouched = projects.filter(({ surfaced }) => surfaced === 0)
  const address = addressOf({ w })
  return {
    rows: touched.slice((page - 1) * SCOPE_ROWS, page * SCOPE_ROWS),
    more: Math.max(0, touched.length - page * SCOPE_ROWS),
    page,
    base: BASE,
    query: address.slice(BASE.length),
    touched: touched.length,
    untouched: untouched.slice(0, UNTOUCHED),
    others: Math.max(0, untouched.length - UNTOUCHED),
    untouched_total: untouched.length,
  }
}
