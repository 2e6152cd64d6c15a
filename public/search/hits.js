/* What the search finds while somebody types. */

const PER_GROUP = 5

/* Returns groups of options for the palette; null when the search did not answer. */
export async function findHits(typed, signal) {
  const address = `/console/search?format=json&fast=1&q=${encodeURIComponent(typed)}`
  const answer = await fetch(address, { signal })
  if (!answer.ok) return null
  const { groups } = await answer.json()
  return groups.map(({ label, rows }) => ({
    label,
    options: rows.slice(0, PER_GROUP).map(optionOf),
  }))
}

function optionOf({ href, title, identifier, kind, project, age, description }) {
  const where = kind === 'project' ? identifier : (project ?? 'global')
  return { href, title, text: description, meta: [where, age].filter(Boolean) }
}
