/** The rows of documents, as their files say. */
import { blankItem, record } from '../kernel/events.ts'
import { newId } from '../kernel/id.ts'
import { NOBODY, type Kernel } from '../kernel/kernel.ts'
import { dropItem, indexItem } from '../passages/passages.ts'
import { ensureProject } from '../projects/projects.ts'
import type { FileKind } from '../vault/vault.ts'
import { datedBytes, parseDocument, splitPath } from './file.ts'
import type { Document, DocumentKind } from './kind.ts'
import { findPlaced, lastProjectOf, ownerOfPath } from './store.ts'

/**
 * Brings the row and the passages of a document in line with its file. `fresh` is the number of its project when it
 * is known to have no passages yet.
 */
export async function indexDocument(
  kernel: Kernel,
  { kind, rows, ending, titleOf }: DocumentKind,
  document: Document,
  path: string,
  hash: string,
  fresh?: number,
): Promise<void> {
  const { id, project, description, body: text } = document
  const [title, active, whole] = [titleOf(document), !ending?.ended(document), rows.whole]
  await Promise.all([
    rows.upsert(kernel.db, document, path, hash),
    indexItem(kernel, { kind, id, project, active, title, description, text, whole }, fresh),
  ])
}

/** Forgets a document that is gone, and what events kept of its text. */
export async function dropDocument(kernel: Kernel, kind: DocumentKind, id: string): Promise<void> {
  await kind.rows.remove(kernel.db, id)
  await dropItem(kernel, kind.kind, id)
  await blankItem(kernel, kind.kind, id)
}

/** Returns how the rows of a kind of document follow from what lies on disk. */
export const fileKindOf = (kind: DocumentKind): FileKind => ({
  kind: kind.kind,
  root: kind.root,
  extension: '.md',
  byProject: true,

  identify: (file) => parseDocument(kind, file),

  pathOf: async (db, id) => (await findPlaced(db, kind, id))?.path,

  async index(kernel, file, { external }) {
    const document = parseDocument(kind, file)
    const { id, project } = document
    await ensureProject(kernel, project, () => lastProjectOf(kernel.db, kind, id))
    // The file was replaced by one with another id: the document that was here is gone.
    const owner = await ownerOfPath(kernel.db, kind, file.path)
    if (owner !== undefined && owner !== id) await dropDocument(kernel, kind, owner)
    await indexDocument(kernel, kind, document, file.path, file.hash)
    if (!external) return
    const { written, byHand } = kind.events
    const says = { [kind.titleKey]: kind.titleOf(document), ...byHand?.(document) }
    const payload = { ...says, updated: true, outside: true }
    const event = newId(kernel.clock.now())
    await record(kernel, written, { id: event, by: NOBODY, project, item: id, payload })
  },

  dated: (file) => datedBytes(kind, file),

  async forget(kernel, path) {
    const id = await ownerOfPath(kernel.db, kind, path)
    if (id === undefined) return
    const { project, name } = splitPath(path)
    await dropDocument(kernel, kind, id)
    const payload = { [kind.nameKey]: name, deleted: true, outside: true }
    await record(kernel, kind.events.deleted, { by: NOBODY, project, item: id, payload })
  },
})
