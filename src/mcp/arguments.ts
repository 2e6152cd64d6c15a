/**
 * From what was sent to what was declared. Driven by the tool's own schema and by nothing else.
 *
 * Absent means default; present but not understood is an error, never a guess. Names are visited in
 * sorted order, so that a call with two mistakes always reports the same one first.
 */
import { isDeepStrictEqual } from 'node:util'
import type { TObject, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { invalid } from '../kernel/refusal.ts'
import { suggest } from '../text/suggest.ts'

/** Further names under which a parameter is accepted, on every tool that declares it. */
export const ALIASES: Record<string, readonly string[]> = {
  body: ['content', 'text'],
  slug: ['name'],
  session: ['session_id'],
}

const DEEPEST = 32
const LARGEST = 2 ** 53
const NUMERAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

type Values = Record<string, unknown>

/** What of a JSON schema the reader looks at. */
interface Shape {
  type?: string
  enum?: readonly unknown[]
  items?: Shape
  properties?: Record<string, Shape>
  required?: readonly string[]
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  contentMediaType?: string
}

/** Reads the `arguments` of a call. Throws a Refusal that names the parameter and what it may be. */
export type ReadArguments = (sent: unknown) => Values

export function compileArguments(input: TObject): ReadArguments {
  const shape = input as Shape
  const names = acceptedNames(shape)
  const validator = Compile(input as TSchema)
  return (sent) => {
    if (sent === undefined || sent === null) sent = {}
    if (!isObject(sent)) throw invalid('arguments must be a JSON object')
    refuseUnknown(sent, names)
    const values = readObject(shape, merge(sent, names), '')
    const [problem] = validator.Check(values) ? [] : validator.Errors(values)
    if (problem) throw invalid(`invalid ${pathOf(problem.instancePath)}: ${problem.message}`)
    return values
  }
}

/** Canonical name → every name it goes by, itself first. A declared name is never an alias. */
function acceptedNames({ properties = {} }: Shape): Map<string, readonly string[]> {
  const undeclared = (name: string): boolean => !Object.hasOwn(properties, name)
  return new Map(
    Object.keys(properties)
      .sort()
      .map((name) => [name, [name, ...(ALIASES[name] ?? []).filter(undeclared)]]),
  )
}

function refuseUnknown(sent: Values, names: Map<string, readonly string[]>): void {
  const valid = [...names.values()].flat().sort()
  const unknown = Object.keys(sent)
    .sort()
    .find((name) => !valid.includes(name))
  if (unknown === undefined) return
  const near = suggest(unknown, valid)
  throw invalid(
    `unknown parameter ${quote(unknown)}; ` +
      (near ? `did you mean "${near}"? ` : '') +
      (unknown === 'query' ? 'to search, use recall. ' : '') +
      (valid.length > 0
        ? `valid parameters: ${valid.join(', ')}`
        : 'this tool takes no parameters'),
  )
}

/** One value per parameter, under its canonical name. */
function merge(sent: Values, names: Map<string, readonly string[]>): Values {
  const merged: Values = {}
  for (const [name, all] of names) {
    const [first, ...others] = all.filter((each) => Object.hasOwn(sent, each))
    if (first === undefined) continue
    for (const other of others) {
      refuseUnstorable(sent[first], first, 0)
      if (isDeepStrictEqual(sent[first], sent[other])) continue
      throw invalid(
        `conflicting values for "${first}" and "${other}"; pass one of ${all.join(', ')}`,
      )
    }
    merged[name] = sent[first]
  }
  return merged
}

/** Reads the declared properties of an object. `at` is '' for the arguments themselves. */
function readObject(shape: Shape, sent: Values, at: string): Values {
  const { properties = {}, required = [] } = shape
  const present = Object.keys(properties)
    .sort()
    .filter((name) => Object.hasOwn(sent, name) && !isBlank(properties[name]!, sent[name]))
  const missing = (given: (name: string) => boolean): void => {
    const names = required.filter((name) => !given(name)).sort()
    if (names.length === 0) return
    if (at !== '') throw invalid(`${at}: ${names.join(', ')} is required`)
    throw invalid(`missing required: ${names.map((name) => wanted(name, properties)).join(', ')}`)
  }

  missing((name) => present.includes(name))
  const values: Values = {}
  for (const name of present) {
    const path = at === '' ? name : `${at}.${name}`
    const value = readValue(properties[name]!, sent[name], path)
    if (value !== undefined) values[name] = value
  }
  // A required list of nothing but blanks is as good as none.
  missing((name) => Object.hasOwn(values, name))
  return values
}

/** `"body" (or "content", "text")`, `"kind" (one of a, b)`. */
function wanted(name: string, properties: Record<string, Shape>): string {
  const aliases = (ALIASES[name] ?? []).filter((alias) => !Object.hasOwn(properties, alias))
  const choices = properties[name]?.enum
  const notes = [
    ...(aliases.length > 0 ? [`or ${aliases.map((alias) => `"${alias}"`).join(', ')}`] : []),
    ...(choices ? [`one of ${choices.join(', ')}`] : []),
  ]
  return notes.length > 0 ? `"${name}" (${notes.join('; ')})` : `"${name}"`
}

/** An empty string says nothing where a value is interpreted; as free text it is a value. */
const isBlank = (shape: Shape, value: unknown): boolean =>
  value === '' &&
  (shape.enum !== undefined || ['array', 'number', 'integer', 'object'].includes(shape.type ?? ''))

function readValue(shape: Shape, sent: unknown, path: string): unknown {
  refuseUnstorable(sent, path, 0)
  const value = coerce(shape, sent, path)
  if (value === undefined) return undefined
  if (shape.enum && !shape.enum.includes(value)) {
    throw invalid(`invalid ${path} ${quote(value)}: valid values are ${shape.enum.join(', ')}`)
  }
  refuseOutOfRange(shape, value, path)
  return value
}

function coerce(shape: Shape, sent: unknown, path: string): unknown {
  const type = shape.type ?? (shape.enum ? 'string' : '')
  switch (type) {
    case 'string':
      return typeof sent === 'string' ? sent : wrong(path, 'a string', sent)
    case 'number':
      return readNumber(sent, path, 'a number')
    case 'integer': {
      const number = readNumber(sent, path, 'an integer')
      if (Number.isInteger(number)) return number
      throw invalid(`invalid ${path}: expected an integer, got ${number}`)
    }
    case 'boolean':
      return readBoolean(sent, path)
    case 'array':
      return readArray(shape.items ?? {}, sent, path)
    case 'object': {
      const value = fromJson(sent, '{', path)
      if (!isObject(value)) return wrong(path, 'an object', sent)
      return isFree(shape) ? value : readKnown(shape, value, path)
    }
    default:
      return sent
  }
}

function readNumber(sent: unknown, path: string, expected: string): number {
  const text = typeof sent === 'string' ? sent.trim() : ''
  const number = NUMERAL.test(text) ? Number(text) : sent
  if (typeof number !== 'number' || Number.isNaN(number)) return wrong(path, expected, sent)
  if (Math.abs(number) <= LARGEST) return number
  throw invalid(`invalid ${path}: expected ${expected} between -2^53 and 2^53`)
}

function readBoolean(sent: unknown, path: string): boolean {
  if (typeof sent === 'boolean') return sent
  const text = typeof sent === 'string' ? sent.trim() : ''
  return text === 'true' || text === 'false' ? text === 'true' : wrong(path, 'true or false', sent)
}

/** Undefined when nothing is left: an empty list says no more than none. */
function readArray(items: Shape, sent: unknown, path: string): unknown[] | undefined {
  const list = fromJson(sent, '[', path)
  const value =
    items.type === 'object' ? readObjects(items, list, path) : readTexts(items, list, path)
  return value.length > 0 ? value : undefined
}

function readObjects(items: Shape, sent: unknown, path: string): unknown[] {
  if (!Array.isArray(sent)) return wrong(path, 'an array of objects', sent)
  return sent.map((item: unknown, index) => {
    if (!isObject(item)) return wrong(`${path}[${index}]`, 'an object', item)
    return isFree(items) ? item : readKnown(items, item, `${path}[${index}]`)
  })
}

function readTexts(items: Shape, sent: unknown, path: string): unknown[] {
  // A text of its own is no list: its commas are its own.
  const whole = items.contentMediaType !== undefined
  const list: unknown = typeof sent === 'string' ? (whole ? [sent] : sent.split(',')) : sent
  if (!Array.isArray(list)) return wrong(path, 'an array of strings', sent)
  const texts = list.map((item: unknown, index) =>
    typeof item === 'string' ? item.trim() : wrong<string>(`${path}[${index}]`, 'a string', item),
  )
  const kept = texts.filter((text) => text !== '')
  for (const [index, text] of kept.entries()) {
    if (items.enum) readValue(items, text, `${path}[${index}]`)
    else refuseOutOfRange(items, text, `${path}[${index}]`)
  }
  return kept
}

/** An object that declares none of its parts takes any. */
const isFree = ({ properties = {} }: Shape): boolean => Object.keys(properties).length === 0

/** An object inside a parameter. Its names have no aliases, and none is passed over in silence. */
function readKnown(shape: Shape, sent: Values, path: string): Values {
  const known = Object.keys(shape.properties ?? {}).sort()
  const unknown = Object.keys(sent)
    .sort()
    .find((name) => !known.includes(name))
  if (unknown === undefined) return readObject(shape, sent, path)
  const near = suggest(unknown, known)
  throw invalid(
    `${path}: unknown parameter ${quote(unknown)}; ` +
      (near ? `did you mean "${near}"? ` : '') +
      `valid: ${known.join(', ')}`,
  )
}

/** A list or an object that a client sent as its JSON text, unpacked. Anything else as it came. */
function fromJson(sent: unknown, opening: '[' | '{', path: string): unknown {
  if (typeof sent !== 'string' || !sent.trim().startsWith(opening)) return sent
  let value: unknown
  try {
    value = JSON.parse(sent)
  } catch {
    return sent
  }
  refuseUnstorable(value, path, 0)
  return value
}

/** Refuses what no store keeps as it is, and nesting that only an attack needs. */
function refuseUnstorable(value: unknown, path: string, depth: number): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw invalid(`invalid ${path}: it holds a NUL character (U+0000)`)
    if (!value.isWellFormed()) throw invalid(`invalid ${path}: it holds half a surrogate pair`)
  } else if (typeof value === 'object' && value !== null) {
    if (depth === DEEPEST) throw invalid(`invalid ${path}: nested more than ${DEEPEST} levels deep`)
    const list = Array.isArray(value)
    for (const name of Object.keys(value)) {
      const below = list ? `[${name}]` : `.${quote(name).slice(1, -1)}`
      if (!list) refuseUnstorable(name, path, depth)
      refuseUnstorable((value as Values)[name], depth < 4 ? path + below : path, depth + 1)
    }
  }
}

