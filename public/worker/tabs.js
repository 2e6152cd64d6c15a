/* The tabs of this browser: one stream for all that can be seen, and none while all are hidden. */
import { openSource } from './source.js'

/* Long enough for the step from one tab or page to the next. */
const UNSEEN_MS = 2_000

const NONE = { name: 'waiting', since: 0 }

/* Returns what to do when a tab is seen, is hidden and is gone. A tab is a function that takes messages. */
export function openTabs() {
  const seen = new Set()
  let source
  let state = NONE
  let closing

  const tell = (message) => {
    for (const tab of seen) tab(message)
  }

  function open() {
    source = openSource({
      onState(now) {
        state = now
        tell({ state })
      },
      onEvents: (events) => tell({ events }),
      onMissed: () => tell({ missed: true }),
    })
  }

  function close() {
    source?.close()
    source = undefined
    state = NONE
  }

  return {
    seen(tab) {
      clearTimeout(closing)
      seen.add(tab)
      if (!source) return open()
      tab({ state })
      // It was opened or looked away: what happened before it was here is not known to it.
      if (state.name === 'live') tab({ missed: true })
    },
    hidden(tab) {
      seen.delete(tab)
      clearTimeout(closing)
      if (seen.size === 0) closing = setTimeout(close, UNSEEN_MS)
    },
  }
}
