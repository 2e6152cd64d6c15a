import { embedQuery, nearlyTheSame, soonTheSame, type Meant } from '../embeddings/embeddings.ts'
import type { Embedder } from '../kernel/embedder.ts'
import type { Db, Kernel } from '../kernel/kernel.ts'
import { documentPath, ownerOfPath } from '../documents/documents.ts'
import { addsUnseen, wireProject, type Scope, type Scopes } from '../projects/projects.ts'
import { memoryDocument } from './document.ts'
import { findDescribed } from './store.ts'

export interface Similar {
  name: string
  description: string
  /** Cosine of the two, to three digits. */
  score: number
}

/** The most similar first. */
type Found = (Similar & { id: string })[]

/** A look for what says nearly the same, while the memory is written. */
export interface Look {
  /** Asks the database, or the transaction of the write, which no trouble of it ends. */
  beside?: (db: Db) => void
  found(): Promise<Found>
}

/** By what is looked: where, and what the new one means. */
interface Sought {
  scope: Scope
  meant: Meant
}

/** From here on two memories say nearly the same. The new one itself may be among them, and the one that it replaces. */
const NEARLY = { least: 0.83, depth: 4 }

/**
 * Whether to look for what says nearly the same, before it is written: what is written under a name that a memory has is no
 * new one, and no provider is sent it. A learned model costs no request, and the write itself tells whether the name was new.
 */
export async function seeksSimilar(
  { db, embedder }: Kernel,
  { project, name }: { project: string; name: string },
): Promise<boolean> {
  if (hasLearned(embedder)) return true
  const path = documentPath(memoryDocument, project, name)
  return (await ownerOfPath(db, memoryDocument, path)) === undefined
}

/**
 * Looks for the active memories of the project or of global that say nearly what a new one says.
 *
 * It goes on beside the write, which it must not hold up, so the new one may be found itself. Advice and no more: nothing
 * when the caller may not read there, without a model, and in any trouble.
 */
export async function lookForSimilar(
  kernel: Kernel,
  scopes: Scopes,
  project: string,
  draft: { name: string; description: string },
): Promise<Look> {
  const seeking = advice(kernel, () => seek(kernel, scopes, project, draft))
  if (!hasLearned(kernel.embedder)) {
    const looking = seeking.then((sought) => find(kernel, sought, kernel.db))
    return { found: () => looking }
  }
  // No request is made for it, so it is known before the write, whose transaction can be asked.
  const sought = await seeking
  let looking: Promise<Found> | undefined
  return {
    beside: (db) => void (looking = find(kernel, sought, db)),
    found: async () => looking ?? [],
  }
}

const hasLearned = (embedder: Embedder): boolean => {
  const state = embedder.state()
  return state.on && state.learned === true
}

async function seek(
  kernel: Kernel,
  scopes: Scopes,
  project: string,
  { name, description }: { name: string; description: string },
): Promise<Sought | undefined> {
  const { embedder, db } = kernel
  // One that is on looks for itself when it is asked.
  if (!embedder.state().on && !(await embedder.look()).on) return undefined
  if (await addsUnseen(db, scopes.reach, project)) return undefined
  const scope = await scopes.read(wireProject(project))
  const meant = await embedQuery(kernel, `${name} ${description}`.trim())
  return meant && !('cause' in meant) ? { scope, meant } : undefined
}

/** @param soon the database, or a transaction, which is asked for no more than it can tell soon */
async function find(kernel: Kernel, sought: Sought | undefined, soon: Db): Promise<Found> {
  if (!sought) return []
  const { scope, meant } = sought
  const found = await advice(kernel, async () => {
    const told = await soonTheSame(soon, scope, meant, NEARLY).catch(() => undefined)
    const similar: Found = []
    for (const near of told ?? (await nearlyTheSame(kernel.db, scope, meant, NEARLY))) {
      const described = await findDescribed(kernel.db, near.id, scope)
      const score = Number(near.similarity.toFixed(3))
      if (described) similar.push({ id: near.id, ...described, score })
    }
    return similar
  })
  return found ?? []
}

/** Undefined in any trouble. */
async function advice<T>(kernel: Kernel, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    kernel.log.warn({ err: error }, 'the hint of a similar memory was left out')
    return undefined
  }
}
