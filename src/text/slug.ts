const MAX_POINTS = 80
const MAX_BYTES = 200

/**
 * The slug form of any text: lower-case letters and digits of any script, everything else one `-`.
 *
 * Normalised (NFKC) first, so that names which differ only by case or by normal form are the same
 * item. At most 80 code points and 200 bytes; text without a letter or digit becomes `untitled`.
 */
export function slugify(text: string): string {
  // Lower-casing can denormalise (İ becomes i + a dot above), hence once more after it.
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
  return cut(words.replaceAll(/^-+|-+$/g, '')) || 'untitled'
}

function cut(slug: string): string {
  let points = [...slug].slice(0, MAX_POINTS)
  while (Buffer.byteLength(points.join('')) > MAX_BYTES) points = points.slice(0, -1)
  return points.join('').replaceAll(/-+$/g, '')
}

/** The slug of the nth item of its name: `slug-2`, cut so that it is a slug itself. */
export function numberedSlug(slug: string, number: number): string {
  const suffix = `-${number}`
  let points = [...slug].slice(0, MAX_POINTS - suffix.length)
  while (Buffer.byteLength(points.join('')) > MAX_BYTES - suffix.length)
    points = points.slice(0, -1)
  return points.join('').replaceAll(/-+$/g, '') + suffix
}

const FORBIDDEN = /[\0-\x1f\x7f/\\<>:"|?*]/
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$/i

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

/** Why the text may not be a title, or null when it may. Slashes and dots are fine here. */
export function titleProblem(title: string): string | null {
  if (title.trim() === '') return 'it is empty'
  if (Buffer.byteLength(title) > 255) return 'it is longer than 255 bytes'
  if (/[\0\\]/.test(title)) return 'it holds a NUL or a backslash'
  if (/[\r\n]/.test(title)) return 'it spans more than one line'
  return null
}
