/* Fetches a page of the console, and returns null where there is nothing to show. */
import { showToast } from './toast.js'

export async function fetchPage(url) {
  const answer = await fetch(url, { headers: { accept: 'text/html' }, credentials: 'same-origin' })
  if (answer.status === 401 || new URL(answer.url).pathname === '/console/login') {
    location.href = `/console/login?next=${encodeURIComponent(location.pathname + location.search)}`
    return null
  }
  if (answer.status === 404) return listWithout(new URL(url))
  if (!answer.ok) return null
  return new DOMParser().parseFromString(await answer.text(), 'text/html')
}

/* The open item was deleted meanwhile: the list goes on without it. */
function listWithout(url) {
  const [, list] = /^(\/console\/\w+)\/[^/]+$/.exec(url.pathname) ?? []
  if (!list || !document.querySelector('[data-rail]')) return null
  url.pathname = list
  history.replaceState(null, '', url)
  showToast('The open item was deleted.')
  return fetchPage(url)
}
