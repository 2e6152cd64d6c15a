import { invalid } from '../kernel/refusal.ts'
import { titleProblem } from '../text/slug.ts'

/** A note grows by appending; past this it answers nobody's question any more. 4 MiB. */
const MAX_BODY_BYTES = 4 * 1024 * 1024

export function checkTitle(title: string): void {
  const problem = titleProblem(title)
  if (problem) throw invalid(`invalid title: ${problem}`)
}

export function checkSize(body: string): void {
  if (Buffer.byteLength(body) > MAX_BODY_BYTES) {
    throw invalid('the note would be larger than 4 MiB; begin a new one and link it')
  }
}
