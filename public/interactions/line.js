/* The line over which a tab hears of events: the worker that all tabs share, or a stream of its own. */
import { openTabs } from '../worker/tabs.js'

const script = document.currentScript?.src

/* Hears while it is seen. */
export function openLine(hear) {
  const tab = (message) => hear(message)
  let say = ownStream(tab)
  try {
    const worker = new SharedWorker(`${script}&worker=1`)
    say = (word) => worker.port.postMessage(word)
    worker.port.addEventListener('message', ({ data }) => hear(data))
    worker.port.start()
    worker.addEventListener('error', () => {
      say = ownStream(tab)
      tell()
    })
  } catch {
    // There are no shared workers here: each tab that is seen has a stream.
  }
  const tell = () => say(document.hidden ? 'hidden' : 'seen')
  addEventListener('visibilitychange', tell)
  addEventListener('pagehide', () => say('hidden'))
  addEventListener('pageshow', ({ persisted }) => persisted && tell())
  tell()
}

function ownStream(tab) {
  const tabs = openTabs()
  return (word) => (word === 'seen' ? tabs.seen(tab) : tabs.hidden(tab))
}
