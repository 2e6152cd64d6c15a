/* Makes the page look like a fresh one and keeps every node that can be kept, with its state. */
import { Idiomorph } from 'idiomorph'
import { holdsTyped } from './typed.js'

/*
 * What the reader of a page changes by hand: an open <details>, text in a field, a ticked box, a
 * choice. The attribute of a field is only its default, which follows the fresh page.
 */
const DEFAULTS = { INPUT: ['value', 'checked'], OPTION: ['selected'], TEXTAREA: ['value'] }

function isOwnedByReader(name, element) {
  // One without content was made just now: nobody has opened or closed it yet.
  if (element.tagName === 'DETAILS') return name === 'open' && element.firstChild !== null
  // Which row of a table is selected, and where the Tab key stops.
  if (name === 'tabindex')
    return element.closest('[data-rows], [data-rail], [data-calendar]') !== null
  if (name === 'aria-current') return element.matches('[data-rows] .row')
  return DEFAULTS[element.tagName]?.includes(name) ?? false
}

function copyDefaults(old, fresh) {
  const chosen = old.tagName === 'OPTION' ? chosenByReader(old.closest('select')) : null
  for (const name of DEFAULTS[old.tagName] ?? []) {
    const value = fresh.getAttribute(name)
    if (value === null) old.removeAttribute(name)
    else if (value !== old.getAttribute(name)) old.setAttribute(name, value)
  }
  // A new default is chosen by the browser at once.
  if (chosen) chosen.selected = true
}

/* Returns the chosen option of a list, unless it is the default. */
function chosenByReader(select) {
  if (!select) return null
  const byDefault = [...select.options].find((option) => option.defaultSelected)
  const chosen = select.selectedOptions[0]
  return chosen === (byDefault ?? select.options[0]) ? null : chosen
}

/* What is told of an element by a colour that fades, once: that it is new here, or that it has just come to its end. */
const FADES = ['rail-item--new', 'rail-item--shipped']
const isFading = (element) =>
  FADES.some((name) => element.classList.contains(name)) && animated.has(element)

/* What moves as a morph begins. To ask an element has the browser compute all styles anew, after each change. */
let animated = new Set()

const ended = new Set()

const callbacks = {
  // What was said of a form stands until the form is sent again.
  beforeNodeMorphed: (old) => !old.matches?.('[data-live-skip], [data-said]'),
  beforeAttributeUpdated(name, element, how) {
    if (name === 'class' && isFading(element)) return false
    if (name === 'data-shipped' && how === 'update' && !element.hasAttribute(name))
      ended.add(element)
    return !isOwnedByReader(name, element)
  },
  // What it is about is no more, but not what was typed into it.
  beforeNodeRemoved: (old) => !(old.matches?.('[data-keep-typed]') && holdsTyped(old)),
  afterNodeMorphed(old, fresh) {
    copyDefaults(old, fresh)
    if (ended.delete(old)) old.classList.add('rail-item--shipped')
  },
  afterNodeAdded(node) {
    if (node.classList?.contains('rail-item')) node.classList.add('rail-item--new')
  },
}

export function morph(old, fresh) {
  const focused = document.activeElement
  const places = placesOf(focused)
  animated = new Set(document.getAnimations().map(({ effect }) => effect.target))
  Idiomorph.morph(old, fresh, { callbacks, restoreFocus: false })
  if (!focused?.isConnected) return
  // Where the browser cannot move a node and keep its state, a moved node loses the focus.
  if (focused !== document.activeElement) focused.focus({ preventScroll: true })
  // Where it can, it scrolls the moved node into view.
  const parents = placesOf(focused).map(({ element }) => element)
  if (places.some(({ element }, at) => element !== parents[at]))
    for (const { element, left, top } of places)
      element.scrollTo({ left, top, behavior: 'instant' })
}

/* The same for what an element holds, given as text. */
export function morphInside(element, text) {
  const fresh = element.cloneNode(false)
  fresh.innerHTML = text
  morph(element, fresh)
}

/* Returns the elements around one, from the inside out, and how far each is scrolled. */
function placesOf(one) {
  const places = []
  for (let element = one?.parentElement; element; element = element.parentElement)
    places.push({ element, left: element.scrollLeft, top: element.scrollTop })
  return places
}
