/* What can be done with a thing that the palette found, and the claims that can be released. */

/* Returns options that act on a row of the search. */
export function actsOf(row) {
  const { kind, id, title, identifier, href, favorite, holder } = row
  const name = identifier || title
  return [
    { title: 'Open', href, meta: ['Enter'] },
    {
      title: favorite ? 'Remove the star' : 'Star',
      run: () => window.loam.star({ ...row, starred: favorite === true }),
    },
    ...(holder
      ? [{ title: `Release from ${holder}…`, into: () => confirmRelease(row, holder) }]
      : []),
    {
      title: `Copy the ${kind === 'project' || kind === 'plan' ? 'slug' : 'id'}`,
      text: id,
      run: () => window.loam.copy(id),
    },
    ...(name === id
      ? []
      : [{ title: 'Copy the name', text: name, run: () => window.loam.copy(name) }]),
    { title: 'Copy the address', run: () => window.loam.copy(new URL(href, location.href).href) },
  ]
}

/* What cannot be taken back is asked for twice. */
const confirmRelease = ({ id, title }, holder) => ({
  title: `Release “${title}”?`,
  options: [
    {
      title: `Release it from ${holder}`,
      text: 'It is open again for every agent; what the holder writes to it from now on is refused.',
      run: () => window.loam.release({ id, title }),
    },
    { title: 'Keep the claim', run: () => {} },
  ],
})

/* Every claim of the house, those whose holder is silent first. Null when the service does not answer. */
export async function claims(signal) {
  const answer = await fetch('/console/now?format=json', { signal })
  if (!answer.ok) return null
  const { agents, looseEnds } = await answer.json()
  const loose = looseEnds
    .filter(({ holder }) => holder)
    .map((task) => ({ ...task, text: `held by ${task.holder}, which is silent` }))
  const live = agents.flatMap(({ claims, name, project }) =>
    claims.map((claim) => ({
      ...{ project, ...claim, holder: name, text: `held by ${name}` },
      left: claim.leaseLeft,
    })),
  )
  return [...loose, ...live].map((claim) => ({
    title: claim.title,
    text: claim.text,
    meta: [claim.project ?? '', claim.left ?? ''].filter(Boolean),
    into: () => confirmRelease(claim, claim.holder),
  }))
}
