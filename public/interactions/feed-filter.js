/* What of the rows that the feed holds is shown. Nothing is asked of the service for it. */
import { held } from './feed-rows.js'

const set = { category: '', session: '', project: '', severity: '' }
const FAILED = 'failed'
const MOST_CHOICES = 100

let words

const label = (name) => name[0].toUpperCase() + name.slice(1)

const VALUES = {
  category: ({ category }) => category,
  session: ({ session }) => session || 'none',
  project: ({ project }) => project,
  severity: ({ severity }) => severity,
}

function nameOf(name, value) {
  if (name === 'category' && value === FAILED) return 'Errors'
  if (name !== 'session') return words[name]?.[value] ?? value
  if (value === 'none') return 'no session'
  const row = held().find(({ dataset }) => dataset.session === value)
  return row?.dataset.called ?? value.slice(-8)
}

const fits = ({ dataset }) =>
  Object.entries(set).every(
    ([name, value]) =>
      value === '' ||
      (name === 'category' && value === FAILED
        ? dataset.failed !== undefined
        : VALUES[name](dataset) === value),
  )

/* Hides what is not wanted, and returns how many rows are shown. */
export function applyFilters(table) {
  let shown = 0
  for (const body of table.tBodies) {
    let first = true
    for (const row of body.querySelectorAll('tr.row')) {
      row.hidden = !fits(row)
      row.classList.toggle('again', !first)
      if (row.hidden) continue
      first = false
      shown++
    }
    body.hidden = first
  }
  return shown
}

export const isFiltered = () => Object.values(set).some((value) => value !== '')

export function startFilters(given, changed) {
  words = given
  for (const menu of document.querySelectorAll('[data-feed-menu]'))
    menu.addEventListener('toggle', () => menu.open && offer(menu))
  document.addEventListener('click', ({ target }) => {
    const choice = target.closest?.('[data-feed-set]')
    if (!choice) return
    const { feedSet: name, value } = choice.dataset
    if (name === 'all') for (const each of Object.keys(set)) set[each] = ''
    else set[name] = value
    const menu = choice.closest('details')
    if (menu) {
      menu.open = false
      menu.querySelector('summary').focus()
      // Its counts would be old for a moment when it opens again, and a click could fall on one that is replaced.
      menu.querySelector('.menu-list').replaceChildren()
    }
    sayChips()
    changed()
  })
}

/* The choices of a menu, with how many rows each has: those that are there at this moment. */
function offer(menu) {
  const name = menu.dataset.feedMenu
  const counts = new Map(
    name === 'category' ? Object.keys(words.category).map((one) => [one, 0]) : [],
  )
  let failed = 0
  for (const { dataset } of held()) {
    const value = VALUES[name](dataset)
    counts.set(value, (counts.get(value) ?? 0) + 1)
    if (dataset.failed !== undefined) failed++
  }
  if (name === 'category') counts.set(FAILED, failed)
  const choices = [...counts].slice(0, MOST_CHOICES)
  menu
    .querySelector('.menu-list')
    .replaceChildren(
      choiceOf(name, '', 'All', held().length),
      ...choices.map(([value, n]) => choiceOf(name, value, nameOf(name, value), n)),
    )
}

const agentOf = (id) => held().find(({ dataset }) => dataset.session === id)?.dataset.agent

function choiceOf(name, value, text, n) {
  const button = buttonOf(name, value)
  button.setAttribute('aria-pressed', String(set[name] === value))
  const [words, count] = [document.createElement('span'), document.createElement('small')]
  words.textContent = text
  words.dir = 'auto'
  const agent = name === 'session' ? agentOf(value) : ''
  count.textContent = agent ? `${agent} · ${n}` : String(n)
  button.append(words, count)
  return button
}

function sayChips() {
  const line = document.getElementById('feed-chips')
  const chosen = Object.entries(set).filter(([, value]) => value !== '')
  const chips = chosen.map(([name, value]) => chipOf(name, nameOf(name, value)))
  line.replaceChildren(...chips, ...(chosen.length > 1 ? [clearing()] : []))
  line.hidden = chosen.length === 0
  document.getElementById('feed-set').textContent = chosen.length > 0 ? ` (${chosen.length})` : ''
}

function chipOf(name, text) {
  const chip = buttonOf(name)
  chip.className = 'chip'
  chip.setAttribute('aria-label', `Remove ${label(name)}: ${text}`)
  const [words, cross] = [document.createElement('span'), document.createElement('span')]
  words.className = 'clip'
  words.textContent = `${label(name)}: ${text}`
  cross.textContent = '✕'
  cross.setAttribute('aria-hidden', 'true')
  chip.append(words, cross)
  return chip
}

function clearing() {
  const all = buttonOf('all')
  all.className = 'chips-clear'
  all.textContent = 'Clear all'
  return all
}

function buttonOf(name, value = '') {
  const button = document.createElement('button')
  button.type = 'button'
  button.dataset.feedSet = name
  button.dataset.value = value
  return button
}
