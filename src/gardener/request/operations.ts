/** What a request may ask for, once it is said in parts: by the caller, by rules or by a model. */
import Type, { type Static } from 'typebox'
import * as bounds from '../../kernel/schema/bounds.ts'

export const OPERATIONS = [
  'merge',
  'archive',
  'consolidate',
  'reproject',
  'rekind',
  'digest',
] as const

/** Sources of one consolidation. */
const MOST_SOURCES = 20

/** One operation. Memories are named as anywhere: by id, name or project/name. */
export const Operation = Type.Object({
  op: Type.Enum([...OPERATIONS], { type: 'string' }),
  target: Type.Optional(bounds.name({ description: 'the memory' })),
  keep: Type.Optional(bounds.name({ description: 'merge: the one that stays' })),
  drop: Type.Optional(bounds.name()),
  to: Type.Optional(bounds.name({ description: 'a project, or a kind' })),
  sources: Type.Optional(
    bounds.list(bounds.name(), {
      maxItems: MOST_SOURCES,
      description:
        'consolidate: memories that one of this name, kind, description and body replaces',
    }),
  ),
  name: Type.Optional(bounds.name()),
  kind: Type.Optional(bounds.name()),
  description: Type.Optional(bounds.line()),
  body: Type.Optional(bounds.text()),
  reason: Type.Optional(bounds.line()),
})
export type Operation = Static<typeof Operation>

/** Of several memories that were meant alike. */
export interface Ambiguous {
  ref: string
  candidates: { id: string; name: string; project: string }[]
}
