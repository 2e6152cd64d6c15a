/* The palette: a search over everything, the way to every page, and what can be done with what it finds. */
import { element } from './element.js'
import { findHits, forgetHits, knownHits } from './hits.js'
import {
  choose,
  chooseNext,
  chosenOption,
  indexOf,
  list,
  showGroups,
  showState,
} from './options.js'
import { findPlaces } from './places.js'
import { isWriting } from './writing.js'

const REST_MS = 80
const SHORTEST_QUERY = 2
const UNAVAILABLE = 'The search is not available right now.'
const ASKED = 'Search, or go to a page…'

const input = element('input', {
  className: 'palette-input',
  type: 'text',
  placeholder: ASKED,
  autocomplete: 'off',
  spellcheck: false,
  attributes: {
    role: 'combobox',
    'aria-label': 'Search everything',
    'aria-controls': 'palette-list',
    'aria-expanded': 'true',
  },
})
const crumb = element('p', { className: 'palette-crumb', hidden: true })
const actsKey = element('button', {
  className: 'palette-acts',
  type: 'button',
  tabIndex: -1,
  hidden: true,
})
actsKey.innerHTML = '<kbd>Tab</kbd> acts'
const hint = element('span')
hint.innerHTML =
  '<kbd>↑</kbd> <kbd>↓</kbd> choose <kbd>Enter</kbd> open <kbd>Esc</kbd> <span>close</span>'

const palette = element(
  'dialog',
  { className: 'over', attributes: { 'aria-label': 'Search' } },
  crumb,
  input,
  list,
  element('p', { className: 'palette-foot' }, hint, actsKey),
)

let opener = null
let asking = null
let due
/* What is shown instead of the search: acts of an item, claims. The last one is on top. */
let inner = []
let lastFound = []
/* Whether the owner has chosen an option: then it stays chosen when the answer comes. */
let moved = false

export const paletteIsOpen = () => palette.open

export function openPalette() {
  if (palette.open) return palette.close()
  opener = document.activeElement
  forgetHits()
  lastFound = []
  inner = []
  present()
  show()
  palette.showModal()
  input.focus()
}

export function startPalette() {
  document.body.append(palette)
  palette.addEventListener('close', () => {
    stopAsking()
    opener?.focus?.()
  })
  // A click beside the list, which is on the dialog itself, closes it.
  palette.addEventListener('click', (event) => {
    if (event.target === palette) palette.close()
  })
  input.addEventListener('input', () => {
    moved = false
    show()
  })
  input.addEventListener('keydown', onKey)
  actsKey.addEventListener('click', () => {
    enterActs()
    input.focus()
  })
  list.addEventListener('pointermove', ({ target }) => {
    const index = indexOf(target.closest('[role=option]'))
    if (index === -1) return
    moved = true
    mark(choose(index, { scroll: false }))
  })
}

function stopAsking() {
  clearTimeout(due)
  asking?.abort()
}

function mark(id) {
  input.setAttribute('aria-activedescendant', id)
  actsKey.hidden = !chosenOption()?.acts
}

function render(groups, earlier = []) {
  const before = moved ? chosenOption() : undefined
  showGroups(groups, { earlier, onClick: run })
  const options = groups.flatMap(({ options }) => options)
  const again = options.findIndex(
    ({ title, href }) => before && title === before.title && href === before.href,
  )
  mark(choose(again === -1 ? 0 : again))
}

/* Shows what belongs to what is typed, as far as it is known, and asks for the rest once the keys rest. */
function show() {
  stopAsking()
  const typed = input.value.trim()
  const view = inner.at(-1)
  if (view) return showInner(view, typed)
  const places = findPlaces(typed)
  if (typed.length < SHORTEST_QUERY) return render(places)
  const known = knownHits(typed)
  if (known) return render(together(typed, places, known))
  // What was found for the letters before is no answer: Enter leads to a place or to the page of results.
  render([...places, allOf(typed)], lastFound)
  if (places.length === 0) mark(choose(-2))
  due = setTimeout(search, REST_MS, typed)
}

function showInner({ options, nothing = 'Nothing is called so.' }, typed) {
  if (options === null) return showState(UNAVAILABLE)
  const wanted = typed.toLowerCase()
  const matching = options.filter(({ title }) => title.toLowerCase().includes(wanted))
  if (matching.length > 0) return render([{ label: '', options: matching }])
  showState(nothing)
  mark('')
}

async function search(typed) {
  asking = new AbortController()
  try {
    const found = await findHits(typed, asking.signal)
    if (found === null) return fail()
    lastFound = found
    render(together(typed, findPlaces(typed), found))
  } catch (error) {
    if (error.name !== 'AbortError') fail()
  }
}

function fail() {
  showState(UNAVAILABLE)
  mark('')
}

/* What is called exactly so comes first, then the places, then the rest. */
function together(typed, places, found) {
  const exact = found.filter(({ isExact }) => isExact)
  const rest = found.filter(({ isExact }) => !isExact)
  return [...exact, ...places, ...rest, allOf(typed)]
}

const allOf = (typed) => ({
  label: '',
  options: [
    {
      title: `All results for “${typed}”`,
      href: `/console/search?q=${encodeURIComponent(typed)}`,
    },
  ],
})

function onKey(event) {
  if (isWriting(event)) return
  if (event.key === 'ArrowDown') move(1)
  else if (event.key === 'ArrowUp') move(-1)
  else if (event.key === 'Enter') runChosen(event.metaKey || event.ctrlKey)
  else if (event.key === 'Tab' && !event.shiftKey && chosenOption()?.acts) enterActs()
  else if (event.key === 'Escape' && inner.length > 0) leaveTo(inner.length - 1)
  else if (event.key === 'Backspace' && input.value === '' && inner.length > 0)
    leaveTo(inner.length - 1)
  else return
  event.preventDefault()
}

function move(by) {
  moved = true
  mark(chooseNext(by))
}

function runChosen(inNewTab) {
  const option = chosenOption()
  const typed = input.value.trim()
  if (!option && inner.length === 0) run(allOf(typed).options[0])
  else if (option && inNewTab && option.href) open(option.link.href, '_blank', 'noopener')
  else if (option) run(option)
}

function run({ href, run: act, into }) {
  if (into) return void enter(into)
  palette.close()
  if (act) act()
  else void window.loam.goTo(new URL(href, location.href).href)
}

function enterActs() {
  const { acts } = chosenOption() ?? {}
  if (acts) void enter(acts)
}

async function enter(into) {
  stopAsking()
  asking = new AbortController()
  try {
    const view = await into(asking.signal)
    inner.push({ ...view, before: input.value })
    present()
    show()
  } catch (error) {
    if (error.name !== 'AbortError') fail()
  }
}

/* Goes back to one of the views below, and to what was typed there. */
function leaveTo(depth) {
  const left = inner[depth]
  inner = inner.slice(0, depth)
  present(left?.before ?? '')
  show()
}

function present(typed = '') {
  moved = false
  const view = inner.at(-1)
  input.value = typed
  input.placeholder = view ? 'Choose…' : ASKED
  hint.querySelector('span').textContent = view ? 'back' : 'close'
  crumb.hidden = !view
  crumb.textContent = view?.title ?? ''
  // A click on an option has taken the focus along.
  input.focus()
}
