import { invalid } from '../refusal.ts'
import { quote } from './words.ts'

const DEEPEST = 32
/** Levels of a value that the path in a message spells out. */
const SPELLED_OUT = 4

/** Refuses text that no store keeps as it is, and nesting that only an attack needs. */
export function refuseUnstorable(value: unknown, path: string, depth = 0): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw invalid(`invalid ${path}: it holds a NUL character (U+0000)`)
    if (!value.isWellFormed()) throw invalid(`invalid ${path}: it holds half a surrogate pair`)
  } else if (typeof value === 'object' && value !== null) {
    if (depth === DEEPEST) throw invalid(`invalid ${path}: nested more than ${DEEPEST} levels deep`)
    const list = Array.isArray(value)
    for (const [name, inner] of Object.entries(value)) {
      const below = list ? `[${name}]` : `.${quote(name).slice(1, -1)}`
      if (!list) refuseUnstorable(name, path, depth)
      refuseUnstorable(inner, depth < SPELLED_OUT ? path + below : path, depth + 1)
    }
  }
}

/** The text with what no store keeps replaced by U+FFFD. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\u{fffd}')
