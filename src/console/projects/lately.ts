/** What happened in one project lately: the last interactions of its agents, and how much there was. */
import { once } from '../../kernel/once.ts'
import { INTERACTION_KINDS, timeOf } from '../interactions/queries.ts'
import { groupsOf, interactionsOf, rowsOf } from '../interactions/rows.ts'
import { BUCKETS, drawn, spread } from '../interactions/volume.ts'
import { boundsOf } from '../overview/queries.ts'
import type { ScreenApp } from '../screen.ts'
import { countVolumeOf, findLastEvents } from './queries.ts'
import type { Row } from './rows.ts'
import type { One, TabView } from './tabs.ts'

const ROWS = 40
/** What a recall recorded beside its call has no row of its own. */
const EVENTS = 2 * ROWS
/** As many of its last sessions, and of their last events, are counted. */
const MOST = { look: 500, most: 5_000 }

export function interactionsTab(app: ScreenApp, { slug: project }: Row, { w }: One): TabView {
  const { kernel, owner } = app
  const { db, config, telemetry } = kernel
  const events = once(async () => {
    await telemetry.flush()
    return findLastEvents(db, owner, { project, kinds: INTERACTION_KINDS, most: EVENTS })
  })
  const volume = once(async () => {
    await telemetry.flush()
    const [{ since: after }, now] = await Promise.all([boundsOf(db, owner, w), timeOf(db)])
    const end = new Date(now.getTime() + 1)
    const rows = await countVolumeOf(db, owner, {
      ...{ project, after, until: end, buckets: BUCKETS, kinds: INTERACTION_KINDS },
      ...MOST,
    })
    const { counted = 0, looked = 0 } = rows[0] ?? {}
    return spread(rows, { after, end, isCut: counted === MOST.most || looked === MOST.look })
  })
  return {
    data: {
      rows: async () => (await interactionsOf(app, await events())).slice(0, ROWS),
      volume: async () => (await volume()).buckets,
    },
    only: {
      span: async () => drawn(await volume()),
      feed: async () => ({
        groups: groupsOf(
          (await rowsOf(app, await events())).slice(0, ROWS),
          config.console.timezone,
        ),
        ...{ after: null, next: null, older: null, held: true },
      }),
    },
  }
}
