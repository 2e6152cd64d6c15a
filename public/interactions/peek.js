/* The pane beside a table: one row of it, read without leaving the list. */
import { askForKey } from './fetch-page.js'
import { linkOf, selectRow, stopOf } from './rows.js'
import { readSheet } from './sheets.js'
import { showToast } from './toast.js'

const REST_MS = 80
const MARK = '#peek='

let row
let resting
let reading

const pane = () => document.getElementById('peek')

/* The page of what a fragment shows, which may have parameters of its own, and back. */
const pageOf = (fragment) => fragment.replace(/[?&]peek=1$/, '')
const fragmentOf = (page) => `${page}${page.includes('?') ? '&' : '?'}peek=1`

export const isPeeking = () => pane() !== null && !pane().hidden

/* Shows a row in the pane, once the keys rest on it. */
export function peekAt(next, { rest = false } = {}) {
  if (!next?.dataset.peek || !pane()) return
  row = next
  clearTimeout(resting)
  reading?.abort()
  if (rest) resting = setTimeout(show, REST_MS, next.dataset.peek)
  else void show(next.dataset.peek)
}

async function show(href) {
  reading?.abort()
  reading = new AbortController()
  const { signal } = reading
  const body = document.getElementById('peek-body')
  try {
    await readSheet(new URL(href, location.href).href, signal, body, () => {
      pane().hidden = false
    })
  } catch (error) {
    if (signal.aborted) return
    if (error.status === 401) return void askForKey()
    const isGone = error.status < 500
    showToast(isGone ? 'This is no longer there.' : 'Loam does not answer yet.')
    if (isGone) hide()
    return
  }
  const path = pageOf(href)
  pane().querySelector('[data-peek-open]').href = (row && linkOf(row)?.href) ?? path
  history.replaceState(history.state, '', `${location.pathname}${location.search}${MARK}${path}`)
}

function hide() {
  clearTimeout(resting)
  reading?.abort()
  pane().hidden = true
  history.replaceState(history.state, '', location.pathname + location.search)
}

/* Returns false when nothing was open. */
export function closePeek() {
  if (!isPeeking()) return false
  const focused = document.activeElement
  const loses = focused === document.body || pane().contains(focused)
  hide()
  if (row?.isConnected) row.focus({ preventScroll: true })
  // The list was narrowed meanwhile, or never held it.
  else if (loses) stopOf(document)?.focus({ preventScroll: true })
  return true
}

export function togglePeek(selected) {
  if (isPeeking() && selected === row) closePeek()
  else peekAt(selected)
}

export function startPeek() {
  document.addEventListener('click', (event) => {
    if (event.target.closest?.('[data-peek-close]')) return void closePeek()
    const clicked = event.target.closest?.('.row[data-peek]')
    if (!clicked || event.target.closest('a, button, summary, input, label')) return
    if (String(getSelection()) !== '') return
    selectRow(clicked)
    togglePeek(clicked)
  })
  // What is shown is brought up to date with the list.
  addEventListener('loam:refreshed', () => {
    if (isPeeking() && row?.dataset.peek) peekAt(document.getElementById(row.id) ?? row)
  })
  openMarked()
  // An address of the open page is pasted, or a link leads to a row of it: nothing is loaded anew.
  addEventListener('hashchange', openMarked)
}

/* An address may say which row is meant, or which one is open beside the list. */
function openMarked() {
  const named = document.getElementById(location.hash.slice(1))
  if (named?.matches('.row')) return selectRow(named)
  // A page that has no pane, as the one that asks for the key, may be led to with the mark of another.
  if (!pane() || !location.hash.startsWith(`${MARK}/console/`)) return
  const path = location.hash.slice(MARK.length)
  const marked = [...document.querySelectorAll('.row[data-peek]')].find(
    (one) => pageOf(one.dataset.peek) === path,
  )
  if (!marked) {
    row = undefined
    return void show(fragmentOf(path))
  }
  selectRow(marked)
  peekAt(marked)
}
