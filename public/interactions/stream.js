/* The live stream of events, and the light in the sidebar that shows its state. */
import { noteUpdate, planRefresh } from './refresh.js'

const LONGEST_WAIT_MS = 30_000
/* These events change nothing that a page shows. */
const TRANSPORT = new Set(['tool.call', 'hook.prompt', 'recall.miss', 'hook.error'])

let source
let tries = 0

export function startStream() {
  const light = document.getElementById('live')
  if (!light || !document.getElementById('main')) return
  light.hidden = false
  const show = (state, word) => {
    light.dataset.state = state
    light.querySelector('[data-live-word]').textContent = word
  }
  show('waiting', 'connecting')
  openStream(show)
  addEventListener('pagehide', () => source.close())
  addEventListener('pageshow', (event) => event.persisted && openStream(show))
}

function openStream(show) {
  source = new EventSource('/console/events')
  source.addEventListener('open', () => {
    show('live', 'live')
    // Events may have been missed while the stream was away.
    if (tries > 0) planRefresh(0)
    tries = 0
  })
  source.addEventListener('message', ({ data }) => {
    if (!TRANSPORT.has(JSON.parse(data).kind)) noteUpdate()
  })
  source.addEventListener('resync', () => planRefresh(0))
  source.addEventListener('error', () => {
    tries++
    if (source.readyState !== EventSource.CLOSED) return show('waiting', 'reconnecting')
    show('offline', 'offline')
    // The browser gives up on an answer that is no stream. The service may only be restarting.
    setTimeout(() => openStream(show), waitMs())
  })
}

/* Returns a wait that grows with every try. It varies, so that tabs do not come back all at once. */
const waitMs = () => Math.min(LONGEST_WAIT_MS, 1000 * 2 ** tries) * (0.75 + Math.random() / 2)
