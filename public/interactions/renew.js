/*
 * A service of another version has other scripts and styles than the open page, and a feature that was switched brings
 * its own or takes them away: the page is loaded anew.
 */
import { showToast } from './toast.js'

const RENEWED = 'loam-renewed'

const files = (page) =>
  [...page.querySelectorAll('script[src], link[rel=stylesheet]')].map(
    (one) => one.getAttribute('src') ?? one.getAttribute('href'),
  )

/* Returns whether the page is being loaded anew. */
export function renew(page) {
  const [fresh, old] = [files(page), files(document)]
  if (fresh.join() === old.join()) return false
  // Of the same version are those that have any file in common: their addresses tell it.
  if (!fresh.some((file) => old.includes(file))) sessionStorage.setItem(RENEWED, '1')
  location.reload()
  return true
}

export function sayRenewed() {
  if (sessionStorage.getItem(RENEWED) === null) return
  sessionStorage.removeItem(RENEWED)
  showToast('Loam was updated, and this page with it.')
}
