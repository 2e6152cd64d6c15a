/* Filters a list while its filter is typed, without leaving the page. */
import { fetchPage } from './fetch-page.js'
import { stopOpening } from './reader.js'
import { replacePage } from './replace-page.js'
import { showToast } from './toast.js'
import { ask, isLast, turn } from './turns.js'

const REST_MS = 220

let due

export function startFilter() {
  document.addEventListener('input', ({ target }) => {
    const form = target.closest?.('form.filter')
    if (!form || !target.matches('[data-filter]') || form.classList.contains('filter--wide')) return
    clearTimeout(due)
    due = setTimeout(applyFilter, REST_MS, form, target)
  })
}

async function applyFilter(form, field) {
  const url = new URL(form.action)
  for (const [name, value] of new FormData(form))
    if (value !== '') url.searchParams.set(name, value)
  const mine = ask()
  stopOpening()
  const page = await fetchPage(url).catch(sayAway)
  if (!page || !isLast(mine)) return
  turn()
  const [typed, caret] = [field.value, field.selectionStart]
  history.replaceState(null, '', url)
  replacePage(page)
  field.value = typed
  field.setSelectionRange(caret, caret)
}

function sayAway() {
  showToast('Loam does not answer yet. This page stays.')
  return null
}
