import type { Db } from '../kernel/kernel.ts'
import { scopeSql, type Scope } from '../projects/projects.ts'

/** Who wrote a document, by the names of their sessions. Who is not known, or behind a fence, is left out. */
export interface Origin {
  created_by?: string
  /** Of the last change. */
  updated_by?: string
}

interface Writers {
  first: string | null
  last: string | null
  /** The model of one whose file names none; null when nobody knows it, or was asked. */
  learned: string | null
}
const writersOf = scopeSql<{ id: string; nameless: boolean }, Writers>('documents/writers', {
  kept: true,
})

/** Looks up who wrote a document first and who last, as the log has it, and the model of one whose file names none. */
export async function originOf(
  db: Db,
  scope: Scope,
  { id, model }: { id: string; model: string },
): Promise<{ origin: Origin; model: string }> {
  const [writers] = await writersOf(db, scope, { id, nameless: model === '' })
  const { first, last, learned } = writers!
  const origin = {
    ...(first !== null && { created_by: first }),
    ...(last !== null && { updated_by: last }),
  }
  return { origin, model: model || (learned ?? '') }
}
