/** One act on a memory that its owner, the gardener or an agent decided on: where it holds, what it is, whether it ends. */
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { notFound } from '../kernel/refusal.ts'
import {
  changeLocked,
  reachDocument,
  seekPlaced,
  type Change,
  type Placed,
  type Stored,
} from '../documents/documents.ts'
import type { Files } from '../vault/vault.ts'
import type { Scope } from '../projects/projects.ts'
import { memoryDocument } from './document.ts'
import type { Memory } from './file.ts'

export interface Acting {
  /** By whom the act is judged; left out, it is the owner's or the gardener's. */
  scope?: Scope
  /** Who acts when no agent does, as the event names it: `gardener`. */
  agent?: string
}

/** What is known inside the lock. */
export interface Held {
  kernel: Kernel
  files: Files
  now: Date
  other(): Promise<Memory>
}

interface Acted {
  id: string
  /** Another memory that is read beside it. */
  other?: string
  /** Other paths that are written. */
  also?(found: Placed): readonly string[]
}

/** Locks the memory, with the other one if there is one, and changes it as `decide` says. */
export function act(
  kernel: Kernel,
  by: Actor,
  { id, other, also }: Acted,
  { scope, agent }: Acting = {},
  decide: (before: Memory, held: Held) => Promise<Change<Memory> | undefined>,
): Promise<Stored<Memory>> {
  const first = (kernel: Kernel) =>
    scope
      ? reachDocument(kernel, memoryDocument, { scope, address: { id } }, 'retire')
      : getPlaced(kernel, id)
  const find = async (kernel: Kernel): Promise<[Placed, ...Placed[]]> => [
    await first(kernel),
    ...(other === undefined ? [] : [await getPlaced(kernel, other)]),
  ]
  const locking = { find, ...(also && { also: ([found]: [Placed, ...Placed[]]) => also(found) }) }
  return changeLocked(kernel, by, memoryDocument, locking, async (held) => {
    const { kernel, files, found, before, read } = held
    const change = await decide(before, {
      kernel,
      files,
      now: files.nextTime(before.updated),
      other: () => read(found[1]!),
    })
    const { name } = before
    return (
      change && { ...change, payload: { name, ...change.payload, ...(agent && { by: agent }) } }
    )
  })
}

async function getPlaced(kernel: Kernel, id: string): Promise<Placed> {
  const placed = await seekPlaced(kernel, memoryDocument, id)
  if (!placed) throw notFound(`memory with id ${JSON.stringify(id)}`)
  return placed
}
