/** The words in which a value is refused, the same for every edge. */
import { invalid, type Refusal } from '../refusal.ts'
import type { Shape } from './shape.ts'

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
    const { minLength = 0, maxLength = Infinity } = shape
    const length = [...value].length
    if (length < minLength) {
      return length === 0 ? 'not be empty' : `have at least ${minLength} characters`
    }
    return length > maxLength ? `have at most ${maxLength} characters` : undefined
  }
  if (!Array.isArray(value)) return undefined
  const { minItems = 0, maxItems = Infinity } = shape
  if (value.length < minItems) return `have at least ${minItems} items`
  return value.length > maxItems ? `have at most ${maxItems} items` : undefined
}

function brokenRange(shape: Shape, value: number): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = shape
  if (minimum !== undefined && value < minimum) return `be >= ${minimum}`
  if (maximum !== undefined && value > maximum) return `be <= ${maximum}`
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return `be > ${exclusiveMinimum}`
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return `be < ${exclusiveMaximum}`
  return undefined
}
