/* The list of options in the palette, one of which is chosen. */
import { element } from './element.js'

export const list = element('div', {
  className: 'palette-list',
  id: 'palette-list',
  attributes: { role: 'listbox', 'aria-label': 'Results' },
})

let count = 0
let chosen = -1

const options = () => [...list.querySelectorAll('[role=option]')]

export const chosenOption = () => options()[chosen]

/* Shows groups of options under their labels and chooses the first. */
export function showGroups(groups, onRun) {
  list.replaceChildren(
    ...groups.flatMap(({ label, options }) => [
      element('p', { className: 'palette-group', textContent: label }),
      ...options.map((option) => row(option, onRun)),
    ]),
  )
}

export const showState = (text) =>
  list.replaceChildren(element('p', { className: 'palette-state', textContent: text }))

/* Chooses an option, the last one after the first and round again, and returns its id. */
export function choose(index) {
  const all = options()
  chosen = all.length === 0 ? -1 : (index + all.length) % all.length
  all.forEach((option, at) => option.setAttribute('aria-selected', String(at === chosen)))
  all[chosen]?.scrollIntoView({ block: 'nearest' })
  return all[chosen]?.id ?? ''
}

export const chooseNext = (by) => choose(chosen + by)

function row({ href, title, meta, text, run }, onRun) {
  const parts = (meta ?? []).map((part) => element('span', { textContent: part }))
  const link = element(
    'a',
    {
      className: 'hit',
      href: href ?? '#',
      id: `option-${++count}`,
      tabIndex: -1,
      attributes: { role: 'option', 'aria-selected': 'false' },
    },
    element('span', { className: 'hit-title', textContent: title }),
    element('span', { className: 'hit-meta' }, ...parts),
  )
  if (text) link.append(element('span', { className: 'hit-text', textContent: text }))
  if (run) {
    link.addEventListener('click', (event) => {
      event.preventDefault()
      onRun(run)
    })
  }
  return link
}
