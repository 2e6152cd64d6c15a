/* Fetches a page of the console or parts of it, and returns null where there is nothing to show. */
import { hearNow } from './now.js'
import { tagOf } from './tags.js'
import { showToast } from './toast.js'

const LONGEST_MS = 10_000

/*
 * With `parts` the answer holds their elements alone. With `onlyNew` it is null when the service says that
 * nothing has changed since the answer that the page shows.
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
  if (answer.status === 401 || new URL(answer.url).pathname === '/console/login') {
    location.href = `/console/login?next=${encodeURIComponent(location.pathname + location.search)}`
    return null
  }
  if (answer.status === 404) return listWithout(new URL(url))
  // A part that there is no more: the page itself says why.
  if (answer.status === 400 && parts) return fetchPage(url)
  if (!answer.ok) throw new Error(`the page answers ${answer.status}`)
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  return Object.assign(page, { tag: { href: asked.href, etag: answer.headers.get('etag') } })
}

/* The open item was deleted meanwhile: the list goes on without it. */
function listWithout(url) {
  const [, list] = /^(\/console\/\w+)\/[^/]+$/.exec(url.pathname) ?? []
  if (!list || !document.querySelector('[data-rail]')) {
    showToast('This is no longer there.')
    return null
  }
  url.pathname = list
  history.replaceState(null, '', url)
  showToast('The open item was deleted.')
  return fetchPage(url)
}
