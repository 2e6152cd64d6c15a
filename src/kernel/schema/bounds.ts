/**
 * How much a caller may send: every text and every list of every schema is one of these. Wide, since a room
 * says in better words what is too long for it; but nothing grows past what a call can be given at once.
 *
 * Readers check bounds and no list of tools shows them: they would cost every agent tokens, for what
 * hardly any ever meets.
 */
import Type, { type TSchema } from 'typebox'

/** In characters, in items of a list, in bytes of an object as JSON. */
export const MOST = {
  /** An id, a slug, a name however it is spelled, a hash, a word. */
  name: 500,
  /** A title that names a file. */
  title: 500,
  /** One line, a path, an address. */
  line: 10_000,
  /** A question: a log that somebody pastes is one, too. */
  question: 20_000,
  /** A text of any length: as large as a request. */
  text: 1024 * 1024,
  tag: 100,
  tags: 200,
  items: 2_000,
  properties: 500,
  object: 64 * 1024,
} as const

/** What a schema says beside its bound. */
interface Said {
  description?: string
  contentMediaType?: string
  default?: string
}

export const name = (said: Said = {}) => Type.String({ maxLength: MOST.name, ...said })
export const title = (said: Said = {}) => Type.String({ maxLength: MOST.title, ...said })
export const line = (said: Said = {}) => Type.String({ maxLength: MOST.line, ...said })
export const question = (said: Said = {}) => Type.String({ maxLength: MOST.question, ...said })
export const text = (said: Said = {}) => Type.String({ maxLength: MOST.text, ...said })

export const list = <Item extends TSchema>(
  items: Item,
  said: { description?: string; maxItems?: number; default?: [] } = {},
) => Type.Array(items, { maxItems: MOST.items, ...said })

export const tags = (description: string) =>
  Type.Array(Type.String({ maxLength: MOST.tag }), { maxItems: MOST.tags, description })

/** An object of which nothing is declared: any names, any values. */
export const figures = (description: string) =>
  Type.Object(
    {},
    {
      additionalProperties: true,
      maxProperties: MOST.properties,
      maxBytes: MOST.object,
      description,
    },
  )

/** The words of a schema that bound what is sent, and how a reader is to take it. */
const BOUNDS = new Set([
  'maxLength',
  'maxItems',
  'maxProperties',
  'maxBytes',
  'minimum',
  'maximum',
  'contentMediaType',
])

/** A schema as plain JSON, without what the library adds to it and without its bounds. */
export const published = (schema: object): { properties?: object; required?: string[] } =>
  JSON.parse(
    JSON.stringify(schema, (word, value: unknown) =>
      BOUNDS.has(word) && typeof value !== 'object' ? undefined : value,
    ),
  ) as { properties?: object; required?: string[] }
