/**
 * Changes of one file that wait at the same time share one write: one transaction, one file made
 * durable, one index. Each is decided on what the one before it made of the file, so that it is as
 * if they had come one after the other, and each is acknowledged when all of them are durable.
 */
import type { FileBytes, Files } from '../kernel/files.ts'
import type { Decision, Kernel } from '../kernel/kernel.ts'
import { Refusal } from '../kernel/refusal.ts'
import { contentHash } from './paths.ts'

export type Decide<T> = (kernel: Kernel, files: Files, known?: unknown) => Promise<Decision<T>>

/** What a write returns. */
export interface Written<T> {
  result: T
  indexed: boolean
}

/** A change that waits for its turn, and its outcome, which another change's write may bring. */
export interface Change {
  decide: Decide<unknown>
  outcome?: Written<unknown> | { error: unknown }
}

/** The most changes that share a write: readers of the embedded database wait for all of it. */
const MOST = 6

/** The changes that wait, by their paths. */
export class Waiting {
  readonly #changes = new Map<string, Change[]>()

  add(path: string, change: Change): void {
    const before = this.#changes.get(path)
    if (before) before.push(change)
    else this.#changes.set(path, [change])
  }

  /** Takes those that have waited longest, as many as share a write. */
  take(path: string): Change[] {
    const waiting = this.#changes.get(path) ?? []
    const taken = waiting.splice(0, MOST)
    if (waiting.length === 0) this.#changes.delete(path)
    return taken
  }
}

type WriteOnce = <T>(decide: Decide<T>) => Promise<Written<T>>

/** Carries the changes out, together if that can be. */
export async function carryOutAll(changes: readonly Change[], write: WriteOnce): Promise<void> {
  if (changes.length > 1) {
    try {
      const { result, indexed } = await write(decideAll(changes))
      for (const [at, outcome] of result.entries()) {
        changes[at]!.outcome = 'error' in outcome ? outcome : { ...outcome, indexed }
      }
      return
    } catch (error) {
      // A refusal of one change is kept in its outcome. This one is trouble with storage or database.
      if (error instanceof Refusal) {
        for (const change of changes) change.outcome = { error }
        return
      }
      // Nothing was written. Each change is tried alone, which shows whose fault it was.
    }
  }
  for (const change of changes) {
    change.outcome = await write(change.decide).catch((error: unknown) => ({ error }))
  }
}

/** All of the changes as one. A refusal concerns only the change that it was thrown for. */
function decideAll(
  changes: readonly Change[],
): Decide<({ result: unknown } | { error: Refusal })[]> {
  return async (kernel, files) => {
    const outcomes: ({ result: unknown } | { error: Refusal })[] = []
    const decisions: Decision<unknown>[] = []
    let [file, last]: [FileBytes?, Decision<unknown>?] = []
    for (const { decide } of changes) {
      const layer = over(files, file)
      try {
        const decision = await decide(kernel, layer)
        if (layer.staged) [file, last] = [layer.staged, decision]
        decisions.push(decision)
        outcomes.push({ result: decision.result })
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        outcomes.push({ error })
      }
    }
    if (file) files.put(file.path, file.bytes)
    return {
      result: outcomes,
      // The rows follow from the last state of the file. Each change records its own events.
      rows: async (kernel) => last?.rows(kernel),
      events: decisions.flatMap(({ events = [] }) => events),
      async act(kernel) {
        for (const { act } of decisions) await act?.(kernel)
      },
    }
  }
}

/** The files as the change before has staged them. */
function over(files: Files, before: FileBytes | undefined): Files & { staged?: FileBytes } {
  const layer: Files & { staged?: FileBytes } = {
    nextTime: files.nextTime,
    once: files.once,
    read: async (path) => (path === before?.path ? before : files.read(path)),
    put(path, bytes) {
      if (before && path !== before.path) throw new Error('a shared write is of one file')
      const hash = contentHash(bytes)
      layer.staged = { path, bytes, hash }
      return hash
    },
    remove() {
      throw new Error('a shared write removes nothing')
    },
  }
  return layer
}
