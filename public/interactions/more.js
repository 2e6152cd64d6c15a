/* The menu of a page's table: what it can be saved as, and how its rows are shown. */
import { saveCsv } from './csv.js'
import { PAGE_KEYS } from './keys.js'

const CHOICES = { csv: saveCsv, density: PAGE_KEYS.d, times: PAGE_KEYS.t }

export function startMore() {
  document.addEventListener('click', (event) => {
    const choice = event.target.closest?.('[data-more]')
    if (!choice) return
    choice.closest('details').open = false
    void CHOICES[choice.dataset.more]()
  })
}
