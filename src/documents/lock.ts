/** The locks of documents. What was found before the lock is found again inside it. */
import type { Decision, Kernel } from '../kernel/kernel.ts'
import { conflict } from '../kernel/refusal.ts'
import type { FileBytes, Files } from '../vault/vault.ts'
import type { DocumentKind } from './kind.ts'
import { documentPath } from './file.ts'
import { FileGone, followMoved } from './reach.ts'
import type { Placed } from './store.ts'

/** The document was moved, or came or went, between the look-up and the lock. */
class Moved extends Error {}

/** How often documents are looked for before the write is refused. */
const TRIES = 3

export interface Locking<F> {
  /** Finds and judges the documents, in one order: before the lock and again inside it. */
  find(kernel: Kernel): Promise<F>
  /** The other paths to be locked. */
  also?(found: F): readonly string[]
  /** Names the look-up for the changes that share a write. Left out: this one shares none. */
  shared?: string
}

/** Locks the files of documents and lets `decide` make one write of them. */
export const lockDocuments = <F extends readonly Placed[], T>(
  kernel: Kernel,
  kind: DocumentKind,
  locking: Locking<F>,
  decide: (kernel: Kernel, files: Files, found: F) => Promise<Decision<T>>,
): Promise<{ result: T; indexed: boolean }> =>
  followMoved(kernel, kind, () => lockFound(kernel, kind, locking, decide))

async function lockFound<F extends readonly Placed[], T>(
  kernel: Kernel,
  kind: DocumentKind,
  { find, also = () => [], shared }: Locking<F>,
  decide: (kernel: Kernel, files: Files, found: F) => Promise<Decision<T>>,
): Promise<{ result: T; indexed: boolean }> {
  for (let tries = 1; ; tries++) {
    const before = await find(kernel)
    const paths = before.map(({ path }) => path)
    const decideFound = async (kernel: Kernel, files: Files) => {
      const look = () => find(kernel)
      const found = await (shared === undefined ? look() : files.once(shared, look))
      if (found.some(({ path }, at) => path !== paths[at])) throw new Moved()
      return decide(kernel, files, found)
    }
    // A file made by hand may lie elsewhere than its name says: what is written goes there.
    const own = before.map(({ project, name }) => documentPath(kind, project, name))
    const all = [...new Set([...paths, ...own, ...also(before)])]
    try {
      const how = { shared: shared !== undefined, grouped: true }
      return await kernel.vault.write(kernel, all, decideFound, how)
    } catch (error) {
      if (!(error instanceof Moved)) throw error
      if (tries === TRIES) throw conflict(`the ${kind.kind} is being moved by others; try again`)
    }
  }
}

/** Reads the file of a document inside its lock. Without it nothing is written: it alone has every key. */
export async function fileLocked(kernel: Kernel, files: Files, found: Placed): Promise<FileBytes> {
  const file = await files.read(found.path)
  if (file) return file
  await kernel.vault.assertPresent()
  throw new FileGone(found)
}
