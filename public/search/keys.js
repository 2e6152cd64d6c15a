/* The keys of a page: one letter each, or g and a letter to go somewhere. */
import { helpIsOpen, showHelp } from './help.js'
import { openPalette, paletteIsOpen } from './palette.js'
import { isWriting } from './writing.js'

/* How long after g the next key is still a place. */
const GO_MS = 1200

let goPressedAtMs = 0

const KEYS = {
  g: () => (goPressedAtMs = Date.now()),
  '?': showHelp,
  '/': () => {
    const filter = document.querySelector('[data-filter]')
    if (filter) filter.select()
    else openPalette()
  },
}

export const startKeys = () => document.addEventListener('keydown', onKey)

function onKey(event) {
  if (isWriting(event)) return
  if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
    event.preventDefault()
    return openPalette()
  }
  const field = event.target.closest?.('input, textarea, select, [contenteditable]')
  if (field) {
    if (event.key === 'Escape' && !paletteIsOpen()) field.blur()
    return
  }
  if (event.metaKey || event.ctrlKey || event.altKey || paletteIsOpen() || helpIsOpen()) return
  if (Date.now() - goPressedAtMs < GO_MS) return goTo(event)
  const act = keyOf(event)
  if (!act) return
  event.preventDefault()
  act()
}

/* Enter and Space press what has the focus, unless that is a row. */
function keyOf({ key, target }) {
  const presses = key === 'Enter' || key === ' '
  if (presses && target.closest('a, button, summary') && !target.matches('.rail-item')) return null
  if (Object.hasOwn(KEYS, key)) return KEYS[key]
  return Object.hasOwn(window.loam.keys, key) ? window.loam.keys[key] : null
}

function goTo(event) {
  goPressedAtMs = 0
  const link = document.querySelector(`[data-go="${CSS.escape(event.key)}"]`)
  if (!link) return
  event.preventDefault()
  void window.loam.goTo(link.href)
}
