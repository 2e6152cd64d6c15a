/** Tools that only tests have: small, and each there to show one thing. */
import Type from 'typebox'
import { invalid } from '../../src/kernel/refusal.ts'
import { defineTool } from '../../src/mcp/tool.ts'

const hints = { readOnly: true, destructive: false, idempotent: true, openWorld: false }
const write = { ...hints, readOnly: false, idempotent: false }
const Anything = Type.Object({}, { additionalProperties: true })

/** Answers with what it understood of every kind of parameter. */
export const probe = defineTool({
  name: 'probe',
  title: 'Probe',
  description: 'Answers with what it understood.',
  input: Type.Object({
    body: Type.Optional(Type.String()),
    title: Type.Optional(Type.String({ minLength: 1, maxLength: 20 })),
    slug: Type.Optional(Type.String()),
    kind: Type.Optional(Type.Enum(['note', 'memory'], { type: 'string' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    weight: Type.Optional(Type.Number()),
    loud: Type.Optional(Type.Boolean()),
    tags: Type.Optional(Type.Array(Type.String())),
    edits: Type.Optional(
      Type.Array(
        Type.Object({
          old_string: Type.String(),
          new_string: Type.String(),
          replace_all: Type.Optional(Type.Boolean()),
        }),
      ),
    ),
    extra: Type.Optional(Type.Object({}, { additionalProperties: true })),
    session: Type.Optional(Type.String()),
  }),
  output: Type.Object({ understood: Anything, session: Type.String(), project: Type.String() }),
  hints,
  run: async (input, { actor, scopes }) => ({
    understood: input,
    session: actor.session,
    project: scopes.caller.project,
  }),
})

/** Insists on three parameters. */
export const demand = defineTool({
  name: 'demand',
  title: 'Demand',
  description: 'Insists on what it needs.',
  input: Type.Object({
    title: Type.String(),
    body: Type.String(),
    kind: Type.Enum(['note', 'memory'], { type: 'string' }),
    tags: Type.Optional(Type.Array(Type.String())),
  }),
  output: Type.Object({}),
  hints: write,
  run: async () => ({}),
})

/** Fails as it is told to: with a refusal, as storage does, or as a bug does. */
export const fail = defineTool({
  name: 'fail',
  title: 'Fail',
  description: 'Fails.',
  input: Type.Object({ how: Type.String(), body: Type.Optional(Type.String()) }),
  output: Type.Object({}),
  hints: write,
  run: async ({ how }) => {
    if (how === 'refusal') throw invalid('the moon is in the wrong place')
    if (how === 'bug') throw new Error('secret detail at /srv/loam/store.ts: select * from notes')
    throw Object.assign(new Error(`${how}: /srv/data/notes/x.md`), { code: how })
  },
})

/** Takes its time. */
export const wait = defineTool({
  name: 'wait',
  title: 'Wait',
  description: 'Answers after some milliseconds.',
  input: Type.Object({ milliseconds: Type.Integer(), word: Type.String() }),
  output: Type.Object({ word: Type.String() }),
  hints,
  run: async ({ milliseconds, word }) => {
    await new Promise((resolve) => setTimeout(resolve, milliseconds))
    return { word }
  },
})

/** Exists only while the research feature is on. */
export const experiment = defineTool({
  name: 'experiment',
  title: 'Experiment',
  description: 'Of the research feature.',
  input: Type.Object({}),
  output: Type.Object({ done: Type.Boolean() }),
  hints,
  feature: 'research',
  run: async () => ({ done: true }),
})

export const testTools = [probe, demand, fail, wait, experiment]
