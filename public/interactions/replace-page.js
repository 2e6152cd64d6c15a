/* Brings the open page up to a fetched one. */
import { currentAddress, showAddress } from './address.js'
import { enhance } from './enhance.js'
import { fetchPage } from './fetch-page.js'
import { morph } from './morph.js'
import { keepOpenItem, stopOpening } from './reader.js'
import { renew } from './renew.js'
import { keepTag } from './tags.js'
import { showToast } from './toast.js'
import { ask, isLast, turn } from './turns.js'

export function replacePage(page) {
  if (page.instead) {
    showAddress(page.instead, { push: false })
    showToast('The open item was deleted.')
  }
  if (renew(page)) return
  for (const id of ['main', 'nav']) {
    const [old, fresh] = [document.getElementById(id), page.getElementById(id)]
    if (old && fresh) morph(old, fresh)
  }
  settle(page, document)
  keepOpenItem()
}

/* Returns false where the page has not got the parts that the answer holds. */
export function replaceParts(page, names) {
  if (page.instead) return false
  const pairs = names.map((id) => [document.getElementById(id), page.getElementById(id)])
  if (pairs.some(([old, fresh]) => !old || !fresh)) return false
  for (const [old, fresh] of pairs) morph(old, fresh)
  for (const name of names) settle(page, document.getElementById(name))
  return true
}

function settle(page, changed) {
  keepTag(page.tag)
  document.title = page.title
  enhance(changed)
  dispatchEvent(new CustomEvent('loam:refreshed'))
}

/* Back and forward change the address only, since openItem() did: the page has to follow. */
export function startHistory() {
  addEventListener('popstate', async () => {
    const mine = ask()
    stopOpening()
    turn()
    try {
      const page = await fetchPage(currentAddress())
      if (page && isLast(mine)) replacePage(page)
    } catch {
      showToast('Loam does not answer yet. This page stays.')
    }
  })
}
