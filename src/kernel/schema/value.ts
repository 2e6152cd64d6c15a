/**
 * One value, read as its schema declares it. Clients send numbers as numerals, lists as
 * comma-separated text and objects as JSON text: what has one meaning is accepted, the rest refused.
 *
 * Properties are visited in sorted order, so that a value with two mistakes always reports the same one.
 */
import { invalid } from '../refusal.ts'
import { unknownName, unknownWords } from './names.ts'
import { isFree, isObject, type Shape, type Values } from './shape.ts'
import { refuseUnstorable } from './storable.ts'
import { notAmong, refuseOutOfRange, refuseTooLarge, refuseTooMuch, wrongType } from './words.ts'

const LARGEST = 2 ** 53
/** No numeral that means something is longer. */
const LONGEST_NUMERAL = 400
/** `['a', 'b']`, `[a, b]`, or JSON that is torn: its commas would part it, and the brackets stay. */
const LIST_OF_ANOTHER_NOTATION = /^\s*\[(?:\s*['"]|[^[\],]*,[^[\]]*\]\s*$)/
const NUMERAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/** The message for required properties that are missing. */
type MissingWords = (names: string[]) => string

/** Reads the declared properties of an object and no others. `at` is its path, '' for the outermost. */
export function readObject(shape: Shape, sent: Values, at: string, words: MissingWords): Values {
  const { properties = {}, required = [] } = shape
  const values: Values = {}
  const refuseMissing = (isGiven: (name: string) => boolean): void => {
    const missing = required.filter(
      (name) => !isGiven(name) && properties[name]?.default === undefined,
    )
    if (missing.length > 0) throw invalid(words(missing.sort()))
  }

  const present = Object.keys(properties)
    .sort()
    .filter((name) => Object.hasOwn(sent, name) && !isBlank(properties[name]!, sent[name]))
  refuseMissing((name) => present.includes(name))
  for (const name of present) {
    const value = readValue(properties[name]!, sent[name], at === '' ? name : `${at}.${name}`)
    if (value !== undefined) values[name] = value
  }
  // A required list of nothing but blanks is as good as none.
  refuseMissing((name) => Object.hasOwn(values, name))
  for (const [name, { default: value }] of Object.entries(properties)) {
    if (value !== undefined && !Object.hasOwn(values, name)) values[name] = structuredClone(value)
  }
  return values
}

/** An empty string says nothing where a value is interpreted; as free text it is a value. */
const isBlank = (shape: Shape, value: unknown): boolean =>
  value === '' &&
  (shape.enum !== undefined || ['array', 'number', 'integer', 'object'].includes(shape.type ?? ''))

/** The value as declared; undefined when it says nothing. */
function readValue(shape: Shape, sent: unknown, path: string): unknown {
  refuseTooMuch(shape, sent, path)
  refuseUnstorable(sent, path)
  const value = coerce(shape, sent, path)
  if (value === undefined) return undefined
  if (shape.enum && !shape.enum.includes(value)) throw notAmong(path, value, shape.enum)
  refuseOutOfRange(shape, value, path)
  return value
}

function coerce(shape: Shape, sent: unknown, path: string): unknown {
  const type = shape.type ?? (shape.enum ? 'string' : '')
  switch (type) {
    case 'string':
      if (typeof sent === 'string') return sent
      throw wrongType(path, 'a string', sent)
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
      return readArray(shape, sent, path)
    case 'object': {
      const value = unpackJson(sent, '{', path)
      if (!isObject(value)) throw wrongType(path, 'an object', sent)
      return readInner(shape, value, path)
    }
    default:
      return sent
  }
}

function readNumber(sent: unknown, path: string, expected: string): number {
  const text = typeof sent === 'string' && sent.length <= LONGEST_NUMERAL ? sent.trim() : ''
  const number = NUMERAL.test(text) ? Number(text) : sent
  if (typeof number !== 'number' || Number.isNaN(number)) throw wrongType(path, expected, sent)
  if (Math.abs(number) <= LARGEST) return number
  throw invalid(`invalid ${path}: expected ${expected} between -2^53 and 2^53`)
}

function readBoolean(sent: unknown, path: string): boolean {
  if (typeof sent === 'boolean') return sent
  const text = typeof sent === 'string' ? sent.trim() : ''
  if (text === 'true' || text === 'false') return text === 'true'
  throw wrongType(path, 'true or false', sent)
}

/** Undefined when nothing is left: an empty list says no more than none. */
function readArray(shape: Shape, sent: unknown, path: string): unknown[] | undefined {
  const { items = {} } = shape
  const list = unpackJson(sent, '[', path)
  refuseTooMuch(shape, list, path)
  const value =
    items.type === 'object' ? readObjects(items, list, path) : readTexts(shape, list, path)
  return value.length > 0 ? value : undefined
}

function readObjects(items: Shape, sent: unknown, path: string): unknown[] {
  if (!Array.isArray(sent)) throw wrongType(path, 'an array of objects', sent)
  return sent.map((item: unknown, index) => {
    if (!isObject(item)) throw wrongType(`${path}[${index}]`, 'an object', item)
    return readInner(items, item, `${path}[${index}]`)
  })
}

function readTexts(shape: Shape, sent: unknown, path: string): unknown[] {
  const { items = {} } = shape
  // The commas of a text with a media type are its own: it is one item.
  const isWhole = items.contentMediaType !== undefined
  if (typeof sent === 'string' && !isWhole && LIST_OF_ANOTHER_NOTATION.test(sent)) {
    throw invalid(
      `invalid ${path}: a list in brackets must be JSON, as in ["a", "b"]; or pass a, b`,
    )
  }
  const list: unknown = typeof sent === 'string' ? (isWhole ? [sent] : splitList(sent)) : sent
  if (!Array.isArray(list)) throw wrongType(path, 'an array of strings', sent)
  refuseTooMuch(shape, list, path)
  const texts = list.map((item: unknown, index) => {
    if (typeof item !== 'string') throw wrongType(`${path}[${index}]`, 'a string', item)
    refuseTooMuch(items, item, `${path}[${index}]`)
    return item.trim()
  })
  const kept = texts.filter((text) => text !== '')
  for (const [index, text] of kept.entries()) {
    if (items.enum) readValue(items, text, `${path}[${index}]`)
    else refuseOutOfRange(items, text, `${path}[${index}]`)
  }
  return kept
}

/** The items of a text. The commas within braces are of one item: a glob names several files by them. */
function splitList(text: string): string[] {
  const items = ['']
  let depth = 0
  for (const part of text.split(/([{},])/)) {
    if (part === '{') depth++
    if (part === '}') depth = Math.max(0, depth - 1)
    if (part === ',' && depth === 0) items.push('')
    else items[items.length - 1] += part
  }
  // A brace that is never closed holds nothing together.
  return depth > 0 ? text.split(',') : items
}

/** An object inside a value. Its names have no aliases, and an unknown one is always refused. */
function readInner(shape: Shape, sent: Values, path: string): Values {
  if (isFree(shape)) {
    refuseTooLarge(shape, sent, path)
    return sent
  }
  const known = Object.keys(shape.properties ?? {}).sort()
  const unknown = unknownName(sent, known)
  if (unknown !== undefined) {
    throw invalid(`${path}: ${unknownWords(unknown, known)}valid: ${known.join(', ')}`)
  }
  return readObject(shape, sent, path, (names) => `${path}: ${names.join(', ')} is required`)
}

/** Unpacks a list or an object that a client sent as its JSON text. Anything else stays as it came. */
function unpackJson(sent: unknown, opening: '[' | '{', path: string): unknown {
  if (typeof sent !== 'string' || !sent.trim().startsWith(opening)) return sent
  let value: unknown
  try {
    value = JSON.parse(sent)
  } catch {
    return sent
  }
  refuseUnstorable(value, path)
  return value
}
