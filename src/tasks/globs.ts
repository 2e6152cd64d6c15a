/**
 * Whether two patterns of paths may name the same file.
 *
 * `*` and `?` stay within a name, `**` spans folders, `[…]` is one character and `{a,b}` either. A
 * pattern stands for everything below it as well, as a folder does. The answer is exact but for
 * character classes, which are taken for any character, and groups in parentheses and ranges in braces,
 * which are taken for any name: it may warn of a meeting that cannot happen, and never passes over one
 * that can. So it does, too, when the steps run out that a comparison may take.
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

/** What comparing may still cost: places of two patterns that are looked at together. */
export interface Steps {
  left: number
}

/** Of one pair. A pair that people write takes some hundred. */
const MOST_STEPS = 100_000

/** A pattern, taken apart as far as a comparison needs it. */
export interface Pattern {
  /** Its first names, as long as they are plain. */
  plain: string[]
  /** For each choice of its braces the names, in characters. */
  choices(steps: Steps): Name[][]
}
type Name = readonly string[]

export function patternOf(text: string): Pattern {
  const segments = segmentsOf(text)
  const first = segments.findIndex((segment) => /[^\p{L}\p{N} _.,=%#~-]/u.test(segment))
  let known: Name[][] | undefined
  return {
    plain: first === -1 ? segments : segments.slice(0, first),
    choices(steps) {
      if (!known) {
        const all = alternatives(text)
        steps.left -= text.length * all.length
        known = all.map((each) => [...segmentsOf(each), '**'].map(tokens))
      }
      return known
    },
  }
}

/** Whether both may name the same file. True as well when no steps are left to look. */
export function meet(one: Pattern, other: Pattern, steps: Steps): boolean {
  const both = Math.min(one.plain.length, other.plain.length)
  for (let i = 0; i < both; i++) if (one.plain[i] !== other.plain[i]) return false
  if (steps.left <= 0) return true
  const [own, began] = [{ left: Math.min(steps.left, MOST_STEPS) }, steps.left]
  const budget = own.left
  const others = other.choices(own)
  const found = one.choices(own).some((a) => others.some((b) => pathsMeet(a, b, own)))
  steps.left = began - (budget - own.left)
  return found
}

export const overlap = (one: string, other: string): boolean =>
  meet(patternOf(one), patternOf(other), { left: MOST_STEPS })

/** The pattern without braces, once for each choice. */
function alternatives(pattern: string): string[] {
  let open = [withoutGroups(pattern)]
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

/** Groups in parentheses, from the innermost on, and braces without a choice are any name. */
function withoutGroups(pattern: string): string {
  const next = pattern.replaceAll(/[!@?*+]?\([^()]*\)|\{[^{},]*\}/g, '*')
  return next === pattern ? pattern : withoutGroups(next)
}

/** Segment by segment; `**` takes none or more of the other's. */
function pathsMeet(a: readonly Name[], b: readonly Name[], steps: Steps): boolean {
  // meets[j]: what is left of `a` from the row on, and of `b` from j on, can be one path.
  let below: boolean[] = []
  for (let i = a.length; i >= 0; i--) {
    const row: boolean[] = []
    for (let j = b.length; j >= 0; j--) {
      const [x, y] = [a[i], b[j]]
      if (x === undefined && y === undefined) row[j] = true
      else if (x === FOLDERS) row[j] = below[j]! || (y !== undefined && row[j + 1]!)
      else if (y === FOLDERS) row[j] = row[j + 1]! || (x !== undefined && below[j]!)
      else if (x === undefined || y === undefined) row[j] = false
      else row[j] = below[j + 1]! && namesMeet(x, y, steps)
    }
    below = row
    if ((steps.left -= b.length + 1) <= 0) return true
  }
  return below[0]!
}

/** One name against another: `*` takes none or more characters of the other's. */
function namesMeet(a: Name, b: Name, steps: Steps): boolean {
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
    if ((steps.left -= b.length + 1) <= 0) return true
  }
  return below[0]!
}

const [ANY, ONE] = ['*', '?']
const FOLDERS: Name = ['**']

/** The characters of a name; a class is any one character. */
function tokens(name: string): Name {
  if (name === '**') return FOLDERS
  return [...(/[*[]/.test(name) ? name.replaceAll(CLASS, '?').replaceAll(/\*+/g, '*') : name)]
}

/** A bracket that comes first in it is a character as any other. */
const CLASS = /\[[!^]?\]?(?:\[:\w+:\]|[^\]])*\]/g
