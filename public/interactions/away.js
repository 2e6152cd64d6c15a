/* The light that shows the state of the stream, and the line that says since when the service is away. */
import { askForKey } from './fetch-page.js'
import { showToast } from './toast.js'

const WORDS = { waiting: 'connecting', live: 'live', away: 'offline', 'signed-out': 'signed out' }
/* A restart is shorter than this. */
const PATIENCE_MS = 1_500

let state = { name: 'waiting', since: 0 }
let saying
let line

export const isAway = () => state.name === 'away'

export function showState(now) {
  // It is said again at each try.
  const isNew = now.name !== state.name
  state = now
  const light = document.getElementById('live')
  if (light) {
    light.hidden = false
    light.dataset.state = now.name
    light.querySelector('[data-live-word]').textContent = WORDS[now.name]
  }
  clearTimeout(saying)
  // A clock that was set meanwhile makes nobody wait longer.
  const left = Math.min(PATIENCE_MS, Math.max(0, now.since + PATIENCE_MS - Date.now()))
  if (now.name === 'away') saying = setTimeout(sayAway, left)
  else if (now.name === 'live') sayBack()
  else if (now.name === 'signed-out' && isNew) {
    line?.remove()
    line = undefined
    askForKey()
  }
}

function sayAway() {
  if (!line) {
    line = document.createElement('p')
    line.className = 'away'
    line.id = 'away'
    line.setAttribute('role', 'status')
    document.body.prepend(line)
  }
  const since = new Date(state.since).toLocaleTimeString([], { hour12: false })
  const text = `Loam has not answered since ${since}. What you see is from then; trying again…`
  if (line.textContent !== text) line.textContent = text
}

function sayBack() {
  if (!line) return
  line.remove()
  line = undefined
  showToast('Loam answers again.')
}

/* Goes to a page of the console, but never to the browser's own page of errors. */
export async function goTo(href) {
  if (isAway() && !(await answers(href)))
    return showToast('Loam does not answer yet. This page stays.')
  location.href = href
}

async function answers(href) {
  try {
    await fetch(href, { method: 'HEAD', signal: AbortSignal.timeout(3_000) })
    return true
  } catch {
    return false
  }
}

/* While the service is away a click on a link would lead nowhere, and a form would be lost. */
export function guardLinks() {
  document.addEventListener(
    'click',
    (event) => {
      const link = event.target.closest?.('a[href]')
      if (!link || !isAway() || link.origin !== location.origin || link.target === '_blank') return
      if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
      event.preventDefault()
      event.stopPropagation()
      void goTo(link.href)
    },
    { capture: true },
  )
  document.addEventListener('submit', (event) => {
    if (!isAway()) return
    event.preventDefault()
    showToast('Nothing was sent: Loam does not answer yet.')
  })
}
