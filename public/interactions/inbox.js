/*
 * The inbox of the overview: what was opened is gone, what is new since the owner looked is told apart, and the
 * title and icon of the tab carry the number. All of it is kept in this browser alone.
 */

const SEEN = 'loam-seen'
const OPENED = 'loam-opened'
const VISIBLE_MS = 2_000
/* A line of a mishap is there for seven days. */
const KEPT_MS = 8 * 86_400_000

let lookedUntil = stored(SEEN) ?? ''
let looking

function stored(name) {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

function store(name, value) {
  try {
    localStorage.setItem(name, value)
  } catch {
    // Without a store everything stays new.
  }
}

function openedLines() {
  try {
    return JSON.parse(stored(OPENED) ?? '{}')
  } catch {
    return {}
  }
}

function markOpened(id) {
  const opened = openedLines()
  if (opened[id]) return
  const now = Date.now()
  const kept = Object.entries(opened).filter(([, at]) => now - at < KEPT_MS)
  store(OPENED, JSON.stringify({ ...Object.fromEntries(kept), [id]: now }))
}

/* Brings the inbox of the page up to what this browser knows. */
export function showInbox() {
  for (const one of document.querySelectorAll('[data-opened]')) markOpened(one.dataset.opened)
  const inbox = document.querySelector('[data-inbox]')
  if (!inbox) return
  const opened = openedLines()
  const lines = [...inbox.querySelectorAll('[data-inbox-line]')]
  for (const line of lines) line.hidden = Boolean(opened[line.dataset.opens])
  const open = lines.filter((line) => !line.hidden)
  const none = inbox.querySelector('[data-inbox-none]')
  if (none) none.hidden = open.length > 0
  carryNumber(open.length)
  markUnseen(inbox)
}

function carryNumber(count) {
  const title = document.title.replace(/^\(\d+\) /, '')
  const wanted = count > 0 ? `(${count}) ${title}` : title
  if (document.title !== wanted) document.title = wanted
  const icon = document.querySelector('link[rel=icon]')
  const url = new URL(icon.href)
  if (count > 0) url.searchParams.set('n', Math.min(count, 10))
  else url.searchParams.delete('n')
  if (icon.href !== url.href) icon.href = url.pathname + url.search
}

function markUnseen(inbox) {
  let unseen = 0
  for (const one of document.querySelectorAll('[data-at]')) {
    const isNew = lookedUntil !== '' && one.dataset.at > lookedUntil
    one.classList.toggle('unseen', isNew)
    if (isNew && one.matches('tr')) unseen++
  }
  const told = document.querySelector('[data-unseen]')
  if (told) {
    told.hidden = unseen === 0
    told.textContent = unseen === 0 ? '' : ` · ${unseen} new since you looked`
  }
  look(inbox.dataset.newest)
}

/* The newest event counts as seen when the page was visible for two seconds. */
function look(newest) {
  if (!newest || document.visibilityState !== 'visible') return
  clearTimeout(looking)
  looking = setTimeout(() => {
    if (newest > (stored(SEEN) ?? '')) store(SEEN, newest)
  }, VISIBLE_MS)
}

export function startInbox() {
  showInbox()
  document.addEventListener('visibilitychange', () => {
    clearTimeout(looking)
    if (document.visibilityState === 'visible') {
      lookedUntil = stored(SEEN) ?? ''
      showInbox()
    }
  })
  // Another tab opened a line.
  addEventListener('storage', ({ key }) => key === OPENED && showInbox())
}
