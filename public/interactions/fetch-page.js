/*
 * Fetches a page of the console or parts of it, and returns null where there is nothing to show. It changes neither page
 * nor address: whoever asked may want something else by then.
 */
import { hearNow } from './now.js'
import { tagOf } from './tags.js'
import { showToast } from './toast.js'
import { isFormTyped } from './typed.js'

const LONGEST_MS = 10_000

/*
 * With `parts` the answer holds their elements alone. With `onlyNew` it is null when the service says that
 * nothing has changed since the answer that the page shows. An answer with `instead` is the page of that address.
 */
export async function fetchPage(url, { parts, onlyNew = false } = {}) {
  const asked = new URL(url)
  if (parts) asked.searchParams.set('parts', parts.join(','))
  const tag = onlyNew ? tagOf(asked) : undefined
  const answer = await fetch(asked, {
    headers: { accept: 'text/html', ...(tag && { 'if-none-match': tag }) },
    credentials: 'same-origin',
    signal: AbortSignal.timeout(LONGEST_MS),
  })
  hearNow(answer)
  if (answer.status === 304) return null
  if (answer.status === 401 || new URL(answer.url).pathname === '/console/login') return askForKey()
  // The open page says already what is wrong with its address.
  if (answer.status >= 400 && answer.status < 500 && saysTrouble()) return null
  if (answer.status === 404) return listWithout(new URL(url))
  // A part that there is no more: the page itself says why.
  if (answer.status === 400 && parts) return fetchPage(url)
  if (!answer.ok) throw new Error(`the page answers ${answer.status}`)
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  return Object.assign(page, { tag: { href: asked.href, etag: answer.headers.get('etag') } })
}

const saysTrouble = () => document.querySelector('#main > .trouble') !== null

/* Leaves for the page that asks for the key, which leads back to this one; but not from what is typed and not sent. */
export function askForKey() {
  if (isFormTyped()) {
    const words =
      'You are signed out. What you typed stays: sign in in another tab, then go on here.'
    showToast(words, () => open('/console/login', '_blank', 'noopener'))
    return null
  }
  location.href = `/console/login?next=${encodeURIComponent(location.pathname + location.search)}`
  return null
}

/* The open item was deleted meanwhile: the list that its rail is of goes on without it. */
async function listWithout(url) {
  const rail = document.querySelector('[data-rail]')
  const list = rail && new URL(rail.dataset.rail, url)
  if (!list || list.href === url.href) {
    showToast('This is no longer there.')
    return null
  }
  const page = await fetchPage(list)
  return page && Object.assign(page, { instead: list.href })
}
