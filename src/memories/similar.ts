import { embedQuery, nearlyTheSame } from '../embeddings/embeddings.ts'
import type { Kernel } from '../kernel/kernel.ts'
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
 * Whether to look for what says nearly the same, before it is written: what is written under a name that a memory has is no
 * new one, and no provider is sent it. A learned model costs no request, and the write itself tells whether the name was new.
 */
export async function seeksSimilar(
  { db, embedder }: Kernel,
  { project, name }: { project: string; name: string },
): Promise<boolean> {
  const state = embedder.state()
  if (state.on && state.learned) return true
  const path = documentPath(memoryDocument, project, name)
  return (await ownerOfPath(db, memoryDocument, path)) === undefined
}

/**
 * The active memories of the project or of global that say nearly what a new one says, the most similar first.
 *
 * Asked beside the write, which it must not hold up, so the new one may be found itself. Advice and no more: nothing when
 * the caller may not read there, without a provider, and in any trouble.
 */
export async function findSimilar(
  kernel: Kernel,
  scopes: Scopes,
  project: string,
  { name, description }: { name: string; description: string },
): Promise<(Similar & { id: string })[]> {
  const { embedder, db } = kernel
  const similar: (Similar & { id: string })[] = []
  try {
    // One that is on looks for itself when it is asked.
    if (!embedder.state().on && !(await embedder.look()).on) return []
    if (await addsUnseen(db, scopes.reach, project)) return []
    const scope = await scopes.read(wireProject(project))
    const meant = await embedQuery(kernel, `${name} ${description}`.trim())
    if (!meant || 'cause' in meant) return []
    const same = await nearlyTheSame(db, scope, meant, { least: NEARLY_THE_SAME, depth: LOOKED_AT })
    for (const near of same) {
      const found = await findDescribed(db, near.id, scope)
      if (found) similar.push({ id: near.id, ...found, score: Number(near.similarity.toFixed(3)) })
    }
  } catch (error) {
    kernel.log.warn({ err: error }, 'the hint of a similar memory was left out')
  }
  return similar
}
