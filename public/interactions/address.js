/* The address of the page. */

/* Returns the address without the flash, which the page shows once only. */
export function currentAddress() {
  const url = new URL(location.href)
  url.searchParams.delete('notice')
  url.searchParams.delete('error')
  return url
}

/* Puts an address into the bar, and the same one as JSON into the links that lead to it. */
export function showAddress(href, { push }) {
  if (push) history.pushState(null, '', href)
  else history.replaceState(null, '', href)
  const json = new URL(href)
  json.searchParams.set('format', 'json')
  for (const link of document.querySelectorAll('link[rel=alternate], .page-tools .json'))
    link.setAttribute('href', json.pathname + json.search)
}

/* A bookmark or a reload does not show the flash again. */
export function dropFlash() {
  if (!/[?&](notice|error)=/.test(location.search) || location.pathname === '/console/login') return
  history.replaceState(null, '', currentAddress())
}
