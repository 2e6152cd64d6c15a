/*
 * The feed: what agents do, as they do it. It listens from the moment on at which the page was made; what was
 * before comes when the owner adds a window. It asks for rows once a second at most, and holds a bounded number.
 */
import { fetchPage } from './fetch-page.js'
import { applyFilters, isFiltered, startFilters } from './feed-filter.js'
import { arrange, cutBelow, eventOf, freshIn, held, hold } from './feed-rows.js'
import { isFull, newestFirst, timeOf } from './feed-rows.js'
import { enhance } from './enhance.js'
import { isPeeking } from './peek.js'
import { showToast } from './toast.js'

const FIRST_MS = 150
const GAP_MS = 1_000
/* A row may be seen this much later than one that was made after it. */
const LATE_MS = 5_000
/* Pages that are asked for to fill a gap; what is older is let go. */
const MOST_PAGES = 3
const WAITING_MOST = 500
const VOLUME_MS = 60_000
const OFFERED = 'loam-feed-window'
const ADDRESS = '/console/interactions'

let feed
let kinds
/* From when on rows are wanted; undefined while nothing happened. */
let wanted
let timer
let startedMs = -Infinity
let asking = false
let paused = false
let waiting = []
/* A row below which some are missing: what is older is let go once those that wait are brought. */
let brokenAt
/* The window that was added: where it begins, and where what is older goes on. */
let span
/* Seconds of the last window, whose volume is shown. */
let seconds

const table = () => feed.querySelector('table.table--feed')
const mustHold = () => paused || isPeeking() || String(getSelection()) !== ''

export function startFeed() {
  feed = document.getElementById('feed')
  if (!feed) return
  kinds = new Set(feed.dataset.kinds.split(' '))
  startFilters(JSON.parse(feed.dataset.words), show)
  take(feed, { asked: true })
  const part = document.getElementById('rows')
  span = spanOf(part)
  if (span) seconds = Number(new URLSearchParams(location.search).get('history')) || undefined
  show()
  offer()
  document.getElementById('feed-pause').addEventListener('click', () => pause(!paused))
  document.addEventListener('click', onClick)
  addEventListener('visibilitychange', () => plan())
  setInterval(goOn, GAP_MS)
  setInterval(() => seconds && !document.hidden && void showVolume(), VOLUME_MS)
}

/* What the stream says: what happened, or that something may have been missed. */
export function feedHears({ events = [], missed = false }) {
  if (!feed || feed.dataset.form === 'older') return
  const newest = held()[0]
  const from = events.filter(({ kind }) => kinds.has(kind)).map(({ ts }) => ts)
  if (missed && newest) from.push(new Date(Date.parse(timeOf(newest)) - LATE_MS).toISOString())
  if (missed && !newest) from.push(feed.dataset.now)
  for (const ts of from) if (wanted === undefined || ts < wanted) wanted = ts
  plan(missed ? 0 : FIRST_MS)
}

function plan(afterMs = FIRST_MS) {
  if (wanted === undefined || timer || asking) return
  const waitMs = Math.max(afterMs, startedMs + GAP_MS - Date.now())
  timer = setTimeout(bring, waitMs)
}

async function bring() {
  timer = undefined
  // Once it is seen again it hears that it missed something.
  if (document.hidden) return
  const from = wanted
  wanted = undefined
  asking = true
  startedMs = Date.now()
  try {
    await bringSince(from)
  } catch {
    if (wanted === undefined || from < wanted) wanted = from
  } finally {
    asking = false
  }
  plan()
}

async function bringSince(from) {
  // What was there before the page is the owner's to add.
  const since = !span && from < feed.dataset.now ? feed.dataset.now : from
  let part = await ask({ since: '', sinceTs: since })
  for (let pages = 1; part; pages++) {
    const last = [...part.querySelectorAll('tr.row')].at(-1)
    queue(part)
    const next = nextOf(part)
    const goesOn = next && pages < MOST_PAGES
    if (next && !goesOn) breakAt(last)
    if (!mustHold()) bringWaiting()
    if (!goesOn) break
    part = await ask({ afterTs: since, before: next.id, beforeTs: next.ts })
  }
  sayPaused()
}

/* Rows wait outside of the page, and the newest of them alone when there are many. */
function queue(part) {
  const known = new Set(waiting.map(eventOf))
  const fresh = freshIn(part).filter((row) => !known.has(eventOf(row)))
  waiting = [...waiting, ...fresh]
  if (waiting.length <= WAITING_MOST) return
  waiting.sort(newestFirst)
  waiting.length = WAITING_MOST
  breakAt(waiting.at(-1))
}

/* Of several such rows the newest: nothing is missing above it. */
function breakAt(row) {
  if (row && (!brokenAt || newestFirst(row, brokenAt) < 0)) brokenAt = row
}

function bringWaiting() {
  if (waiting.length === 0) return
  const [fresh, below] = [waiting, brokenAt]
  waiting = []
  brokenAt = undefined
  adopt(fresh, { below })
}

function adopt(fresh, { asked = false, below } = {}) {
  const gone = hold(fresh, { asked })
  if (below) cutBelow(below)
  const oldest = held().at(-1)
  // What was let go can be loaded again while a window reaches that far.
  if ((gone > 0 || below) && span) span.next = placeOf(oldest)
  show()
  dispatchEvent(new CustomEvent('loam:refreshed'))
}

