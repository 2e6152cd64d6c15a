/* A service of another version has other scripts and styles than the open page: it is loaded anew. */
import { showToast } from './toast.js'

const RENEWED = 'loam-renewed'

const files = (page) =>
  [...page.querySelectorAll('script[src], link[rel=stylesheet]')]
    .map((one) => one.getAttribute('src') ?? one.getAttribute('href'))
    .join()

/* Returns whether the page is being loaded anew. */
export function renew(page) {
  if (files(page) === files(document)) return false
  sessionStorage.setItem(RENEWED, '1')
  location.reload()
  return true
}

export function sayRenewed() {
  if (sessionStorage.getItem(RENEWED) === null) return
  sessionStorage.removeItem(RENEWED)
  showToast('Loam was updated, and this page with it.')
}
