import { createHash } from 'node:crypto'

const MAX_POINTS = 80
const MAX_BYTES = 200
/** A cut slug stays below what a mere cut could leave: one character less, a dash, and four bytes less. */
const CUT_POINTS = MAX_POINTS - 2
const CUT_BYTES = MAX_BYTES - 5
const HASH_LENGTH = 6

/**
 * The slug form of any text: lower-case letters and digits of any script, everything else one `-`. Text
 * without a letter or digit has none: ''.
 *
 * Normalised (NFKC) first, so that names which differ only by case or by normal form are the same
 * item. At most 80 code points and 200 bytes. A longer one is cut and ends in a hash of the whole, so that
 * two names are never one slug.
 */
export function slugify(text: string): string {
  const name = normalName(text)
  return fits(name) ? name : withSuffix(name, hashOf(name))
}

/** The slug that a name had while long ones were merely cut; undefined for a name that was not cut. */
export function cutSlug(text: string): string | undefined {
  const name = normalName(text)
  return fits(name) ? undefined : cut(name, MAX_POINTS, MAX_BYTES)
}

/** Whether a slug is so long that it may be what a mere cut left of a longer name. */
export const mayBeCut = (slug: string): boolean =>
  [...slug].length > CUT_POINTS || Buffer.byteLength(slug) > CUT_BYTES

/** The slug form of a text at its whole length. */
export function normalName(text: string): string {
  // Lower-casing can denormalise (İ becomes i + a dot above), hence once more after it.
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
  return words.replaceAll(/^-|-$/g, '')
}

const fits = (name: string): boolean =>
  [...name].length <= MAX_POINTS && Buffer.byteLength(name) <= MAX_BYTES

const hashOf = (name: string): string =>
  BigInt(`0x${createHash('sha256').update(name).digest('hex')}`)
    .toString(36)
    .slice(-HASH_LENGTH)

function cut(slug: string, mostPoints: number, mostBytes: number): string {
  let kept = ''
  let [points, bytes] = [0, 0]
  for (const point of slug) {
    bytes += Buffer.byteLength(point)
    if (++points > mostPoints || bytes > mostBytes) break
    kept += point
  }
  return kept.replace(/-$/, '')
}

/** The slug of the nth item of its name: `slug-2`, cut so that it is a slug itself. */
export const numberedSlug = (slug: string, number: number): string => withSuffix(slug, `${number}`)

/**
 * The slug of an item that is named after its id as well: the last six characters of a ULID end it, so
 * that nobody needs to know which names are free.
 */
export const ownSlug = (slug: string, id: string): string =>
  withSuffix(slug, id.slice(-6).toLowerCase())

function withSuffix(slug: string, end: string): string {
  const room = end.length + 1
  return `${cut(slug, CUT_POINTS - room, CUT_BYTES - room)}-${end}`
}

const FORBIDDEN = /[\0-\x1f\x7f/\\<>:"|?*]/
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$/i

/** Why a text of which no slug can be made is no name. */
export const NO_LETTER = 'it holds no letter and no digit'

/** Why the text may not name a file or a directory, or null when it may. Checked before any path is built. */
export function nameProblem(name: string): string | null {
  if (name === '') return 'it is empty'
  if (Buffer.byteLength(name) > 255) return 'it is longer than 255 bytes'
  if (!name.isWellFormed()) return 'it holds half a surrogate pair'
  if (FORBIDDEN.test(name)) return 'it holds a control character or one of / \\ < > : " | ? *'
  if (name.includes('..')) return 'it holds ".."'
  if (name.startsWith('.')) return 'it begins with a dot'
  if (/[. ]$/.test(name)) return 'it ends with a dot or a space'
  if (DEVICE.test(name.split('.')[0] ?? '')) return 'it is a device name on some systems'
  return null
}

export const LONGEST_TITLE_BYTES = 255

/** Why a name for people may not stand on one line of a page, or null when it may. */
export function lineProblem(text: string): string | null {
  if (text.trim() === '') return 'it is empty'
  if (Buffer.byteLength(text) > LONGEST_TITLE_BYTES) {
    return `it is longer than ${LONGEST_TITLE_BYTES} bytes`
  }
  if (/[\r\n]/.test(text)) return 'it spans more than one line'
  return null
}

/** Why the text may not be a title, or null when it may. Slashes and dots are fine here. */
export const titleProblem = (title: string): string | null =>
  lineProblem(title) ?? (/[\0\\]/.test(title) ? 'it holds a NUL or a backslash' : null)
