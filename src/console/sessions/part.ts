/** The parts of a trace that can be shown alone, and the events that each is made of. */
import { eventKinds } from '../../event-kinds.ts'

export const PARTS = {
  calls: 'Calls',
  shown: 'Context shown',
  written: 'Written',
  wrong: 'Went wrong',
} as const
export type Part = keyof typeof PARTS
export const PART_KEYS = ['calls', 'shown', 'written', 'wrong'] as const

const ofSeverity = (severity: 'danger' | 'inject' | 'write'): string[] =>
  [...eventKinds.values()].filter(({ look }) => look.severity === severity).map(({ name }) => name)

/** What a call did is found beside it, and becomes a part of its row. A failed call is wrong by its answer. */
export const KINDS: Record<Part, readonly string[]> = {
  calls: ['tool.call'],
  shown: ofSeverity('inject'),
  written: ofSeverity('write'),
  wrong: ofSeverity('danger'),
}
