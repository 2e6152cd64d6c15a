/* The reader beside a rail of items. On a narrow screen it is a page of its own. */
import { showAddress } from './address.js'
import { goTo } from './away.js'
import { selectRow } from './rows.js'
import { isKept, readSheet } from './sheets.js'
import { showToast } from './toast.js'
import { ask, turn } from './turns.js'

/* A key that is held down passes rows faster than they can be read. */
const REST_MS = 80

export const isWide = () => matchMedia('(min-width: 981px)').matches

let opening
let resting
/* A row is chosen, and what it opens is not shown yet. */
let pending = false

export const isOpening = () => pending

/* A rail on the page of something else says where its items are shown there. */
const addressOf = (link) => new URL(link.dataset.shown ?? link.href, location.href).href

const fragmentOf = (link) => {
  const url = new URL(link.href)
  url.searchParams.set('reader', '1')
  return url.href
}

/* Opens the item of a row: now, or once the keys rest on it. */
export function openItem(link, { push, rest = false }) {
  ask()
  stopOpening()
  opening = new AbortController()
  pending = true
  const { signal } = opening
  const open = () => void showItem(link, signal, { push })
  if (rest && !isKept(fragmentOf(link))) resting = setTimeout(open, REST_MS)
  else open()
}

/* What was chosen and is not shown yet is wanted no longer. */
export function stopOpening() {
  clearTimeout(resting)
  opening?.abort()
  pending = false
}

async function showItem(link, signal, { push }) {
  const shown = (first) => {
    turn()
    if (!first) return
    scrollTo({ top: 0 })
    document.querySelector('.library')?.classList.add('library--chosen')
    document.title = `${link.querySelector('.rail-title')?.textContent.trim()} · Loam`
    showAddress(addressOf(link), { push })
  }
  try {
    const sheet = document.getElementById('sheet')
    if (sheet) await readSheet(fragmentOf(link), signal, sheet, shown)
  } catch (error) {
    if (signal.aborted) return
    if (error.status) return void goTo(link.href)
    showToast('Loam does not answer yet. This page stays.')
  } finally {
    // Else another row was chosen meanwhile.
    if (!signal.aborted) pending = false
  }
}

/* A page without a chosen item opens the newest one. It stays open when another becomes the newest. */
export function keepOpenItem() {
  const open = document.querySelector('[data-rail] .rail-item[aria-current]')
  const library = document.querySelector('.library:not(.library--chosen)')
  if (!open || !library || !isWide()) return
  library.classList.add('library--chosen')
  showAddress(addressOf(open), { push: false })
}

/* Scrolls the rail alone: a page whose head slips away would hide what it is narrowed by. */
function reveal(row) {
  const rail = row?.closest('[data-rail]')
  if (!rail || !isWide()) return
  const end = Math.min(rail.getBoundingClientRect().bottom, innerHeight)
  const below = row.getBoundingClientRect().bottom - end
  if (below > 0) rail.scrollTop += below
}

export function startReader() {
  keepOpenItem()
  reveal(document.querySelector('[data-rail] .rail-item[aria-current]'))
  document.addEventListener('click', (event) => {
    const modified = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
    const link = event.target.closest?.('[data-rail] .rail-item')
    if (!link || event.defaultPrevented || event.button !== 0 || modified || !isWide()) return
    event.preventDefault()
    selectRow(link)
    openItem(link, { push: true })
  })
}

/* Puts the focus on the heading of the open sheet, to read on from there. */
export function focusSheet() {
  const heading = document.querySelector('#sheet .sheet-title')
  if (!heading) return
  heading.tabIndex = -1
  heading.focus()
}

/* Back from the sheet to its row; false when the focus was not in the sheet. */
export function leaveSheet() {
  const row = document.querySelector('[data-rail] .rail-item[aria-current]')
  if (!row || !document.activeElement?.closest('#reader')) return false
  row.focus()
  return true
}
