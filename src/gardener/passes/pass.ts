/** A pass looks through what is kept and says what it would propose. It writes nothing. */
import type { Kernel } from '../../kernel/kernel.ts'
import type { Pace } from '../../kernel/pace.ts'
import type { OwnerScope } from '../../projects/projects.ts'
import type { Draft } from '../store.ts'

export interface Pass {
  name: string
  /** Whether it is on. */
  isOn?(config: Kernel['config']['gardener']): boolean
  /** Finds what may be proposed. Throws when it cannot know. */
  look(kernel: Kernel, owner: OwnerScope, most: number, way: Way): Promise<Findings>
}

/** How long a pass may look, and how it gives way. */
export interface Way {
  /** False when it has looked for long enough, or the service stops: a later run looks at what is left. */
  going: () => boolean
  /** Left out where somebody waits for it. */
  pace?: Pace | undefined
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
