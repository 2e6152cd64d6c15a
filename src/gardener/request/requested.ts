/** What a request and a split answer. */
import Type, { type Static } from 'typebox'

export const Requested = Type.Object({
  /** Ids of what was proposed. */
  created: Type.Array(Type.String()),
  byKind: Type.Object({}, { additionalProperties: true }),
  total: Type.Integer(),
  /** Why the rest was not proposed. */
  skipped: Type.Array(Type.String()),
  ambiguous: Type.Array(
    Type.Object({
      ref: Type.String(),
      candidates: Type.Array(
        Type.Object({ id: Type.String(), name: Type.String(), project: Type.String() }),
      ),
    }),
  ),
  summary: Type.String(),
  /** What to ask for instead. */
  guidance: Type.Optional(Type.String()),
  /** A project is to be split: gardener_split does that. */
  splitIntent: Type.Optional(Type.Literal(true)),
  /** Which, when one was named that is there. */
  splitSource: Type.Optional(Type.String()),
})
export type Requested = Static<typeof Requested>
