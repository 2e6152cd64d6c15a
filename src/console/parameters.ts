/** What the addresses and forms of the console may hold: schemas that screens share, and their reading. */
import type { FastifySchemaCompiler } from 'fastify'
import Type, { type Static, type TObject, type TSchema } from 'typebox'
import { isId } from '../kernel/id.ts'
import { invalid, type Refusal } from '../kernel/refusal.ts'
import { MOST } from '../kernel/schema/bounds.ts'
import { compileReader } from '../kernel/schema/reader.ts'
import { quote } from '../kernel/schema/words.ts'
import { cut } from '../text/text.ts'
import { httpError } from '../http/errors.ts'
import { SHAPE_PARAMETERS } from './shape.ts'
import { isCarried } from './typed.ts'

/** One of some values. Synonyms are accepted, and messages do not list them. */
export const Choice = <const Value extends string>(
  values: readonly [Value, ...Value[]],
  synonyms: Readonly<Record<string, Value>> = {},
) => Type.Enum([...values], { default: values[0], synonyms })

/** One of some values, or none of them. */
export const Narrowing = <const Value extends string>(values: readonly Value[]) =>
  Type.Optional(Type.Enum([...values]))

/** Free text, cut after so many characters; '' when it is absent. */
export const Text = (most: number) => Type.String({ default: '', cut: most })

export const PageNumber = Type.Integer({ minimum: 1, maximum: 99_999, default: 1 })

/** A field that the owner types: it is kept when its form is refused. Never a key. */
export const Typed = (options: Parameters<typeof Type.String>[0] = {}) =>
  Type.String({ ...options, typed: true })

/** The fields of a form whose names begin with that of this one and a dot, by what follows: `force.atlas`. */
export const Gathered = (most: number) =>
  Type.Record(Type.String(), Type.String(), {
    ...{ gathers: true, typed: true, maxProperties: most, maxBytes: MOST.object },
  })

/** The parameters of an address that ends in an id. */
export const ById = Type.Object({ id: Type.String({ ulid: true }) })

/** What our schemas say beside the words of JSON schema. */
interface Property {
  type?: string
  default?: unknown
  minimum?: number
  maximum?: number
  synonyms?: Readonly<Record<string, string>>
  cut?: number
  ulid?: boolean
  gathers?: true
}
type Given = Readonly<Record<string, unknown>>

type Prepare = (value: unknown, name: string, property: Property) => unknown

/**
 * Compiles the schemas of a screen's routes. A parameter that no schema names is ignored, unless
 * `additionalProperties` is false: then a misspelt one is refused, since it would change the answer.
 */
export const schemaCompiler =
  (unknown: (id: string) => Refusal): FastifySchemaCompiler<TSchema> =>
  ({ schema, httpPart }) => {
    const object = schema as TObject
    const [whole, common] = [httpPart ?? 'input', COMMON[httpPart ?? ''] ?? []]
    const read = compileReader(object, { unknown: strayWords(object, httpPart), whole })
    const prepare = httpPart === 'params' ? idsOf(unknown) : httpPart === 'body' ? single : textOf
    return (given: Given | null) => {
      const sent = gathered(object, Object.entries(given ?? {}))
      const isCommon = ([name]: [string, unknown]) =>
        common.includes(name) || (httpPart === 'querystring' && isCarried(name))
      const own = Object.fromEntries(sent.filter((field) => !isCommon(field)))
      const kept = Object.fromEntries(sent.filter(isCommon))
      try {
        return { value: { ...kept, ...read(prepared(object, own, prepare)) } }
      } catch (error) {
        return { error: error as Error }
      }
    }
  }

/** What the socket reads itself: the shape of the answer, and where a form leads. No schema names it. */
const COMMON: Partial<Record<string, readonly string[]>> = {
  querystring: SHAPE_PARAMETERS,
  body: ['next'],
}

const FORMAT = Type.Object({ format: Narrowing(['json']) })
const readFormat = compileReader(FORMAT)

/** Refuses a `format` that there is not. Every page takes it, so no schema has to name it. */
export function checkFormat(query: unknown): void {
  const { format } = query as Given
  if (format !== undefined) readFormat(prepared(FORMAT, { format }, textOf))
}

