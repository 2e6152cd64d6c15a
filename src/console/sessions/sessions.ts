/** Every session, and what one of them did. */
import { findFeatures } from '../../features/features.ts'
import { once } from '../../kernel/once.ts'
import { invalid } from '../../kernel/refusal.ts'
import { quote } from '../../kernel/schema/words.ts'
import { captureCalendar, isDay } from '../../momentum/momentum.ts'
import { ById } from '../parameters.ts'
import { defineScreen, type ScreenApp } from '../screen.ts'
import { WINDOWS } from '../windows.ts'
import { List, listOf } from './list.ts'
import { calendarOf } from './calendar.ts'
import { findDeeds, findSessionNames } from './queries.ts'
import { Trace } from './trace-page.ts'
import { workspaceOf } from './workspace.ts'

/** What a session leaves beside its findings. */
const WRITTEN = ['memory.written', 'note.written', 'trial.recorded']

export const sessions = defineScreen({
  section: 'sessions',
  nav: { group: 'Work', label: 'Sessions', key: 's' },
  windowed: true,
  item: { kind: 'session', fragments: ['peek'], find: findSessionNames },
  search: { scope: 'sessions', label: 'Sessions', rank: 60, details: findDeeds },
  surfaces: [
    {
      feature: 'research',
      label: 'Trials among what a session left',
      owns: ['trials_recorded'],
    },
    {
      feature: 'momentum',
      label: 'The calendar of days that left something, and its longest streak',
      owns: ['calendar', 'capture_streak'],
    },
  ],

  async routes(app) {
    app.get('', { schema: { querystring: List } }, async ({ query: asked }, reply) => {
      const query = await withDay(app, asked)
      const list = await listOf(app, query)
      const { counts, more } = list
      const { q, status = '', retained, sort, w, project, day } = query
      const captured = once(() => captureCalendar(app.kernel, app.owner))
      return reply.page('list', {
        title: 'Sessions',
        data: {
          filter: status,
          ...(q && { query: q }),
          ...(project && { project }),
          sort,
          active: counts.live + counts.idle,
          idle: counts.idle,
          completed: counts.completed,
          expired: counts.expired,
          total: list.total,
          window: w,
          window_label: WINDOWS[w].label,
          ...(retained && { retained }),
          ...(day && { day }),
          ...(more > 0 && { more }),
          sessions: list.sessions,
          capture_streak: async () => (await captured()).streak,
        },
        only: { list, calendar: async () => calendarOf(await captured(), day) },
        live: {
          parts: {
            head: ['*', { every: 60 }],
            table: ['*', { every: 60 }],
            calendar: ['session.*', ...WRITTEN, { every: 3600 }],
          },
        },
      })
    })

    const schema = { params: ById, querystring: Trace }
    app.get('/:id', { schema }, async ({ params: { id }, query }, reply) => {
      const workspace = await workspaceOf(app, id, query)
      if (!workspace) throw app.unknown(id)
      const { session, data, only } = workspace
      const own = { kinds: ['*'], where: { session: id } }
      return reply.page('page', {
        title: session.called,
        data,
        only,
        live: {
          parts: {
            top: [own, { kinds: ['favorite.changed'], where: { item: id } }],
            facts: [own, { every: 60 }],
            outcome: [own],
            trace: [own, { every: 60 }],
            about: [own],
          },
        },
      })
    })
  },
})

/** A day is asked for while momentum is on. At other times it changes nothing, like any unknown parameter. */
async function withDay({ kernel }: ScreenApp, query: List): Promise<List> {
  const { day } = query
  if (day === '') return query
  if (!(await findFeatures(kernel)).momentum) return { ...query, day: '' }
  if (isDay(day)) return query
  throw invalid(`invalid day ${quote(day)}: valid values are days such as 2026-03-31`)
}
