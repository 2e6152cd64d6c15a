/** The words in which a value is refused, the same for every edge. */
import { invalid, type Refusal } from '../refusal.ts'
import type { Shape, Values } from './shape.ts'

/** Characters of a value that a message repeats. */
const LONGEST_QUOTE = 80

/** As JSON writes it, so that no control character reaches a terminal; at most a line's worth. */
export function quote(value: unknown): string {
  const text = String(value)
  return JSON.stringify(text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text)
}

export const wrongType = (path: string, expected: string, sent: unknown): Refusal =>
  invalid(`invalid ${path}: expected ${expected}, got ${typeName(sent)}`)

export const notAmong = (path: string, sent: unknown, values: readonly unknown[]): Refusal =>
  invalid(`invalid ${path} ${quote(sent)}: valid values are ${values.join(', ')}`)

function typeName(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** A JSON pointer as callers write it: `/edits/0/old_string` → `edits[0].old_string`. */
export const pathOf = (pointer: string): string =>
  pointer
    .slice(1)
    .replaceAll(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.')

/** Refuses a number, a text or a list that is outside the limits of its schema. */
export function refuseOutOfRange(shape: Shape, value: unknown, path: string): void {
  const rule = brokenLimit(shape, value)
  if (rule !== undefined) throw invalid(`invalid ${path}: must ${rule}`)
}

function brokenLimit(shape: Shape, value: unknown): string | undefined {
  if (typeof value === 'number') return brokenRange(shape, value)
  if (typeof value === 'string') {
    const { minLength = 0 } = shape
    if (value.length >= 2 * minLength || charactersIn(value) >= minLength) return undefined
    return value === '' ? 'not be empty' : `have at least ${minLength} characters`
  }
  if (!Array.isArray(value)) return undefined
  const { minItems = 0 } = shape
  return value.length < minItems ? `have at least ${minItems} items` : undefined
}

/**
 * Refuses a text, a list or a free object that is larger than its schema allows, before anything else
 * looks at it. The message has the count of what was sent, and nothing of it.
 */
export function refuseTooMuch(shape: Shape, value: unknown, path: string): void {
  const { maxLength = Infinity, maxItems = Infinity } = shape
  if (typeof value === 'string' && value.length > maxLength) {
    const sent = charactersIn(value)
    if (sent > maxLength) throw tooMuch(path, maxLength, 'characters', sent)
  } else if (Array.isArray(value) && value.length > maxItems) {
    throw tooMuch(path, maxItems, 'items', value.length)
  }
}

/** The same for an object of any properties. */
export function refuseTooLarge(
  { maxProperties = Infinity, maxBytes = Infinity }: Shape,
  value: Values,
  path: string,
): void {
  const properties = Object.keys(value).length
  if (properties > maxProperties) throw tooMuch(path, maxProperties, 'properties', properties)
  const bytes = maxBytes === Infinity ? 0 : Buffer.byteLength(JSON.stringify(value))
  if (bytes > maxBytes) throw tooMuch(path, maxBytes, 'bytes as JSON', bytes)
}

const tooMuch = (path: string, most: number, what: string, sent: number): Refusal =>
  invalid(`invalid ${path}: must have at most ${most} ${what}, it has ${sent}`)

/** How many there are, without a list of them. */
function charactersIn(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length; at++) {
    const high = text.charCodeAt(at)
    if (high >= 0xd800 && high <= 0xdbff) {
      const low = text.charCodeAt(at + 1)
      if (low >= 0xdc00 && low <= 0xdfff) count--
    }
  }
  return count
}

function brokenRange(shape: Shape, value: number): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = shape
  if (minimum !== undefined && value < minimum) return `be >= ${minimum}`
  if (maximum !== undefined && value > maximum) return `be <= ${maximum}`
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return `be > ${exclusiveMinimum}`
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return `be < ${exclusiveMaximum}`
  return undefined
}
