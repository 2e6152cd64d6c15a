import { honest } from '../kernel/catch-up.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { notFound } from '../kernel/refusal.ts'
import { reindexFile } from '../vault/reindex.ts'
import { understandFound } from './file.ts'
import { fileKindOf } from './index.ts'
import type { Document, DocumentKind, Stored } from './kind.ts'
import { originOf, type Origin } from './origin.ts'
import { FileGone, followMoved, missing, spelled, type Target } from './reach.ts'
import { findDocument, type Found } from './store.ts'

/** A document as it was read, who wrote it, and what was asked beside. */
type Read<D extends Document, T> = [document: Stored<D>, origin: Origin, beside: T]

/** Reads what an agent asks for: demand, which leaves an event. `beside` is asked at the same time. */
export async function readDocument<D extends Document, T>(
  kernel: Kernel,
  by: Actor,
  kind: DocumentKind<D>,
  target: Target,
  beside: (document: D) => Promise<T>,
): Promise<Read<D, T>> {
  const began = performance.now()
  try {
    return await followMoved(kernel, kind, () => readFound(kernel, by, kind, target, beside))
  } catch (error) {
    // Of several that are read at once each says this for itself.
    throw await honest(kernel, error, began)
  }
}

async function readFound<D extends Document, T>(
  kernel: Kernel,
  by: Actor,
  kind: DocumentKind<D>,
  { scope, address: asked }: Target,
  beside: (document: D) => Promise<T>,
): Promise<Read<D, T>> {
  const address = spelled(kind, asked)
  const found = await findDocument(kernel, kind, scope, address)
  if (!found?.readable) throw notFound(missing(kind, scope, address, 'try recall, or its id'))
  const file = await kernel.vault.read(found.path)
  // Rows of a file that is gone are dropped by those who see how many are gone at once.
  if (!file) throw new FileGone(found)
  if (file.hash !== found.content_hash) await followFile(kernel, kind, found.path)
  const document = understandFound(kind, file, found.id)
  const [{ origin, model }, more] = await Promise.all([
    originOf(kernel.db, scope, { id: found.id, model: document.model }),
    beside(document),
  ])
  await recordRead(kernel, by, kind, found)
  return [{ ...document, model, content_hash: file.hash, indexed: true }, origin, more]
}

/** The file is the truth: its row follows when it says something else. */
async function followFile(kernel: Kernel, kind: DocumentKind, path: string): Promise<void> {
  await reindexFile(kernel, fileKindOf(kind), path).catch((error: unknown) =>
    kernel.log.warn({ err: error, path }, `a changed ${kind.kind} was not indexed`),
  )
}

/** With the next batch: the answer does not wait for it. */
function recordRead(
  { telemetry }: Kernel,
  by: Actor,
  { nameKey, events }: DocumentKind,
  { project, id, name }: Found,
): Promise<void> {
  return telemetry.push(events.read, { by, project, item: id, payload: { [nameKey]: name } })
}
