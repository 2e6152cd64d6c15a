import { unifiedDiff } from '../text/diff.ts'
import { applyEdits, type Edit } from '../text/edits.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { invalid } from '../kernel/refusal.ts'
import { refuseStale } from '../text/stale.ts'
import type { Scope } from '../projects/projects.ts'
import { changeNote } from './change.ts'
import { checkSize } from './checks.ts'
import type { StoredNote } from './read.ts'

/** Exact search and replace in the body; all edits or none. Answers the diff of what landed. */
export async function editNote(
  kernel: Kernel,
  by: Actor,
  reach: Scope,
  id: string,
  edits: readonly Edit[],
  expectHash?: string,
): Promise<StoredNote & { diff: string }> {
  let diff = ''
  const note = await changeNote(kernel, by, reach, id, (before, file, readable) => {
    refuseStale(file, expectHash, { what: 'note', readable })
    const body = readable ? applyEdits(before.body, edits) : applyBlind(before.body, edits)
    diff = unifiedDiff(before.body, body)
    return { note: { ...before, body }, payload: { title: before.title, edited: true, diff } }
  })
  return { ...note, diff }
}

/** Whoever may not read the body learns only whether all edits fit, not which one or how often. */
function applyBlind(body: string, edits: readonly Edit[]): string {
  try {
    return applyEdits(body, edits)
  } catch {
    throw invalid('the edits do not fit; the content goes only to sessions bound to its project')
  }
}

/** Adds a dated paragraph at the end. Needs no hash: appends of many agents all land. */
export async function appendNote(
  kernel: Kernel,
  by: Actor,
  reach: Scope,
  id: string,
  text: string,
): Promise<StoredNote> {
  if (text.trim() === '') throw invalid('body must not be blank')
  checkSize(text)
  return changeNote(kernel, by, reach, id, (before) => {
    const stamp = kernel.clock.now().toISOString().slice(0, 16).replace('T', ' ')
    const old = before.body.replace(/[\r\n]+$/, '')
    const body = `${old && `${old}\n\n`}${stamp} -- ${text}\n`
    return { note: { ...before, body }, payload: { slug: before.slug, appended: true } }
  })
}
