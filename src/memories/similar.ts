import { byMeaning, embedQuery } from '../embeddings/embeddings.ts'
import type { Db, Kernel } from '../kernel/kernel.ts'
import { documentPath, ownerOfPath } from '../documents/documents.ts'
import { addsUnseen, wireProject, type Scopes } from '../projects/projects.ts'
import { memoryDocument } from './document.ts'
import { findDescribed } from './store.ts'

export interface Similar {
  name: string
  description: string
  /** Cosine of the two, to three digits. */
  score: number
}

/** From here on two memories say nearly the same. */
const NEARLY_THE_SAME = 0.83
/** The new one itself may be among them, and the one that it replaces. */
const LOOKED_AT = 4

/**
 * The active memories of the project or of global that say nearly what a new one says, the most similar first.
 *
 * Asked beside the write, which it must not hold up, so the new one may be found itself. Advice and no more: nothing when
 * the caller may not read there, without a provider, and in any trouble.
 */
export async function findSimilar(
  kernel: Kernel,
  scopes: Scopes,
  heir: { project: string; name: string },
  { name, description }: { name: string; description: string },
): Promise<(Similar & { id: string })[]> {
  const { embedder, db } = kernel
  const { project } = heir
  const similar: (Similar & { id: string })[] = []
  try {
    // One that is on looks for itself when it is asked.
    const before = embedder.state()
    const state = before.on ? before : await embedder.look()
    if (!state.on) return []
    // To ask a provider costs its owner something, and of what is rewritten nothing is told.
    if (!state.learned && (await isNamed(db, heir))) return []
    if (await addsUnseen(db, scopes.reach, project)) return []
    const scope = await scopes.read(wireProject(project))
    const meant = await embedQuery(kernel, `${name} ${description}`.trim())
    if (!meant || 'cause' in meant) return []
    for (const near of await byMeaning(db, scope, meant, ['memory'], LOOKED_AT)) {
      if (near.similarity < NEARLY_THE_SAME) break
      const found = await findDescribed(db, near.id, scope)
      if (found) similar.push({ id: near.id, ...found, score: Number(near.similarity.toFixed(3)) })
    }
  } catch (error) {
    kernel.log.warn({ err: error }, 'the hint of a similar memory was left out')
  }
  return similar
}

/** Whether a memory has the name there, active or not: what is written under it is no new one. */
const isNamed = async (db: Db, { project, name }: { project: string; name: string }) =>
  (await ownerOfPath(db, memoryDocument, documentPath(memoryDocument, project, name))) !== undefined
