/** Exact search and replace: how agents change a text without sending it whole. */
import Type, { type Static } from 'typebox'
import { invalid } from '../kernel/refusal.ts'
import { list, text } from '../kernel/schema/bounds.ts'
import { eachOccurrence } from './find.ts'

export const Edit = Type.Object({
  old_string: text({ description: 'the exact text to replace' }),
  new_string: text({ description: '"" deletes' }),
  replace_all: Type.Optional(Type.Boolean({ description: 'else it must occur once' })),
})
export type Edit = Static<typeof Edit>

export const Edits = list(Edit, {
  maxItems: 500,
  description: 'each applied to the result of the last',
})

/** Characters that the edits of one call look at, which is a tenth of a second at most. */
const MOST_STEPS = 24 * 1024 * 1024
/** An occurrence that is replaced takes as long as looking at so many. */
const STEPS_OF_ONE = 12

/**
 * The text after all edits, applied in order, each to what the one before it left.
 *
 * All or nothing: throws a Refusal prefixed `edits[<i>]` when one does not fit exactly and uniquely,
 * and when the text is the same in the end. Matches never overlap; nothing is trimmed. How large the text
 * becomes, in bytes, is known before it is made: `checkSize` refuses what is too large, halfway too.
 */
export function applyEdits(
  text: string,
  edits: readonly Edit[],
  checkSize: (bytes: number) => void,
): string {
  if (edits.length === 0) throw invalid('edits must contain at least one item')
  let running = text
  let [bytes, steps] = [Buffer.byteLength(text), 0]
  for (const [index, edit] of edits.entries()) {
    const refuse = (reason: string) => invalid(`edits[${index}]: ${reason}`)
    const { old_string: before, new_string: after } = edit
    steps += running.length * lookedAt(before)
    if (steps > MOST_STEPS) throw refuse(TOO_MUCH)
    const found = occurrences(running, edit, refuse)
    const grown = found.count * (Buffer.byteLength(after) - Buffer.byteLength(before))
    if (grown > 0) checkSize(bytes + grown)
    steps += found.count * (STEPS_OF_ONE + after.length)
    if (steps > MOST_STEPS) throw refuse(TOO_MUCH)
    bytes += grown
    running = replaced(running, before, after, found)
  }
  if (running === text) throw invalid('the edits leave the body as it was; nothing was written')
  return running
}

const TOO_MUCH =
  'too much to search and replace at once in a text of this size; send the edits before it first, ' +
  'then the others in further calls'

/** How often a search for it looks at a character: a short one may be begun everywhere. */
const lookedAt = ({ length }: string): number =>
  length === 1 || (length > 6 && length < 250) ? 1 : 2

interface Occurrences {
  count: number
  first: number
}

/** Refuses an edit that does not fit. */
function occurrences(
  text: string,
  { old_string: before, new_string: after, replace_all = false }: Edit,
  refuse: (reason: string) => Error,
): Occurrences {
  if (before === '') throw refuse('an empty old_string has no position')
  if (before === after) throw refuse('old_string and new_string are the same')
  let [count, first] = [0, -1]
  eachOccurrence(text, before, (at) => {
    if (count++ === 0) first = at
  })
  if (count === 0) {
    throw refuse('old_string does not occur; read the text again and copy it exactly')
  }
  if (count > 1 && !replace_all) {
    throw refuse(`old_string is not unique: it occurs ${count} times; widen it or set replace_all`)
  }
  return { count, first }
}

function replaced(text: string, before: string, after: string, found: Occurrences): string {
  const { count, first } = found
  if (count === 1) return text.slice(0, first) + after + text.slice(first + before.length)
  const parts: string[] = []
  let from = 0
  eachOccurrence(text, before, (at) => {
    parts.push(text.slice(from, at))
    from = at + before.length
  })
  parts.push(text.slice(from))
  return parts.join(after)
}
