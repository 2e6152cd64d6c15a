import { byMeaning, embedQuery } from '../embeddings/embeddings.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { judge, wireProject, type Scopes } from '../projects/projects.ts'
import { documentPath, ownerOfPath } from '../documents/documents.ts'
import { memoryDocument, memoryNameAt } from './document.ts'
import { findDescribed } from './store.ts'

export interface Similar {
  name: string
  description: string
  /** Cosine of the two, to three digits. */
  score: number
}

/** From here on two memories say nearly the same. */
const NEARLY_THE_SAME = 0.83
const LOOKED_AT = 3

/**
 * The active memory of the project or of global that says nearly what a new one is about to say.
 *
 * Asked before the write, or the new one would be found itself. Advice and no more: nothing when the
 * name is written already, when the caller may not read there, without a provider, and in any trouble.
 */
export async function findSimilar(
  kernel: Kernel,
  scopes: Scopes,
  project: string,
  { name, description }: { name: string; description: string },
): Promise<Similar | undefined> {
  const { embedder } = kernel
  // One that is on looks for itself when it is asked.
  if (!embedder.state().on && !(await embedder.look()).on) return undefined
  try {
    if (!(await judge(kernel.db, scopes.caller, project)).readable) return undefined
    const path = documentPath(memoryDocument, project, await memoryNameAt(kernel.db, project, name))
    if ((await ownerOfPath(kernel.db, memoryDocument, path)) !== undefined) return undefined
    const scope = await scopes.read(wireProject(project))
    const meant = await embedQuery(kernel, `${name} ${description}`.trim())
    if (!meant || 'cause' in meant) return undefined
    for (const near of await byMeaning(kernel.db, scope, meant, ['memory'], LOOKED_AT)) {
      if (near.similarity < NEARLY_THE_SAME) return undefined
      const found = await findDescribed(kernel.db, near.id, scope)
      if (found) return { ...found, score: Number(near.similarity.toFixed(3)) }
    }
  } catch (error) {
    kernel.log.warn({ err: error }, 'the hint of a similar memory was left out')
  }
  return undefined
}
