import { invalid } from '../kernel/refusal.ts'
import { nameProblem, NO_LETTER, slugify } from '../text/slug.ts'
import { oneLine } from '../text/text.ts'

/** In code points: it is one line of a briefing. */
export const DESCRIPTION_LENGTH = 150

/** Returns the name a memory has, however it is spelled. A blank one is for the caller to judge: ''. */
export function memoryName(asked: string): string {
  if (asked.trim() === '') return ''
  const name = slugify(asked)
  const problem = name === '' ? NO_LETTER : nameProblem(name)
  if (problem) {
    throw invalid(`invalid memory name ${JSON.stringify(asked.slice(0, 300))}: ${problem}`)
  }
  return name
}

/** The same of a text that was no name: '' when none can be made of it. */
export const nameOrNone = (text: string): string => (slugify(text) === '' ? '' : memoryName(text))

/** The same of a name that may not be blank. */
export function requiredName(asked: string): string {
  const name = memoryName(asked)
  if (name === '') throw invalid('name is required')
  return name
}

/** Returns one line, cut between words where it is too long. */
export const shortDescription = (text: string): string => oneLine(text, DESCRIPTION_LENGTH)