function refuseOutOfRange(shape: Shape, value: unknown, path: string): void {
  const refuse = (rule: string): never => {
    throw invalid(`invalid ${path}: must ${rule}`)
  }
  if (typeof value === 'number') {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = shape
    if (minimum !== undefined && value < minimum) refuse(`be >= ${minimum}`)
    if (maximum !== undefined && value > maximum) refuse(`be <= ${maximum}`)
    if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
      refuse(`be > ${exclusiveMinimum}`)
    if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
      refuse(`be < ${exclusiveMaximum}`)
  }
  if (typeof value === 'string') {
    const { minLength = 0, maxLength = Infinity } = shape
    const length = [...value].length
    if (length < minLength)
      refuse(length === 0 ? 'not be empty' : `have at least ${minLength} characters`)
    if (length > maxLength) refuse(`have at most ${maxLength} characters`)
  }
  if (Array.isArray(value)) {
    const { minItems = 0, maxItems = Infinity } = shape
    if (value.length < minItems) refuse(`have at least ${minItems} items`)
    if (value.length > maxItems) refuse(`have at most ${maxItems} items`)
  }
}

function wrong<T = never>(path: string, expected: string, sent: unknown): T {
  throw invalid(`invalid ${path}: expected ${expected}, got ${typeName(sent)}`)
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** As JSON writes it, so that no control character reaches a terminal; no more than a line's worth. */
function quote(value: unknown): string {
  const text = String(value)
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}

/** `/edits/0/old_string` → `edits[0].old_string`. */
const pathOf = (pointer: string): string =>
  pointer
    .slice(1)
    .replaceAll(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.') || 'arguments'
