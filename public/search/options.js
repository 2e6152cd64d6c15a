/* The list of options in the palette, one of which is chosen. */
import { element } from './element.js'

export const list = element('div', {
  className: 'palette-list',
  id: 'palette-list',
  attributes: { role: 'listbox', 'aria-label': 'Results' },
})

let count = 0
let chosen = -1
let shown = []

const rows = () => [...list.querySelectorAll('[role=option]')]

/* The chosen option and its link; undefined when none is. */
export const chosenOption = () => shown[chosen] && { ...shown[chosen], link: rows()[chosen] }

/* Shows groups of options under their labels. Those of an earlier question only keep their place. */
export function showGroups(groups, { earlier = [], onClick }) {
  chosen = -1
  shown = groups.flatMap(({ options }) => options)
  list.replaceChildren(
    ...groups.map((group) => part(group, (option) => row(option, onClick))),
    ...earlier.map((group) => part(group, passed)),
  )
}

export function showState(text) {
  chosen = -1
  shown = []
  list.replaceChildren(element('p', { className: 'palette-state', textContent: text }))
}

/* Chooses an option, the last one after the first and round again, and returns its id. */
export function choose(index, { scroll = true } = {}) {
  const all = rows()
  chosen = index < -1 || all.length === 0 ? -1 : (index + all.length) % all.length
  all.forEach((option, at) => option.setAttribute('aria-selected', String(at === chosen)))
  if (scroll) all[chosen]?.scrollIntoView({ block: 'nearest' })
  return all[chosen]?.id ?? ''
}

export const chooseNext = (by) => choose(chosen === -1 && by < 0 ? -1 : chosen + by)

export const indexOf = (link) => rows().indexOf(link)

function part({ label, options }, made) {
  const attributes = { role: 'group', 'aria-label': label }
  const head = element('p', {
    className: 'palette-group',
    textContent: label,
    attributes: { 'aria-hidden': 'true' },
  })
  return element('div', { attributes }, ...(label ? [head] : []), ...options.map(made))
}

function row(option, onClick) {
  const link = element('a', {
    className: 'hit',
    href: option.href ?? '#',
    id: `option-${++count}`,
    tabIndex: -1,
    attributes: { role: 'option', 'aria-selected': 'false' },
  })
  fill(link, option)
  link.addEventListener('click', (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    onClick(option)
  })
  return link
}

function passed(option) {
  const row = element('div', { className: 'hit', attributes: { 'aria-hidden': 'true' } })
  row.classList.add('hit--passed')
  fill(row, option)
  return row
}

function fill(row, { title, titleHtml, text, textHtml, meta = [] }) {
  const parts = meta.map((part) => element('span', { textContent: part }))
  row.append(
    words('hit-title', title, titleHtml),
    element('span', { className: 'hit-meta' }, ...parts),
  )
  if (text || textHtml) row.append(words('hit-text', text, textHtml))
}

/* HTML comes from the service, which has escaped everything but its marks. */
function words(className, text, html) {
  const made = element('span', { className, dir: 'auto' })
  if (html) made.innerHTML = html
  else made.textContent = text
  return made
}
