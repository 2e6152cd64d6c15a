/**
 * The effect of a proposal carries its decision: the proposal is locked at the beginning and decided at the end of the
 * one transaction that does it. Files are kept as they were.
 */
import type { Files } from '../kernel/files.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { inTransaction } from '../postgres/transaction.ts'
import type { ChangedFile } from './kept-files.ts'

export interface Ride {
  /** Before anything is decided; of files, under their locks. */
  begin(kernel: Kernel): Promise<void>
  /** What the rows of the effect stand on. Runs again when its transaction was lost. */
  ground?(kernel: Kernel): Promise<void>
  /** After the rows of the effect. `written` is what it wrote. Runs again when its transaction was lost. */
  end(kernel: Kernel, written: object, files: readonly ChangedFile[]): Promise<void>
}

export interface Carrier {
  /** Each of its writes of files is the effect. What writes nothing, since it is so already, is one too. */
  kernel: Kernel
  /** The effect is in rows alone. */
  carry(work: (kernel: Kernel) => Promise<object>): Promise<unknown>
}

export function carrying(kernel: Kernel, { begin, ground, end }: Ride): Carrier {
  const { vault } = kernel
  const write: typeof vault.write = (kernel, paths, decide, { ahead } = {}) =>
    vault.write(kernel, paths, async (kernel, files) => {
      await begin(kernel)
      await ground?.(kernel)
      const watched = watch(files)
      const known = await ahead?.(kernel.db)
      const decision = await decide(kernel, watched.files, known!)
      const { result } = decision
      // A write that found its place taken tells so by a symbol or by nothing, and another one follows.
      if (typeof result !== 'object' || result === null) return decision
      return {
        ...decision,
        async rows(kernel) {
          await ground?.(kernel)
          await decision.rows(kernel)
        },
        async act(kernel) {
          await decision.act?.(kernel)
          await end(kernel, result, watched.changed())
        },
      }
    })
  return {
    kernel: { ...kernel, vault: { ...vault, write } },
    carry: (work) =>
      inTransaction(kernel, async (kernel) => {
        await begin(kernel)
        await end(kernel, await work(kernel), [])
      }),
  }
}

/** The same files, with a memory of what they were. */
function watch(files: Files): { files: Files; changed(): ChangedFile[] } {
  const before = new Map<string, Buffer | null>()
  const after = new Map<string, string | null>()
  return {
    files: {
      ...files,
      async read(path) {
        const file = await files.read(path)
        before.set(path, file?.bytes ?? null)
        return file
      },
      put(path, bytes) {
        const hash = files.put(path, bytes)
        after.set(path, hash)
        return hash
      },
      remove(path) {
        files.remove(path)
        after.set(path, null)
      },
    },
    changed: () =>
      [...after].map(([path, hash]) => ({ path, before: before.get(path) ?? null, after: hash })),
  }
}
