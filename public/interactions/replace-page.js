/* Brings the open page up to a fetched one. */
import { currentAddress } from './address.js'
import { enhance } from './enhance.js'
import { fetchPage } from './fetch-page.js'
import { morph } from './morph.js'
import { keepOpenItem } from './reader.js'
import { turn } from './turns.js'

export function replacePage(page) {
  for (const id of ['main', 'nav']) {
    const [old, fresh] = [document.getElementById(id), page.getElementById(id)]
    if (old && fresh) morph(old, fresh)
  }
  enhance(document)
  keepOpenItem()
}

/* Back and forward change the address only, since openItem() did: the page has to follow. */
export function startHistory() {
  addEventListener('popstate', async () => {
    turn()
    const page = await fetchPage(currentAddress())
    if (!page) return
    replacePage(page)
    document.title = page.title
  })
}
