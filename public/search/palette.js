/* The palette: a search over everything, and the way to every page. */
import { element } from './element.js'
import { findHits } from './hits.js'
import { choose, chooseNext, chosenOption, list, showGroups, showState } from './options.js'
import { findPlaces } from './places.js'

const REST_MS = 200
const SHORTEST_QUERY = 2
const UNAVAILABLE = 'The search is not available right now.'

const input = element('input', {
  className: 'palette-input',
  type: 'text',
  placeholder: 'Search, or go to a page…',
  autocomplete: 'off',
  spellcheck: false,
  attributes: {
    role: 'combobox',
    'aria-label': 'Search everything',
    'aria-controls': 'palette-list',
    'aria-expanded': 'true',
  },
})
const all = element('a', { href: '/console/search', textContent: 'All results' })
const hint = element('span')
hint.innerHTML = '<kbd>↑</kbd> <kbd>↓</kbd> choose <kbd>Enter</kbd> open <kbd>Esc</kbd> close'

const palette = element(
  'dialog',
  { className: 'over', attributes: { 'aria-label': 'Search' } },
  input,
  list,
  element('p', { className: 'palette-foot' }, hint, all),
)

let opener = null
let searching = null
let due

export const paletteIsOpen = () => palette.open

export function openPalette() {
  if (palette.open) return palette.close()
  opener = document.activeElement
  input.value = ''
  palette.showModal()
  showPlaces('')
  input.focus()
}

export function startPalette() {
  document.body.append(palette)
  palette.addEventListener('close', () => {
    searching?.abort()
    opener?.focus?.()
  })
  // A click beside the list, which is on the dialog itself, closes it.
  palette.addEventListener('click', (event) => {
    if (event.target === palette) palette.close()
  })
  input.addEventListener('input', onInput)
  input.addEventListener('keydown', onKey)
}

const markActive = (id) => input.setAttribute('aria-activedescendant', id)

function run(action) {
  palette.close()
  action()
}

const groupOfPlaces = (options) => ({ label: 'Pages and actions', options })

function showPlaces(typed) {
  showGroups([groupOfPlaces(findPlaces(typed))], run)
  all.href = '/console/search'
  markActive(choose(0))
}

async function search(typed) {
  searching = new AbortController()
  try {
    const groups = await findHits(typed, searching.signal)
    if (groups === null) return showState(UNAVAILABLE)
    const places = findPlaces(typed)
    if (places.length > 0) groups.push(groupOfPlaces(places))
    if (groups.length === 0) showState('Nothing found.')
    else showGroups(groups, run)
    markActive(choose(0))
  } catch (error) {
    if (error.name !== 'AbortError') showState(UNAVAILABLE)
  }
}

function onInput() {
  clearTimeout(due)
  const typed = input.value.trim()
  searching?.abort()
  if (typed.length < SHORTEST_QUERY) return showPlaces(typed)
  // Until the answer is there Enter leads to the page of results, never to an option of before.
  all.href = `/console/search?q=${encodeURIComponent(typed)}`
  showState('Searching…')
  markActive(choose(-1))
  due = setTimeout(search, REST_MS, typed)
}

function onKey(event) {
  if (event.key === 'ArrowDown') markActive(chooseNext(1))
  else if (event.key === 'ArrowUp') markActive(chooseNext(-1))
  else if (event.key === 'Enter') openChosen(event.metaKey || event.ctrlKey)
  else return
  event.preventDefault()
}

function openChosen(inNewTab) {
  const option = chosenOption()
  if (!option) void window.loam.goTo(all.href)
  else if (inNewTab) open(option.href, '_blank', 'noopener')
  else option.click()
}
