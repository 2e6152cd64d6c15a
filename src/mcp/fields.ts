/** Parameters and fields that several tools share. */
import Type from 'typebox'
import * as bounds from '../kernel/schema/bounds.ts'

export {
  figures,
  line,
  list,
  name,
  question,
  tags as tagList,
  text,
  title,
} from '../kernel/schema/bounds.ts'

export const project = Type.Optional(
  bounds.name({
    description: "default: your session's. A new slug creates one; global: for every project",
  }),
)

export const readProject = Type.Optional(
  bounds.name({ description: "or global; default: your session's" }),
)

/** Taken by nearly every tool: the instructions say once what it is. */
export const session = Type.Optional(bounds.name())

/** For tools that act on a session. */
export const targetSession = Type.Optional(
  bounds.name({ description: 'id or name; default: your own' }),
)

export const body = bounds.text({ description: 'markdown' })

export const tags = Type.Optional(bounds.tags('or one comma-separated string'))

export const noteId = bounds.name({ description: 'note id' })

/** What a read answers of a long text. */
export const section = Type.Optional(
  bounds.name({ description: 'a heading, with what is below it' }),
)
export const lineOffset = Type.Optional(
  Type.Integer({ minimum: 0, description: 'first line, from 0' }),
)
export const lineLimit = Type.Optional(Type.Integer({ minimum: 1, description: 'lines' }))

/** Several documents in one call. */
export const severalOf = (what: string) =>
  Type.Optional(bounds.list(bounds.name(), { maxItems: 20, description: `20 ${what} at most` }))

export const expectHash = Type.Optional(
  bounds.name({
    description: 'content_hash you read; refused once it changed',
  }),
)

/** Part of the answer to a write into a project that was not there; the call itself adds it. */
export const created = {
  project_created: Type.Optional(
    Type.Literal(true, { description: 'there was none of this slug' }),
  ),
  nearest_project: Type.Optional(Type.String({ description: 'is it this one that was meant?' })),
}

/** Part of the answer to a write that the caller may make but not read. */
export const withheld = Type.Optional(
  Type.Object({ fields: Type.Array(Type.String()), reason: Type.String() }),
)

/** False when the file is written and its rows follow later; otherwise absent. */
export const indexed = Type.Optional(
  Type.Boolean({ description: 'false: written, found a little later' }),
)

/** Present when the written text seems to hold a credential. */
export const secretHint = Type.Optional(
  Type.String({ description: 'what looks like a credential in it' }),
)

export const memoryName = bounds.name({
  description: 'name, or project/name',
})

/** Present when the header of a stage lacks its state. */
export const stageHint = Type.Optional(
  Type.String({ description: 'what is wrong with the header of the stage' }),
)

export const taskId = bounds.name({ description: 'task id' })

export const claimToken = Type.Optional(
  bounds.name({ description: 'of your claim; refused once it has passed on' }),
)

export const bodies = Type.Optional(
  Type.Boolean({ description: '1,000 characters of each body, not a line' }),
)

/** For lists that may be long. */
export const listLimit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 200, description: 'of each list: default 50, most 200' }),
)