/** Reads parameters as a route with this schema does, for a page that shows what another route lists. */
export function parametersReader<Query extends TObject>(
  schema: Query,
): (given: Given) => Static<Query> {
  const read = compileReader(schema)
  const names = Object.keys(schema.properties)
  return (given) => {
    const own = Object.entries(given).filter(
      ([name, value]) => names.includes(name) && value !== '',
    )
    return read(prepared(schema, Object.fromEntries(own), textOf)) as Static<Query>
  }
}

const prepared = ({ properties }: TObject, given: Given, prepare: Prepare): Given =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      Object.hasOwn(properties, name) ? prepare(value, name, properties[name] as Property) : value,
    ]),
  )

/** Puts the fields of a property that gathers under its name. */
function gathered(
  { properties }: TObject,
  sent: readonly [string, unknown][],
): readonly [string, unknown][] {
  const gathering = Object.entries(properties)
    .filter(([, property]) => (property as Property).gathers)
    .map(([name]) => name)
  if (gathering.length === 0) return sent
  const ofOne = (name: string) => (field: [string, unknown]) => field[0].startsWith(`${name}.`)
  const rest = sent.filter((field) => !gathering.some((name) => ofOne(name)(field)))
  const together = gathering.map((name): [string, unknown] => [
    name,
    Object.fromEntries(
      sent.filter(ofOne(name)).map(([field, value]) => [field.slice(name.length + 1), value]),
    ),
  ])
  return [...rest.filter(([name]) => !gathering.includes(name)), ...together]
}

/** A value that is given twice is ambiguous, unless the schema wants a list. */
function single(value: unknown, name: string, { type }: Property): unknown {
  if (Array.isArray(value) && type !== 'array') throw invalid(`${name} may be given once`)
  return value
}

/** An address holds only text: a number is a whole numeral, and free text is cut instead of refused. */
function textOf(given: unknown, name: string, property: Property): unknown {
  const value = single(given, name, property)
  if (typeof value !== 'string') return value
  const { type, minimum, maximum, synonyms = {}, cut: most } = property
  if (type === 'integer' && value !== '' && !isWithin(value, minimum, maximum)) {
    const valid = `whole numbers from ${minimum} to ${maximum}`
    throw invalid(`invalid ${name} ${quote(value)}: valid values are ${valid}`)
  }
  if (most !== undefined) return cut(value.trim(), most)
  return Object.hasOwn(synonyms, value) ? synonyms[value] : value
}

const isWithin = (numeral: string, minimum = 0, maximum = Number.MAX_SAFE_INTEGER): boolean =>
  /^(?:0|[1-9]\d{0,15})$/.test(numeral) && Number(numeral) >= minimum && Number(numeral) <= maximum

/** Accepts an id in either case. Anything else is the unknown id of an item, so it is a 404; so is none at all. */
const idsOf =
  (unknown: (id: string) => Refusal): Prepare =>
  (value, _name, { ulid }) => {
    const id = String(value)
    if (id === '') throw httpError(404, unknown('""').message)
    if (!ulid) return value
    if (isId(id.toUpperCase())) return id.toUpperCase()
    throw httpError(404, unknown(id).message)
  }

const strayWords =
  (
    { properties, additionalProperties }: TObject & { additionalProperties?: boolean },
    httpPart: string | undefined,
  ) =>
  (name: string): string | undefined => {
    if (additionalProperties !== false) return undefined
    const [what, common] = httpPart === 'body' ? ['field', []] : ['parameter', ['format']]
    const spelled = Object.entries(properties).map(([name, property]) =>
      (property as Property).gathers ? `${name}.…` : name,
    )
    const valid = [...spelled, ...common].join(', ')
    return `unknown ${what} ${quote(name)}: valid ones are ${valid}`
  }

/** Returns the parameters as a link spells them, without what is the default, and without the page. */
export function linkQuery<Query extends TObject>(schema: Query, values: Static<Query>): string {
  const given = values as Given
  const query = new URLSearchParams()
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = given[name]
    const isDefault = value === (property as Property).default
    if (name !== 'page' && value !== undefined && value !== '' && !isDefault) {
      query.set(name, String(value))
    }
  }
  return query.size > 0 ? `?${query.toString()}` : ''
}
