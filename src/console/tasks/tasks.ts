/** The work that agents divide: what is ready, who carries what until when, and what waits for what. */
import { ById } from '../parameters.ts'
import { defineScreen } from '../screen.ts'
import { RENAMES } from '../sessions/called.ts'
import { List, listOf } from './list.ts'
import { taskOf } from './one.ts'
import { countBlocked, findHolders, findTaskNames } from './queries.ts'
import { releaseClaim } from './writes.ts'

const LIVE = { page: ['task.*', 'favorite.changed', ...RENAMES, { every: 60 }] }

export const tasks = defineScreen({
  section: 'tasks',
  nav: {
    group: 'Work',
    label: 'Tasks',
    key: 't',
    badge: {
      tone: 'attention',
      asks: 'tasks are blocked',
      count: ({ db }, owner) => countBlocked(db, owner),
      concerns: ['task.*'],
    },
  },
  item: { kind: 'task', fragments: ['peek'], find: findTaskNames },
  search: { scope: 'tasks', label: 'Tasks', rank: 30, details: findHolders },
  writes: [releaseClaim],

  async routes(app) {
    app.get('', { schema: { querystring: List } }, async ({ query }, reply) => {
      const list = await listOf(app, query)
      return reply.page('list', {
        title: 'Tasks',
        data: {
          ...list.buckets,
          counts: list.counts,
          closed_more: list.closed_more,
          ...(list.more > 0 && { more: list.more }),
        },
        only: { list },
        live: LIVE,
      })
    })

    app.get('/:id', { schema: { params: ById } }, async ({ params }, reply) => {
      const task = await taskOf(app, params.id)
      if (!task) throw app.unknown(params.id)
      return reply.page('page', { title: task.title, data: task, only: { task }, live: LIVE })
    })
  },
})
