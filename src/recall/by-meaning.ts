import type { Kernel } from '../kernel/kernel.ts'
import type { MeaningHit } from './fusion.ts'
import type { Asked, Where } from './legs.ts'

/** What the meaning leg came to: hits, or why there are none of it. */
export interface Meant {
  hits: MeaningHit[]
  /** How much the leg counts, from 0 to 1. */
  weight: number
  /** Why meaning was not looked at, for the caller; left out when it was, or is off by choice. */
  degraded?: string
}

/** The items nearest in meaning. Never throws for a provider's sake: words answer alone. */
export async function findByMeaning(_kernel: Kernel, _where: Where, _asked: Asked): Promise<Meant> {
  return { hits: [], weight: 0 }
}
