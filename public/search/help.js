/* The dialog that lists the keys. */
import { element } from './element.js'

const KEYS = [
  ['Ctrl K', 'search, or go anywhere'],
  ['Tab', 'act on what the search found'],
  ['/', 'filter this page, or search'],
  ['j  k', 'next and previous row'],
  ['h  l', 'previous and next group'],
  ['Space', 'look at the row beside the list'],
  ['Enter', 'read the sheet, open the row'],
  ['o', 'open the page of the row'],
  ['.', 'star'],
  ['c', 'copy the id of the row, or of what is open'],
  ['u', 'copy the address of this page'],
  ['t', 'ages or clock times'],
  ['d', 'density of the rows'],
  ['e  x  X', 'of a proposal: apply, dismiss, hide for good'],
  ['z', 'undo the last decision'],
  ['[  ]', 'shorter and longer window'],
  ['?', 'these keys'],
  ['Esc', 'close, back to the list, leave a field'],
]

/* A narrow screen has them in its menu. */
const PLACES = [...document.querySelectorAll('[data-go]')].map((link) => [
  `g  ${link.dataset.go}`,
  `go to ${link.querySelector('span').textContent}`,
])

const pair = ([keys, meaning]) => {
  const term = element('dt')
  for (const key of keys.split('  ')) term.append(element('kbd', { textContent: key }), ' ')
  return [term, element('dd', { textContent: meaning })]
}

const help = element(
  'dialog',
  { className: 'over', attributes: { 'aria-label': 'Keys' } },
  element(
    'div',
    { className: 'keys' },
    element('h2', { textContent: 'Keys' }),
    element('dl', {}, ...KEYS.flatMap(pair)),
    element('dl', { className: 'keys-places' }, ...PLACES.flatMap(pair)),
  ),
)

export const showHelp = () => help.showModal()
export const helpIsOpen = () => help.open

export function startHelp() {
  document.body.append(help)
  // A click beside the list, which is on the dialog itself, closes it.
  help.addEventListener('click', (event) => event.target === help && help.close())
  document.addEventListener('click', (event) => {
    if (event.target.closest?.('[data-help]')) showHelp()
  })
}
