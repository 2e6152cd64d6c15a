import { invalid } from '../kernel/refusal.ts'
import { nameProblem, slugify } from '../text/slug.ts'
import { oneLine } from '../text/text.ts'

/** The same limit as a note has; what is this long should be one. 4 MiB. */
const MAX_BODY_BYTES = 4 * 1024 * 1024
/** In code points: it is one line of a briefing. */
export const DESCRIPTION_LENGTH = 150

/** The name a memory has, however it is spelled. A blank one is for the caller to judge: ''. */
export function memoryName(asked: string): string {
  if (asked.trim() === '') return ''
  const name = slugify(asked)
  const problem = nameProblem(name)
  if (problem) {
    throw invalid(`invalid memory name ${JSON.stringify(asked.slice(0, 300))}: ${problem}`)
  }
  return name
}

/** One line, cut between words where it is too long. */
export const shortDescription = (text: string): string => oneLine(text, DESCRIPTION_LENGTH)

export function checkSize(body: string): void {
  if (Buffer.byteLength(body) > MAX_BODY_BYTES) {
    throw invalid('the memory would be larger than 4 MiB; a memory is one fact, use notes_create')
  }
}
