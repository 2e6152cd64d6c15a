/* What the search finds while somebody types. */
import { actsOf } from './acts.js'

const PER_GROUP = 5

/* What was answered since the palette was opened: going back a letter asks for nothing. */
const answers = new Map()

export const forgetHits = () => answers.clear()
export const knownHits = (typed) => answers.get(typed)

/* Returns groups of options for the palette; null when the search did not answer. */
export async function findHits(typed, signal) {
  const address = `/console/search?format=json&fast=1&q=${encodeURIComponent(typed)}`
  const answer = await fetch(address, { signal })
  if (!answer.ok) return null
  const { groups } = await answer.json()
  const found = groups.map(({ label, rows }) => ({
    label,
    isExact: rows.some(({ matchKind }) => matchKind?.startsWith('exact')),
    options: rows.slice(0, PER_GROUP).map(optionOf),
  }))
  answers.set(typed, found)
  return found
}

function optionOf(row) {
  const { href, title, titleHtml, identifier, matchedId, kind, project, age, description } = row
  const where = kind === 'project' ? identifier : (project ?? 'global')
  return {
    href,
    title,
    titleHtml,
    text: description,
    textHtml: row.snippetHtml,
    meta: [row.favorite ? '★' : '', matchedId, where, age].filter(Boolean),
    acts: () => ({ title, options: actsOf(row) }),
  }
}
