/* Fragments that were read: the last twenty stay, are shown at once and asked for again. */
import { enhance } from './enhance.js'
import { morphInside } from './morph.js'

const KEPT = 20
const LONGEST_MS = 10_000

const kept = new Map()

/*
 * Puts the text that is known into its place, if any, and then that of the service if it is another one: what the
 * reader does in the first stays. Calls `shown` after each, with whether it is the first.
 * Throws when the service does not answer, and with `name` AbortError once the signal says so.
 */
export async function readSheet(href, signal, place, shown) {
  const known = kept.get(href)
  let first = true
  const show = (text) => {
    if (first) place.innerHTML = text
    else morphInside(place, text)
    enhance(place)
    shown(first)
    first = false
  }
  if (known) show(known.text)
  const answer = await fetch(href, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]),
    headers: { accept: 'text/html', ...(known && { 'if-none-match': known.etag }) },
  })
  if (answer.status === 304) return keep(href, known)
  if (!answer.ok) throw Object.assign(new Error('no sheet'), { status: answer.status })
  const fresh = { text: await answer.text(), etag: answer.headers.get('etag') }
  signal.throwIfAborted()
  keep(href, fresh)
  if (fresh.text !== known?.text) show(fresh.text)
}

function keep(href, sheet) {
  kept.delete(href)
  kept.set(href, sheet)
  if (kept.size > KEPT) kept.delete(kept.keys().next().value)
}

export const isKept = (href) => kept.has(href)
