/* The menu of a page's tables: what they can be saved as, and how their rows are shown. */
import { nameOf, saveCsv, tablesHere } from './csv.js'
import { PAGE_KEYS } from './keys.js'

const CHOICES = { density: PAGE_KEYS.d, times: PAGE_KEYS.t }

export function startMore() {
  document.addEventListener('click', (event) => {
    const choice = event.target.closest?.('[data-more]')
    if (!choice) return
    choice.closest('details').open = false
    CHOICES[choice.dataset.more]()
  })
  document.addEventListener(
    'toggle',
    ({ target }) => target.matches('.menu--more') && list(target),
    {
      capture: true,
    },
  )
}

/* Names each table of the page, now that somebody looks. */
function list(menu) {
  const place = menu.querySelector('[data-of-tables]')
  const tables = menu.open ? tablesHere() : []
  place.replaceChildren(
    ...tables.map((table) => {
      const choice = document.createElement('button')
      choice.type = 'button'
      choice.textContent = tables.length === 1 ? 'Save as CSV' : `Save “${nameOf(table)}” as CSV`
      choice.addEventListener('click', () => {
        menu.open = false
        void saveCsv(table)
      })
      return choice
    }),
  )
}
