/* The worker that all tabs of a browser share: a browser opens few connections to one service. */
import { openTabs } from './tabs.js'

const tabs = openTabs()

self.addEventListener('connect', ({ ports: [port] }) => {
  const tab = (message) => port.postMessage(message)
  port.addEventListener('message', ({ data }) =>
    data === 'seen' ? tabs.seen(tab) : tabs.hidden(tab),
  )
  // A tab that crashes says nothing.
  port.addEventListener('close', () => tabs.hidden(tab))
  port.start()
})
