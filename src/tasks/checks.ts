import { invalid } from '../kernel/refusal.ts'

/** A title stands in lists and briefings; what does not fit in it belongs to the body. */
const LONGEST_TITLE = 500
/** What a holder must know before it begins. Anything longer is a note. 64 KiB. */
const MAX_BODY_BYTES = 64 * 1024

export function checkTitle(given: string): string {
  const title = given.trim()
  if (title === '') throw invalid('title must not be blank')
  if ([...title].length > LONGEST_TITLE) {
    throw invalid(`title must have at most ${LONGEST_TITLE} characters; the rest belongs to body`)
  }
  return title
}

export function checkBody(body: string): void {
  if (Buffer.byteLength(body) > MAX_BODY_BYTES) {
    throw invalid(
      'body would be larger than 64 KiB; keep it with notes_create and name its id here',
    )
  }
}
