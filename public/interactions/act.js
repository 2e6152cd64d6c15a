/* Sends a form of the console without leaving the page. What changes by it is heard of like any other change. */
import { showToast } from './toast.js'

/* Says what was done, or why it was not. Returns whether it was. */
export async function act(path, fields, said) {
  try {
    const answer = await fetch(path, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams(fields),
    })
    if (answer.status === 401) location.reload()
    const done = await answer.json()
    showToast(answer.ok ? said : done.error)
    return answer.ok
  } catch {
    showToast('Nothing was sent: Loam does not answer yet.')
    return false
  }
}

/* Sets or takes the star of an item. A plan is told apart by its project. */
export const star = ({ kind, id, project, starred }) =>
  act(
    `/console/favorites/${kind}/${encodeURIComponent(id)}`,
    { favorite: starred ? '0' : '1', ...(kind === 'plan' && { project: project ?? '' }) },
    starred ? 'Unstarred.' : 'Starred.',
  )

export const release = ({ id, title }) =>
  act(`/console/tasks/${encodeURIComponent(id)}/release`, {}, `Released “${title}”.`)
