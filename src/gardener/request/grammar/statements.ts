/** Requests that say how it should be: that two memories are duplicates, where one belongs, what kind it is. */
import type { Form } from './form.ts'
import { kindAtEnd, withoutContrast } from './kinds.ts'
import { keepIn, namedBy } from './names.ts'
import { around, saidBy, standsAt, trimmed, type Word } from './words.ts'

/** A sentence that begins so asks, tells of somebody, or leaves it open. */
const ASKING =
  'why|what|when|where|who|whom|whose|which|how|is|are|was|were|am|do|does|did|has|have|had|should|shall|can|' +
  'could|will|would|may|might|if|whether|unless|because|since|when|while|i|we|you|they|he|she'
const DENIES = ['not', 'never', 'no', "don't", "doesn't", "isn't", "aren't", 'cannot', "can't"]

export function readStatement(
  words: readonly Word[],
  reason: string | undefined,
): Form | undefined {
  if (standsAt(words, 0, ASKING)) return undefined
  const said = withoutContrast(words)
  if (said.some(({ low }) => DENIES.includes(low))) return undefined
  const form = duplicates(said) ?? belongs(said) ?? isKind(said)
  return form && { ...form, ...(reason && { reason }) }
}

function duplicates(words: readonly Word[]): Form | undefined {
  const at = words.findIndex((_, i) => standsAt(words, i, 'are duplicates|duplicate|dupes'))
  const of = at === -1 ? undefined : namedBy(words.slice(0, at))
  if (!of || of.pick || of.names.flat().length < 2) return undefined
  const tail = words.slice(at + 2)
  const rest = trimmed(standsAt(tail, 0, 'of each|one other|another') ? tail.slice(3) : tail)
  if (rest.length === 0) return { form: 'duplicates', of, keep: { pick: 'newer' } }
  const kept = keepIn(rest)
  return kept?.before.length === 0 ? { form: 'duplicates', of, keep: kept.keep } : undefined
}

function belongs(words: readonly Word[]): Form | undefined {
  const [before, after] = around(words, ['belongs', 'belong'], 'first') ?? [[], []]
  const of = namedBy(before)
  const to = standsAt(after, 0, 'in|into|to|under') ? saidBy(trimmed(after.slice(1))) : ''
  return of && to ? { form: 'move', of, to } : undefined
}

function isKind(words: readonly Word[]): Form | undefined {
  const { before, kind } = kindAtEnd(words) ?? { before: [], kind: undefined }
  const length = ['should|must be', 'is really|actually', 'is|are'].find((phrase) =>
    standsAt(before, before.length - phrase.split(' ').length, phrase),
  )
  if (!kind || !length) return undefined
  const of = namedBy(before.slice(0, -length.split(' ').length))
  return of && { form: 'rekind', of, to: kind }
}
