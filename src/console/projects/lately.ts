/** What happened in one project lately: the last interactions of its agents, and how much there was. */
import { once } from '../../kernel/once.ts'
import { invalid } from '../../kernel/refusal.ts'
import { time } from '../interactions/asked.ts'
import { INTERACTION_KINDS, timeOf } from '../interactions/queries.ts'
import { groupsOf, interactionsOf, rowsOf } from '../interactions/rows.ts'
import { BUCKETS, drawn, spread } from '../interactions/volume.ts'
import { boundsOf } from '../overview/queries.ts'
import type { ScreenApp } from '../screen.ts'
import { countVolumeOf, findLastEvents } from './queries.ts'
import type { Row } from './rows.ts'
import { headOf, tabHref, type One, type TabView } from './tabs.ts'

const ROWS = 40
/** What a recall recorded beside its call has no row of its own. */
const EVENTS = 2 * ROWS
/** As many of its last events are counted. */
const COUNTED = 5_000

export function interactionsTab(app: ScreenApp, { slug: project }: Row, query: One): TabView {
  const { kernel, owner } = app
  const { db, config } = kernel
  const { timezone: zone } = config.console
  const { w } = query
  const stretch = stretchOf(query)
  const events = once(() =>
    findLastEvents(db, owner, { project, kinds: INTERACTION_KINDS, most: EVENTS, ...stretch }),
  )
  const volume = once(async () => {
    const [{ since: after }, now] = await Promise.all([boundsOf(db, owner, w), timeOf(db)])
    const end = new Date(now.getTime() + 1)
    const rows = await countVolumeOf(db, owner, {
      ...{ project, after, until: end, buckets: BUCKETS, kinds: INTERACTION_KINDS, most: COUNTED },
    })
    return spread(rows, { after, end, isCut: rows[0]?.counted === COUNTED })
  })
  const hrefOf = (after: Date, until: Date) =>
    tabHref(project, 'interactions', {
      ...{ w, afterTs: after.toISOString(), beforeTs: until.toISOString() },
    })
  const whole = tabHref(project, 'interactions', { w })
  return {
    data: {
      rows: async () => (await interactionsOf(app, await events())).slice(0, ROWS),
      volume: async () => (await volume()).buckets,
    },
    only: {
      narrowing: {
        ...headOf(project, query, stretch ? [{ label: wordsOf(stretch, zone), href: whole }] : []),
        clear: whole,
      },
      span: async () => drawn(await volume(), hrefOf),
      feed: async () => ({
        groups: groupsOf((await rowsOf(app, await events())).slice(0, ROWS), zone),
        ...{ after: null, next: null, older: null, held: true },
      }),
    },
  }
}

interface Stretch {
  after: Date
  /** What happened at this moment is left out. */
  until: Date
}

/** @throws on half a stretch, and on what is no time */
function stretchOf({ afterTs, beforeTs }: One): Stretch | null {
  if (afterTs === '' && beforeTs === '') return null
  if (afterTs !== '' && beforeTs !== '')
    return { after: time('afterTs', afterTs), until: time('beforeTs', beforeTs) }
  throw invalid('a stretch is asked for by afterTs and beforeTs together')
}

const wordsOf = ({ after, until }: Stretch, zone: string): string =>
  new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone || undefined,
    ...{ dateStyle: 'short', timeStyle: 'short' },
  }).formatRange(...([after, until].toSorted((a, b) => +a - +b) as [Date, Date]))
