/** A pass looks through what is kept and says what it would propose. It writes nothing. */
import type { Kernel } from '../../kernel/kernel.ts'
import type { OwnerScope } from '../../projects/projects.ts'
import type { Draft } from '../store.ts'

export interface Pass {
  name: string
  /** Whether it is on. */
  isOn?(config: Kernel['config']['gardener']): boolean
  /** Finds what may be proposed, in so many milliseconds at most. Throws when it cannot know. */
  look(kernel: Kernel, owner: OwnerScope, most: number, ms: number): Promise<Findings>
}

export interface Findings {
  /** At most `most`, the clearest first. */
  drafts: Draft[]
  /** How many there are: the others are held back until a later run. */
  found: number
  /** Memories that it has not looked at yet: a later run does. */
  left?: number
  /** Once the drafts are proposed: notes how far it has looked. */
  done?(kernel: Kernel): Promise<void>
}