/* Rows that the owner asked for are shown at once, also those that wait. */
function take(part, { asked }) {
  const fresh = freshIn(part)
  const taken = new Set(fresh.map(eventOf))
  waiting = waiting.filter((row) => !taken.has(eventOf(row)))
  adopt(fresh, { asked })
  sayPaused()
}

function show() {
  arrange(table())
  const shown = applyFilters(table())
  const all = held().length
  say(shown, all)
  const older = document.getElementById('feed-older')
  older.hidden = !span?.next
  if (span?.next) {
    older.firstElementChild.href = `${ADDRESS}?${new URLSearchParams(olderThan(span))}`
    older.firstElementChild.textContent = isFull() ? 'Open what was before' : 'Load older'
  }
  enhance(table())
}

function say(shown, all) {
  const rows = `${all.toLocaleString('en')} ${all === 1 ? 'row' : 'rows'}`
  const count = document.getElementById('feed-count')
  const text = isFiltered() ? `${shown.toLocaleString('en')} of ${rows}` : all === 0 ? '' : rows
  if (count.textContent !== text) count.textContent = text
  const none = document.getElementById('feed-none')
  none.hidden = shown > 0 || all === 0
  table().hidden = shown === 0
  none.textContent = none.hidden ? '' : `None of the ${rows} that are held here is such a one.`
}

function pause(now) {
  paused = now
  if (!paused) bringWaiting()
  sayPaused()
}

/* What waited while a row was open beside the feed, or text was selected. */
function goOn() {
  if (waiting.length === 0 || mustHold()) return
  bringWaiting()
  sayPaused()
}

function sayPaused() {
  const button = document.getElementById('feed-pause')
  const n = waiting.length >= WAITING_MOST ? `${WAITING_MOST}+` : waiting.length
  const text = paused ? 'Resume' : 'Pause'
  button.textContent = waiting.length > 0 ? `${text} · ${n} waiting` : text
  button.setAttribute('aria-pressed', String(paused))
}

function onClick(event) {
  const link = event.target.closest?.('[data-feed-window], #feed-older a')
  if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
  // A page in the past is another page than the one that listens.
  if (link.dataset.feedWindow ? feed.dataset.form === 'older' : isFull()) return
  event.preventDefault()
  void (link.dataset.feedWindow ? addWindow(link) : loadOlder())
}

async function addWindow(link) {
  const menu = link.closest('details')
  if (menu) menu.open = false
  const page = await answer({ history: link.dataset.feedWindow }, ['rows', 'volume'])
  if (!page) return
  const part = page.getElementById('rows')
  const reached = span
  span = spanOf(part)
  take(part, { asked: true })
  // What is held goes on without a hole from now to the older of the two ends.
  if (reached && reached.after <= span.after) span = reached
  else if (span.next) span.next = lastPlace(span.next)
  seconds = Number(link.dataset.feedWindow)
  localStorage.setItem(OFFERED, seconds)
  const before = document.getElementById('feed-before')
  if (before) before.hidden = true
  document.getElementById('volume').replaceWith(page.getElementById('volume'))
  show()
}

const lastPlace = (next) => {
  const oldest = held().at(-1)
  return oldest && timeOf(oldest) < next.ts ? placeOf(oldest) : next
}

async function loadOlder() {
  const page = await answer(olderThan(span), ['rows'])
  if (!page) return
  const part = page.getElementById('rows')
  span.next = nextOf(part)
  take(part, { asked: true })
}

async function showVolume() {
  const page = await answer({ history: seconds }, ['volume'])
  const open = document.getElementById('volume-table')?.open
  if (!page) return
  document.getElementById('volume').replaceWith(page.getElementById('volume'))
  if (open) document.getElementById('volume-table').open = true
}

const placeOf = (row) => ({ ts: timeOf(row), id: eventOf(row) })
const olderThan = ({ after, next }) => ({ afterTs: after, before: next.id, beforeTs: next.ts })

function spanOf({ dataset }) {
  if (!dataset.after) return undefined
  return { after: dataset.after, next: nextOf({ dataset }) }
}

const nextOf = ({ dataset }) =>
  dataset.nextId ? { ts: dataset.nextTs, id: dataset.nextId } : undefined

async function ask(query) {
  const url = new URL(ADDRESS, location.href)
  url.search = new URLSearchParams(query)
  return (await fetchPage(url, { parts: ['rows'] }))?.getElementById('rows')
}

async function answer(query, parts) {
  const url = new URL(ADDRESS, location.href)
  url.search = new URLSearchParams(query)
  try {
    return await fetchPage(url, { parts })
  } catch {
    showToast('Loam does not answer yet. This page stays.')
    return null
  }
}

/* The window that was added last is the one that an empty feed offers. */
function offer() {
  const link = document.getElementById('feed-offer')
  const stored = localStorage.getItem(OFFERED)
  const known =
    stored && document.querySelector(`#menu-window [data-feed-window="${CSS.escape(stored)}"]`)
  if (!link || !known) return
  link.href = known.href
  link.dataset.feedWindow = stored
  link.firstElementChild.textContent = known.textContent
}
