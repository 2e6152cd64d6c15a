/** Exact search and replace: how agents change a text without sending it whole. */
import Type, { type Static } from 'typebox'
import { invalid } from '../kernel/refusal.ts'

export const Edit = Type.Object({
  old_string: Type.String({ description: 'the exact text to replace, whitespace included' }),
  new_string: Type.String({ description: 'what stands there afterwards; "" deletes' }),
  replace_all: Type.Optional(
    Type.Boolean({ description: 'every occurrence; otherwise it must occur once' }),
  ),
})
export type Edit = Static<typeof Edit>

/**
 * The text after all edits, applied in order, each to what the one before it left.
 *
 * All or nothing: throws a Refusal prefixed `edits[<i>]` when one does not fit exactly and uniquely,
 * and when the text is the same in the end. Matches never overlap; nothing is trimmed.
 */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  if (edits.length === 0) throw invalid('edits must contain at least one item')
  let running = text
  for (const [index, edit] of edits.entries()) running = applyEdit(running, edit, index)
  if (running === text) throw invalid('the edits leave the body as it was; nothing was written')
  return running
}

function applyEdit(text: string, edit: Edit, index: number): string {
  const { old_string: before, new_string: after } = edit
  const refuse = (reason: string) => invalid(`edits[${index}]: ${reason}`)
  if (before === '') throw refuse('an empty old_string has no position')
  if (before === after) throw refuse('old_string and new_string are the same')
  const parts = text.split(before)
  const found = parts.length - 1
  if (found === 0) {
    throw refuse('old_string does not occur; read the text again and copy it exactly')
  }
  if (found > 1 && edit.replace_all !== true) {
    throw refuse(`old_string is not unique: it occurs ${found} times; widen it or set replace_all`)
  }
  return parts.join(after)
}
