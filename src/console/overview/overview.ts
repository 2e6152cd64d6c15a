/** Does anything need me, how does knowledge fare, and how much is there? The front of the console. */
import Type from 'typebox'
import { findFeatures } from '../../features/features.ts'
import type { Db } from '../../kernel/kernel.ts'
import { once } from '../../kernel/once.ts'
import type { OwnerScope } from '../../projects/projects.ts'
import { oneLine } from '../../text/text.ts'
import { spanOf } from '../durations.ts'
import { connectCommand, isFirstRun } from '../first-run.ts'
import { severityOf, summaryOf, untoldKinds } from '../live/events.ts'
import { activeSessions } from '../now/queries.ts'
import { defineScreen, type ScreenApp } from '../screen.ts'
import { calledSessions } from '../sessions/called.ts'
import { agentOf, harnessOf } from '../sessions/listed.ts'
import { WINDOW_KEYS, WindowParameter, WINDOWS, type Window } from '../windows.ts'
import { countFigures, countsOf, projectsOf } from './counts.ts'
import { inboxOf, RULES } from './inbox.ts'
import { memoryOfTheMonth, nearLines } from './momentum.ts'
import { findMishaps, findRecent } from './queries.ts'
import { STALE_DAYS, vitalFigures, vitalsOf } from './vitals.ts'

const Query = Type.Object({ w: WindowParameter })

/** As the product says. */
const RECENT_EVENTS = 12
const MOST_MISHAPS = 6
const MOST_LIVE = 6
/** As long as a mishap stays in the inbox; the list of mishaps goes further back. */
const MISHAP_LIST_DAYS = 30
const DESCRIPTION_CHARACTERS = 160
const SUMMARY_CHARACTERS = 200

export const overview = defineScreen({
  section: 'overview',
  path: '',
  front: true,
  nav: { group: 'Watch', label: 'Overview', key: 'o' },
  windowed: true,
  surfaces: [
    { feature: 'research', label: 'Trials among the channels of coverage', owns: [] },
    {
      feature: 'momentum',
      label: 'Plans near their end, and the memory of the month',
      owns: ['near', 'spotlight', 'spotlight_about'],
    },
  ],

  async routes(app) {
    const route = { prefixTrailingSlash: 'slash', schema: { querystring: Query } } as const
    app.get('/', route, async ({ query: { w } }, reply) => {
      const firstRun = await isFirstRun(app.kernel, app.owner)
      const page = pageOf(app, w)
      return reply.page('page', {
        title: 'Overview',
        data: page.data,
        only: { ...page.only, first_run: firstRun, command: () => connectCommand(app.kernel) },
        // The other parts appear with the first session.
        live: {
          ...(firstRun && { page: ['session.*'] }),
          parts: {
            head: ['session.*', { every: 60 }],
            inbox: [
              'agent.mishap',
              'task.*',
              'session.*',
              'plan.*',
              'gardener.action',
              'tool.call',
              { every: 60 },
            ],
            vitals: ['retrieval.injected', 'memory.*', 'note.written', 'session.*', { every: 300 }],
            top: ['retrieval.injected', 'memory.*'],
            coverage: ['session.*', 'memory.written', 'note.written', 'trial.recorded'],
            counts: ['memory.*', 'note.written', 'session.*', 'task.*', { every: 300 }],
            projects: ['session.*', 'task.*', 'memory.*', { every: 60 }],
            mishaps: ['agent.mishap', { every: 3600 }],
            recent: ['*'],
            near: ['task.*', { every: 300 }],
            spotlight: ['memory.*', 'retrieval.injected', { every: 3600 }],
          },
        },
      })
    })
  },
})

