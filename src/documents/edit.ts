import type { Actor, Kernel } from '../kernel/kernel.ts'
import { invalid } from '../kernel/refusal.ts'
import { unifiedDiff } from '../text/diff.ts'
import { applyEdits, type Edit } from '../text/edits.ts'
import { withoutEnd } from '../text/text.ts'
import { hashAfter, refuseStale } from './stale.ts'
import { changeDocument } from './change.ts'
import { checkBytes, checkSize } from './file.ts'
import type { Document, DocumentKind, Stored } from './kind.ts'
import { spelled, type Target } from './reach.ts'

/**
 * Changes a document by exact search and replace in the body, and by what `patch` makes beside it;
 * all of it or nothing. Returns the diff of what landed.
 */
export async function editDocument<D extends Document>(
  kernel: Kernel,
  by: Actor,
  kind: DocumentKind<D>,
  target: Target,
  expectHash: string | undefined,
  edits: readonly Edit[] | undefined,
  patch: (before: D) => Partial<D> = () => ({}),
): Promise<Stored<D> & { diff: string }> {
  let diff = ''
  const stored = await changeDocument(kernel, by, kind, target, (before, file) => {
    refuseStale(file, expectHash, kind.kind)
    const fits = (bytes: number): void => checkBytes(kind, bytes)
    const body = edits ? applyEdits(before.body, edits, fits) : before.body
    const { emptied } = kind.words
    if (emptied !== undefined && isBlank(body) && !isBlank(before.body))
      throw invalid(`the edits would leave the ${kind.kind} without a body; ${emptied}`)
    const document: D = { ...before, ...patch(before), body }
    if (JSON.stringify(document) === JSON.stringify(before)) return undefined
    diff = unifiedDiff(before.body, body)
    const title = kind.titleOf(document)
    return { document, payload: { [kind.titleKey]: title, edited: true, diff } }
  })
  return { ...stored, content_hash: hashAfter(expectHash, stored.content_hash), diff }
}

/** Adds text at the end. Needs no hash: appends of many agents all land. One that is given must fit. */
export async function appendToDocument<D extends Document>(
  kernel: Kernel,
  by: Actor,
  kind: DocumentKind<D>,
  { scope, address: asked }: Target,
  text: string,
  expectHash?: string,
): Promise<Stored<D>> {
  const target = { scope, address: spelled(kind, asked) }
  if (text.trim() === '') throw invalid('body must not be blank')
  checkSize(kind, text)
  const stored = await changeDocument(kernel, by, kind, target, (before, file) => {
    refuseStale(file, expectHash, kind.kind)
    const old = withoutEnd(before.body, '\r\n')
    const body = `${kind.lead(old, kernel.clock.now())}${text}\n`
    const payload = { [kind.nameKey]: kind.nameOf(before), appended: true }
    return { document: { ...before, body }, payload }
  })
  return { ...stored, content_hash: hashAfter(expectHash, stored.content_hash) }
}

const isBlank = (text: string): boolean => text.trim() === ''
