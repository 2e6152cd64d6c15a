/* The reader beside a rail of items. On a narrow screen it is a page of its own. */
import { showAddress } from './address.js'
import { enhance } from './enhance.js'
import { showToast } from './toast.js'
import { turn } from './turns.js'

export const isWide = () => matchMedia('(min-width: 761px)').matches

let opening

export async function openItem(link) {
  const reader = document.querySelector('[data-reader]')
  if (!reader) return
  opening?.abort()
  opening = new AbortController()
  const url = new URL(link.href)
  url.searchParams.set('reader', '1')
  try {
    const answer = await fetch(url, { signal: opening.signal, headers: { accept: 'text/html' } })
    if (!answer.ok) return void (location.href = link.href)
    const text = await answer.text()
    turn()
    showItem(reader, link, text)
  } catch (error) {
    if (error.name !== 'AbortError') showToast('Loam does not answer yet. This page stays.')
  }
}

function showItem(reader, link, text) {
  const sheet = document.getElementById('sheet')
  sheet.innerHTML = text
  reader.scrollIntoView?.({ block: 'nearest' })
  scrollTo({ top: 0 })
  markRow(link)
  document.querySelector('.library')?.classList.add('library--chosen')
  document.title = `${link.querySelector('.rail-title')?.textContent.trim()} · Loam`
  showAddress(link.href, { push: true })
  enhance(sheet)
}

function markRow(link) {
  for (const one of document.querySelectorAll('.rail-item[aria-current]'))
    one.removeAttribute('aria-current')
  link.setAttribute('aria-current', 'true')
  link.scrollIntoView({ block: 'nearest' })
}

/* A page without a chosen item opens the newest one. It stays open when another becomes the newest. */
export function keepOpenItem() {
  const open = document.querySelector('[data-rail] .rail-item[aria-current]')
  const library = document.querySelector('.library:not(.library--chosen)')
  if (!open || !library || !isWide()) return
  library.classList.add('library--chosen')
  showAddress(open.href, { push: false })
}

export function startReader() {
  keepOpenItem()
  document.addEventListener('click', (event) => {
    const modified = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
    const link = event.target.closest?.('[data-rail] .rail-item')
    if (!link || event.button !== 0 || modified || !isWide()) return
    event.preventDefault()
    void openItem(link)
  })
}
