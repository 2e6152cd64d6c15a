/* A calendar is one stop of the Tab key, and the arrow keys go from day to day. */

const STEPS = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -7, ArrowRight: 7 }

const linksOf = (calendar) => [...calendar.querySelectorAll('a.day')]

/* Makes each calendar below one stop: the day that is chosen, or the last one. */
export function makeCalendarStops(root) {
  for (const calendar of root.querySelectorAll('[data-calendar]')) {
    const links = linksOf(calendar)
    const focused = links.find((link) => link === document.activeElement)
    stopAt(
      links,
      focused ?? links.find((link) => link.hasAttribute('aria-current')) ?? links.at(-1),
    )
  }
}

const stopAt = (links, stop) => {
  for (const link of links) link.tabIndex = link === stop ? 0 : -1
}

export function startCalendar() {
  document.addEventListener('keydown', (event) => {
    const calendar = event.target.closest?.('[data-calendar]')
    if (!calendar || event.ctrlKey || event.metaKey || event.altKey) return
    const days = [...calendar.querySelectorAll('.day')].filter((day) => day.checkVisibility())
    const to = targetOf(days, days.indexOf(event.target), event.key)
    if (!to) return
    event.preventDefault()
    event.stopPropagation()
    stopAt(linksOf(calendar), to)
    to.focus()
  })
}

/* Days without a session are passed over. */
function targetOf(days, from, key) {
  const isLink = (day) => day?.matches('a')
  if (key === 'Home') return days.find(isLink)
  if (key === 'End') return days.findLast(isLink)
  const by = STEPS[key]
  if (!by) return undefined
  let at = from + by
  while (days[at] && !isLink(days[at])) at += by
  return days[at]
}
