/**
 * The feed: what agents do, as they do it. It begins empty; what was before comes when a window is asked for.
 * Scripts hold the rows that came, and ask for those that follow by the place of the newest one.
 */
import type { FeedEvent } from '../../kernel/feed.ts'
import { defineScreen, type ScreenApp } from '../screen.ts'
import { Asking, askedOf, type Asked } from './asked.ts'
import { findEvents, INTERACTION_KINDS, PAGE_EVENTS, timeOf } from './queries.ts'
import { CATEGORIES, groupsOf, interactionsOf, rowsOf } from './rows.ts'
import { drawn, volumeOf } from './volume.ts'

/** What the page offers to add, in seconds. */
const WINDOWS = [
  [60, 'last minute'],
  [300, 'last 5 minutes'],
  [900, 'last 15 minutes'],
  [3_600, 'last hour'],
  [14_400, 'last 4 hours'],
  [86_400, 'last 24 hours'],
] as const
const OFFERED_S = 300

const SEVERITIES = {
  danger: 'failed',
  inject: 'context shown',
  write: 'written',
  system: 'the rest',
}

export const interactions = defineScreen({
  section: 'interactions',
  nav: { group: 'Watch', label: 'Feed', key: 'f' },

  async routes(app) {
    app.get('', { schema: { querystring: Asking } }, async ({ query }, reply) => {
      const { kernel } = app
      const asked = askedOf(query)
      const found = await foundOf(app, asked)
      const { after, events, until } = found
      const next = events.length === PAGE_EVENTS ? events.at(-1)! : null
      const zone = kernel.config.console.timezone
      const spans = after !== null || query.volume !== undefined
      const counted = query.volume === undefined ? after : sinceOf(found.now, query.volume)
      return reply.page('page', {
        title: 'Feed',
        data: {
          rows: () => interactionsOf(app, events),
          ...(query.volume !== undefined && {
            volume: async () => (await volumeOf(app, counted, until)).buckets,
            window: query.volume,
          }),
          ...(after && { after_ts: after }),
          ...(next && { next_ts: next.ts, next_id: next.id }),
        },
        only: {
          feed: async () => ({
            groups: groupsOf(await rowsOf(app, events), zone),
            after,
            next: next && { ts: next.ts, id: next.id },
            older: next && after ? olderHref(after, next) : null,
            held: false,
          }),
          span: async () => (spans ? drawn(await volumeOf(app, counted, until)) : null),
          asked: aboutOf(asked, found),
          windows: windowsOf(asked),
          kinds: INTERACTION_KINDS.join(' '),
          words: JSON.stringify({ category: CATEGORIES, severity: SEVERITIES }),
        },
        live: { parts: { rows: [], volume: [] } },
      })
    })
  },
})

interface Found {
  events: readonly FeedEvent[]
  /** The beginning of the window; null without one. */
  after: Date | null
  /** The end of an older stretch; null is now. */
  until: Date | null
  now: Date
}

async function foundOf({ kernel: { db }, owner }: ScreenApp, asked: Asked): Promise<Found> {
  const now = await timeOf(db)
  switch (asked.form) {
    case 'nothing':
      return { events: [], after: null, until: null, now }
    case 'window': {
      const after = sinceOf(now, asked.seconds)
      return { events: await findEvents(db, owner, { after: after! }), after, until: null, now }
    }
    case 'older': {
      const { after, before } = asked
      const events = await findEvents(db, owner, { after, before })
      return { events, after, until: before.ts, now }
    }
    case 'newer':
      return { events: await findEvents(db, owner, asked), after: null, until: null, now }
  }
}

/** So many seconds ago; 0 is the beginning of the log. */
const sinceOf = (now: Date, seconds: number): Date | null =>
  seconds === 0 ? null : new Date(now.getTime() - 1_000 * seconds)

const olderHref = (after: Date, { ts, id }: FeedEvent): string =>
  `/console/interactions?afterTs=${after.toISOString()}&before=${id}&beforeTs=${ts.toISOString()}`

/** What the page says of itself: since when it listens, or which stretch of the past it shows. */
function aboutOf(asked: Asked, { after, until, now }: Found) {
  return {
    form: asked.form,
    now,
    after,
    until,
    label: asked.form === 'window' ? labelOf(asked.seconds) : '',
  }
}

const labelOf = (seconds: number): string =>
  WINDOWS.find(([of]) => of === seconds)?.[1] ?? `last ${seconds.toLocaleString('en')} seconds`

function windowsOf(asked: Asked) {
  const links = WINDOWS.map(([seconds, label]) => ({
    seconds,
    label,
    href: `/console/interactions?history=${seconds}`,
    current: asked.form === 'window' && asked.seconds === seconds,
  }))
  return { links, offered: links.find(({ seconds }) => seconds === OFFERED_S)! }
}
