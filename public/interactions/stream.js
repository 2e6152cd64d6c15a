/* What the page does about events, and about their absence. */
import { showState } from './away.js'
import { concernedBy } from './concerns.js'
import { feedHears } from './feed.js'
import { openLine } from './line.js'
import { tellMoments } from './moments.js'
import { startTimedRefresh, want } from './refresh.js'

export function startStream() {
  if (!document.getElementById('main')?.dataset.live) return
  openLine(({ state, events, missed }) => {
    if (state) showState(state)
    if (events) hear(events)
    feedHears({ events, missed })
    if (missed) want(['page'], { atOnce: true })
  })
  startTimedRefresh()
}

function hear(events) {
  const { names, changes } = concernedBy(events)
  want(names, { changes })
  tellMoments(events)
}
