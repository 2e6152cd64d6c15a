/* Sends a form without leaving the page: what is typed, open and selected stays. Without scripts the service leads back. */
import { currentAddress } from './address.js'
import { askForKey, fetchPage } from './fetch-page.js'
import { replacePage } from './replace-page.js'
import { showToast } from './toast.js'
import { turn } from './turns.js'

const LONGEST_MS = 30_000

const sending = new WeakSet()

export function startForms() {
  document.addEventListener('submit', (event) => {
    const form = event.target
    const action = form.getAttribute('action') ?? ''
    if (event.defaultPrevented || form.method !== 'post' || /\/log(in|out)$/.test(action)) return
    event.preventDefault()
    if (!sending.has(form)) void send(form, action, event.submitter)
  })
}

async function send(form, action, submitter) {
  sending.add(form)
  const from = location.pathname
  try {
    const answer = await fetch(action, {
      method: 'POST',
      body: new URLSearchParams(new FormData(form, submitter)),
      headers: { accept: 'text/html' },
      signal: AbortSignal.timeout(LONGEST_MS),
    })
    await follow(form, answer, from)
  } catch {
    showToast('Loam did not answer. Look whether it was done.')
  } finally {
    sending.delete(form)
  }
}

/* The service has led to a page that says what came of it. An owner who has turned meanwhile stays where they are. */
async function follow(form, answer, from) {
  const url = new URL(answer.url)
  if (answer.status === 401 || url.pathname === '/console/login') return void askForKey()
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const notice = url.searchParams.get('notice')
  if (!answer.ok || notice === null) return sayNo(page, form)
  const stays = form.closest('#peek') || location.pathname !== from
  if (url.pathname !== location.pathname && !stays) return void (location.href = url)
  const confirm = form.closest('details.confirm')
  if (confirm) confirm.open = false
  turn()
  form.querySelector('[data-said]')?.replaceChildren()
  const fresh = await fetchPage(currentAddress()).catch(() => null)
  // What was typed gives way to what the fresh page holds, and never to what stood there before.
  if (fresh) {
    form.reset()
    replacePage(fresh)
  }
  showToast(notice)
}

/* The fields stay as they are. A form far down a page has a place of its own for what is said. */
function sayNo(page, form) {
  const said = page.querySelector('#flashes .flash--error, #main .trouble-words')
  const flash = document.createElement('p')
  flash.className = 'flash flash--error'
  flash.setAttribute('role', 'alert')
  flash.textContent = said?.textContent.trim() || 'That does not work.'
  const place = form.querySelector('[data-said]') ?? document.getElementById('flashes')
  place.replaceChildren(flash)
  place.scrollIntoView({ block: 'nearest' })
}
