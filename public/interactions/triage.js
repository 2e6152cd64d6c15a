/* Decides the open proposal by a key, and goes on to the next one. */
import { act } from './act.js'
import { goTo } from './away.js'
import { openItem } from './reader.js'
import { selectRow } from './rows.js'
import { showToast } from './toast.js'

const SAID = { apply: 'Applied.', dismiss: 'Dismissed.', hide: 'Hidden for good.' }

/* The decision that was made last in this tab: it is still known on the page that follows. */
const LAST = 'loam-decided'
let deciding = false

const openCard = () => document.querySelector('#sheet [data-kind=proposal]')

/* What cannot be undone is asked for once more: the same key, or Enter, confirms. */
export async function decide(decision) {
  const card = openCard()
  if (!card || deciding) return false
  const place = card.querySelector(`[data-decide=${decision}]`)
  if (!place) return false
  const confirm = place.querySelector('details.confirm')
  if (confirm && !confirm.open) {
    confirm.open = true
    confirm.querySelector('button').focus()
    return true
  }
  const id = card.dataset.item
  deciding = true
  try {
    if (!(await act(`/console/gardener/${id}/${decision}`, {}, SAID[decision]))) return true
  } finally {
    deciding = false
  }
  sessionStorage.setItem(LAST, JSON.stringify({ id, decision }))
  leave(id, card)
  return true
}

/* The row goes at once, and the one behind it is opened, or the one before it. */
function leave(id, card) {
  const row = document.getElementById(`item-${id}`)
  const rows = [...document.querySelectorAll('[data-rail] .rail-item')]
  const at = rows.indexOf(row)
  const next = rows[at + 1] ?? rows[at - 1]
  if (!row || !next) return void goTo(card.querySelector('[data-triage]').dataset.next)
  const group = row.closest('.rail-group')
  row.remove()
  if (!group.querySelector('.rail-item')) group.remove()
  selectRow(next)
  openItem(next, { push: false })
}

/* Takes the last decision back; the proposal is opened again. */
export async function undoLast() {
  if (!openCard() && !document.getElementById('decided')) return false
  const last = JSON.parse(sessionStorage.getItem(LAST))
  if (!last) {
    showToast('Nothing was decided in this tab.')
    return true
  }
  const { id, decision } = last
  if (await act(`/console/gardener/${id}/${decision}`, { undo: '1' }, 'Taken back.')) {
    sessionStorage.removeItem(LAST)
    void goTo(`/console/gardener/${id}`)
  }
  return true
}

/* The ask box is sent by Ctrl or Cmd and Enter. */
export function startAsking() {
  document.addEventListener('keydown', (event) => {
    const form = event.target.closest?.('[data-ask]')
    if (!form || event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    form.requestSubmit()
  })
}