function pageOf(app: ScreenApp, w: Window) {
  const { kernel, owner } = app
  const { db } = kernel
  const idle = kernel.config.sessions.idle_minutes
  const counts = once(() => countsOf(db, owner, idle))
  const features = once(() => findFeatures(kernel))
  const asked = once(() => vitalsOf(db, owner, w))
  const vitals = once(async () => vitalFigures(await asked(), w, (await features()).research))
  const lines = once(() => inboxOf(app))
  const near = once(() => nearLines(app))
  const spotlight = once(() => memoryOfTheMonth(db, owner))
  const recent = once(() => lastEvents(app))
  const counted = async <Name extends keyof Awaited<ReturnType<typeof countsOf>>>(name: Name) =>
    (await counts())[name]

  return {
    data: {
      window: w,
      window_label: WINDOWS[w].label,
      windows: WINDOW_KEYS.map((key) => ({
        key,
        label: WINDOWS[key].label,
        active: key === w,
      })),
      attention: async () => {
        const { momentum } = await features()
        return [...(await lines()), ...(momentum ? await near() : [])]
      },
      memories: () => counted('memories'),
      mem_by_kind: () => counted('mem_by_kind'),
      notes: () => counted('notes'),
      sess_active: () => counted('sess_active'),
      sess_total: () => counted('sess_total'),
      tasks_open: () => counted('tasks_open'),
      tasks_in_prog: () => counted('tasks_in_prog'),
      tasks_done: () => counted('tasks_done'),
      tasks_dropped: () => counted('tasks_dropped'),
      vitals: async () =>
        (await vitals()).figures.map((figure) => ({
          ...figure,
          sub: figure.of,
          spark: figure.bars,
        })),
      live: () => liveOf(db, owner, idle),
      injections: async () => (await asked()).shown.injections,
      injected_tokens: async () => (await asked()).shown.tokens,
      memories_surfaced: async () => (await vitals()).surfaced,
      active_memories: async () => (await vitals()).active,
      reach_rate: async () => (await vitals()).rate ?? 0,
      sessions_reached: async () => (await asked()).shown.sessions,
      trend: async () =>
        (await asked()).trend.map(({ label, injections }) => ({ label, count: injections })),
      top_injected: async () => (await asked()).top,
      coverage: async () => (await vitals()).coverage.share ?? 0,
      covered: async () => (await vitals()).coverage.covered,
      cov_total: async () => (await vitals()).coverage.total,
      coverage_rows: async () => (await vitals()).coverage.rows,
      coverage_trend: async () => (await vitals()).coverage.trend,
      stale_days: STALE_DAYS,
      stale_unseen: async () => (await vitals()).stale,
      projects: async () => projectsOf(db, owner, idle, (await asked()).reach),
      mishaps: () => lastMishaps(app),
      recent,
      newest: async () => (await recent())[0]?.ts ?? null,
      spotlight: async () => {
        const { about: _, ...told } = await spotlight()
        return told
      },
    },
    only: {
      within: WINDOWS[w].within,
      lines,
      near,
      spotlight_about: async () => (await spotlight()).about,
      rules: Object.values(RULES),
      menus: [{ name: 'window', label: 'Window', value: w, links: windowLinks(w) }],
      count_figures: async () => countFigures(await counts()),
      tasks: async () => taskStates(await counts()),
    },
  }
}

/** Who was heard last, of those at work. */
async function liveOf(db: Db, owner: OwnerScope, idle: number) {
  const active = await activeSessions(db, owner, { idle })
  return active
    .filter((one) => !one.idle)
    .slice(0, MOST_LIVE)
    .map(({ id, name, called, project, silent }) => ({
      ...{ id, name, called, project },
      age: spanOf(silent),
    }))
}

const windowLinks = (w: Window) =>
  WINDOW_KEYS.map((key) => ({
    label: WINDOWS[key].label,
    href: key === '24h' ? '/console/' : `/console/?w=${key}`,
    current: key === w,
  }))

const taskStates = (counts: Awaited<ReturnType<typeof countsOf>>) => [
  { state: 'open', n: counts.tasks_open },
  { state: 'in_progress', n: counts.tasks_in_prog },
  { state: 'done', n: counts.tasks_done },
  { state: 'dropped', n: counts.tasks_dropped },
]

async function lastMishaps({ kernel: { db }, owner }: ScreenApp) {
  const rows = await findMishaps(db, owner, { days: MISHAP_LIST_DAYS, most: MOST_MISHAPS })
  const called = await calledSessions(
    db,
    owner,
    rows.flatMap(({ session_id }) => session_id ?? []),
  )
  return rows.map(({ id, ts, project, session_id, description, harness: client, model, name }) => {
    const harness = harnessOf({ external_client: client, name })
    return {
      id,
      when: ts,
      project,
      session_id,
      session: called.get(session_id ?? '') ?? null,
      ...(harness && { harness }),
      ...(model && { model }),
      agent: agentOf(harness, model),
      description: oneLine(description, DESCRIPTION_CHARACTERS),
    }
  })
}

async function lastEvents({ kernel, owner }: ScreenApp) {
  const untold = await untoldKinds(kernel)
  const rows = await findRecent(kernel.db, owner, { most: RECENT_EVENTS, untold })
  const called = await calledSessions(
    kernel.db,
    owner,
    rows.flatMap(({ session_id }) => session_id ?? []),
  )
  return rows.map(({ payload, session_id, ...event }) => ({
    ...event,
    session_id,
    session: called.get(session_id ?? '') ?? null,
    summary: oneLine(summaryOf({ ...event, payload }), SUMMARY_CHARACTERS),
    tone: severityOf({ ...event, payload }),
  }))
}
