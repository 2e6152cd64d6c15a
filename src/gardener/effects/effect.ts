/** What a proposal of a kind does once it is applied, and what it says of it. */
import type { Actor, Db, Kernel } from '../../kernel/kernel.ts'
import type { Acting } from '../../memories/memories.ts'
import type { ProposalKind } from '../kinds.ts'
import type { Brief, Payloads } from '../payloads.ts'
import type { Carrier } from '../riding.ts'

export interface Effect<Kind extends ProposalKind> {
  kind: Kind
  /**
   * Does it, as one write that the carrier carries. What has happened already, since a kill came before its proposal
   * was decided, is done again as it is.
   */
  apply(carrier: Carrier, by: Actor, payload: Payloads[Kind]): Promise<unknown>
  /** Refuses it under the locks: where it leads may have been closed since it was proposed. */
  judge?(db: Db, payload: Payloads[Kind], lay: Lay): Promise<void>
  /** Each file that it writes is a new one: what stands there already was left by an apply that was cut off. */
  makes?: true
  /** What is told of it: `written` is what was written, and `lay` where a memory of it was before. */
  told(payload: Payloads[Kind], written: Written, lay: Lay): Record<string, unknown>
  /** Nothing takes it back. */
  final?: true
  /**
   * What its rows stand on, in the same transaction, and idempotent. What is returned is told beside the rest, and
   * comes back to `lift` once the effect was undone.
   */
  ground?: {
    lay(kernel: Kernel, payload: Payloads[Kind]): Promise<Record<string, unknown>>
    lift(kernel: Kernel, payload: Payloads[Kind], told: Record<string, unknown>): Promise<void>
  }
  /** Takes back what is in no file. Refuses when it is no more what the apply left. */
  undo?(kernel: Kernel, by: Actor, told: Record<string, unknown>): Promise<void>
}

/** A memory may have been moved since something was proposed of it. One that is gone is told as it was then. */
export type Lay = (memory: Place) => Place
export type Place = Pick<Brief, 'id' | 'name' | 'project'>

/** A memory, a note or a task as it was written. */
export interface Written {
  id: string
  project: string
  name?: string
  reused?: boolean
}

/** In the events of what it did. */
export const GARDENER: Acting = { agent: 'gardener' }

export const defineEffect = <Kind extends ProposalKind>(effect: Effect<Kind>): Effect<Kind> =>
  effect
