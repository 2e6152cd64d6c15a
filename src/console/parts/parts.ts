/** For developers: every part that pages are made of, in all its states. Nothing leads here. */
import Type from 'typebox'
import { connectCommand } from '../first-run.ts'
import { narrowingOf } from '../narrowing.ts'
import { Choice, Narrowing, Text } from '../parameters.ts'
import { defineScreen } from '../screen.ts'
import { WINDOW_KEYS, WindowParameter, WINDOWS } from '../windows.ts'
import { DIFF, FIGURES, GLYPHS, SPANS, STATES, TABS, tableRows, traceRows } from './samples.ts'

const STATUSES = ['active', 'idle', 'completed', 'expired'] as const

const Query = Type.Object({
  q: Text(200),
  status: Narrowing(STATUSES),
  sort: Choice(['recent', 'name']),
  w: WindowParameter,
})

export const parts = defineScreen({
  section: 'parts',

  async routes(app) {
    app.get('', { schema: { querystring: Query } }, ({ query: values }, reply) => {
      const now = app.kernel.clock.now()
      return reply.page('parts', {
        title: 'Parts',
        data: { states: STATES, glyphs: GLYPHS.map(({ tone }) => tone) },
        only: {
          glyphs: GLYPHS,
          rows: tableRows(now),
          trace: traceRows(now),
          figures: FIGURES,
          spans: SPANS,
          lines: DIFF,
          tabs: TABS,
          command: () => connectCommand(app.kernel, '--client claude-code'),
          first_command: () => connectCommand(app.kernel),
          narrowing: narrowingOf({
            base: '/console/parts',
            schema: Query,
            values,
            filter: { label: 'Filter parts', placeholder: 'Name or project' },
            menus: [
              {
                name: 'status',
                label: 'Status',
                options: [
                  { value: '', label: 'any', count: 254 },
                  ...STATUSES.map((status) => ({ value: status, label: status, count: 38 })),
                ],
              },
              {
                name: 'sort',
                label: 'Sort',
                always: true,
                options: ['recent', 'name'].map((sort) => ({ value: sort, label: sort })),
              },
              {
                name: 'w',
                label: 'Window',
                always: true,
                options: WINDOW_KEYS.map((w) => ({ value: w, label: WINDOWS[w].label })),
              },
            ],
          }),
        },
      })
    })
  },
})
