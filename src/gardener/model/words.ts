/** A model's own words, where others read them. */
import { oneLine } from '../../text/text.ts'

/** In characters. */
const QUOTED_LENGTH = 80

/** No more than a few are repeated. */
export const quoted = (value: unknown): string =>
  oneLine(JSON.stringify(value) ?? 'missing', QUOTED_LENGTH)
