/**
 * Whether two patterns of paths may name the same file.
 *
 * `*` and `?` stay within a name, `**` spans folders, `[…]` is one character and `{a,b}` either. A
 * pattern stands for everything below it as well, as a folder does. The answer is exact but for
 * character classes, which are taken for any character, and groups in parentheses, which are taken for
 * any name: it may warn of a meeting that cannot happen, and never passes over one that can.
 */

const LONGEST = 200
/** Of the alternatives in braces. Past it a pattern is cut at its first brace, which takes in more. */
const MOST_ALTERNATIVES = 64

/** Why it is no pattern of paths; undefined when it is one. */
export function patternProblem(pattern: string): string | undefined {
  if ([...pattern].length > LONGEST) return `at most ${LONGEST} characters`
  if (/[\0-\x1f\x7f]/.test(pattern)) return 'it holds a control character'
  if (pattern.startsWith('!')) return 'what is left out cannot be told; name what will be changed'
  const segments = segmentsOf(pattern)
  if (segments.includes('..'))
    return 'it leaves the repository; name paths from its root, without ..'
  if (segments.length === 0) return 'it names nothing; ** is everything'
  return undefined
}

/** From the root of the repository, whichever way it is written. */
const segmentsOf = (pattern: string): string[] =>
  pattern
    .replaceAll('\\', '/')
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')

export function overlap(one: string, other: string): boolean {
  const others = alternatives(other).map(segmentsOf)
  return alternatives(one)
    .map(segmentsOf)
    .some((a) => others.some((b) => pathsMeet([...a, '**'], [...b, '**'])))
}

/** The pattern without braces, once for each choice. */
function alternatives(pattern: string): string[] {
  let open = [pattern.replaceAll(/[!@?*+]?\([^()]*\)/g, '*')]
  const done: string[] = []
  while (open.length > 0) {
    const next: string[] = []
    for (const each of open) {
      const found = /\{([^{}]*)\}/.exec(each)
      if (!found) done.push(each)
      else {
        const [whole, inner = ''] = found
        const before = each.slice(0, found.index)
        const after = each.slice(found.index + whole.length)
        for (const choice of inner.split(',')) next.push(before + choice + after)
      }
    }
    if (done.length + next.length > MOST_ALTERNATIVES) {
      // The folder before the first brace takes in every choice.
      const cut = pattern.indexOf('{')
      return [pattern.slice(0, cut).replace(/[^/\\]*$/, '**')]
    }
    open = next
  }
  return done
}

/** Segment by segment; `**` takes none or more of the other's. */
function pathsMeet(a: readonly string[], b: readonly string[]): boolean {
  // meets[j]: what is left of `a` from the row on, and of `b` from j on, can be one path.
  let below: boolean[] = []
  for (let i = a.length; i >= 0; i--) {
    const row: boolean[] = []
    for (let j = b.length; j >= 0; j--) {
      const [x, y] = [a[i], b[j]]
      if (x === undefined && y === undefined) row[j] = true
      else if (x === '**') row[j] = below[j]! || (y !== undefined && row[j + 1]!)
      else if (y === '**') row[j] = row[j + 1]! || (x !== undefined && below[j]!)
      else if (x === undefined || y === undefined) row[j] = false
      else row[j] = below[j + 1]! && namesMeet(x, y)
    }
    below = row
  }
  return below[0]!
}

/** One name against another: `*` takes none or more characters of the other's. */
function namesMeet(one: string, other: string): boolean {
  const [a, b] = [tokens(one), tokens(other)]
  let below: boolean[] = []
  for (let i = a.length; i >= 0; i--) {
    const row: boolean[] = []
    for (let j = b.length; j >= 0; j--) {
      const [x, y] = [a[i], b[j]]
      if (x === undefined && y === undefined) row[j] = true
      else if (x === ANY) row[j] = below[j]! || (y !== undefined && row[j + 1]!)
      else if (y === ANY) row[j] = row[j + 1]! || (x !== undefined && below[j]!)
      else if (x === undefined || y === undefined) row[j] = false
      else row[j] = below[j + 1]! && (x === ONE || y === ONE || x === y)
    }
    below = row
  }
  return below[0]!
}

const [ANY, ONE] = ['*', '?']

/** A character class is any one character. */
const tokens = (name: string): string[] => [
  ...name.replaceAll(/\[[^\]]+\]/g, '?').replaceAll(/\*+/g, '*'),
]
