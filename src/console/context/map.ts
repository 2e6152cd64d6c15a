/** The topology as a drawing: a row for each scope, with lines from what tells to what is told. */
import type { ScopeCard, Topology } from './topology.ts'

/** A row is drawn so high, and stretched to how high it is. */
const MIDDLE = 15
const BOTTOM = 30
const GLOBAL_X = 6
const FIRST_X = 22
const INDENT = 20
/** Deeper rows stand where this one does. */
const MOST_DEPTH = 4
const LANE = 14
/** Lines of more families are not drawn; every row names its families in words as well. */
const MOST_LANES = 8

interface Line {
  d: string
  /** Whether it runs; what does not is drawn broken. */
  off: boolean
  tone: 'global' | 'parent' | 'family'
}

export interface MapRow {
  card: ScopeCard
  /** Below how many parents it stands. */
  depth: number
  /** How wide its lines to the global scope and to its parent are; it stands 8 pixels before their end. */
  width: number
  lines: Line[]
  /** The same of its families. */
  lanes: number
  kin: Line[]
  /** What its agents are told of memories: where each part begins, and how long it is, of 1000. */
  pool: { tone: 'own' | 'global' | 'parent'; n: number; x: number; width: number }[]
  total: number
}

export function mapOf({ projects, families, rules }: Topology): MapRow[] {
  const depths = depthsOf(projects)
  const place = new Map(projects.map(({ slug }, at) => [slug, at]))
  const most = Math.max(1, ...projects.map(poolSize))
  const lastHearing = projects.findLastIndex(hears)
  const lanes = families
    .map(({ name, members }) => ({
      name,
      rows: members.flatMap((slug) => place.get(slug) ?? []).toSorted((a, b) => a - b),
      off: rules.sibling_findings === 0 && !rules.sibling_memories,
    }))
    .filter(({ rows }) => rows.length > 1)
    .slice(0, MOST_LANES)
  return projects.map((card, at) => ({
    card,
    depth: depths[at]!,
    width: FIRST_X + INDENT * depths[at]! + 8,
    lines: [
      ...globalLines(card, at, { lastHearing, from: place.get('global') ?? -1 }),
      ...parentLines(projects, depths, at),
    ],
    lanes: lanes.length * LANE,
    kin: lanes.flatMap(({ rows, off }, lane) => kinLines(rows, at, LANE * lane + LANE / 2, off)),
    pool: poolOf(card, most),
    total: poolSize(card),
  }))
}

const hears = ({ incoming }: ScopeCard): boolean =>
  incoming.some(({ kind, enabled }) => kind === 'global' && enabled)

const poolSize = (card: ScopeCard): number =>
  card.local_memories + card.global_memories + card.parent_memories

/** Of rows in the order of their tree: a parent that is not among them is none. */
function depthsOf(projects: readonly ScopeCard[]): number[] {
  const depths = new Map<string, number>()
  return projects.map(({ slug, parent_slug: up }) => {
    const above = up === null || up === slug ? undefined : depths.get(up)
    const depth = above === undefined ? 0 : Math.min(above + 1, MOST_DEPTH)
    depths.set(slug, depth)
    return depth
  })
}

/** One line down from the global scope, with an arm to each row that hears it. */
function globalLines(
  card: ScopeCard,
  at: number,
  { lastHearing, from }: { lastHearing: number; from: number },
): Line[] {
  const line = (d: string): Line => ({ d, off: false, tone: 'global' })
  if (lastHearing === -1) return []
  if (at === from) return [line(`M${FIRST_X - 8} ${MIDDLE}H${GLOBAL_X}V${BOTTOM}`)]
  return [
    ...(at < lastHearing ? [line(`M${GLOBAL_X} 0V${BOTTOM}`)] : []),
    ...(at === lastHearing ? [line(`M${GLOBAL_X} 0V${MIDDLE}`)] : []),
    ...(hears(card) ? [line(`M${GLOBAL_X} ${MIDDLE}H${FIRST_X - 8}`)] : []),
  ]
}

/** From above to the row, on to its own children, and past it to those of its forebears. */
function parentLines(
  projects: readonly ScopeCard[],
  depths: readonly number[],
  at: number,
): Line[] {
  const depth = depths[at]!
  const xOf = (level: number): number => FIRST_X + INDENT * level
  const off = !projects[at]!.incoming.some(({ kind, enabled }) => kind === 'parent' && enabled)
  /** Whether a row of this depth comes before one that is less deep. */
  const goesOn = (level: number): boolean => {
    const next = depths.findIndex((each, row) => row > at && each <= level)
    return next !== -1 && depths[next] === level
  }
  const lines: Line[] = []
  for (let level = 1; level < depth; level++) {
    if (goesOn(level)) {
      lines.push({ d: `M${xOf(level - 1)} 0V${BOTTOM}`, off: false, tone: 'parent' })
    }
  }
  if (depth > 0) {
    const down = goesOn(depth) ? BOTTOM : MIDDLE
    lines.push({ d: `M${xOf(depth - 1)} 0V${down}`, off, tone: 'parent' })
    lines.push({
      d: `M${xOf(depth - 1)} ${MIDDLE}H${xOf(depth) - 8}`,
      off,
      tone: 'parent',
    })
  }
  if ((depths[at + 1] ?? 0) > depth) {
    lines.push({ d: `M${xOf(depth)} ${MIDDLE + 6}V${BOTTOM}`, off: false, tone: 'parent' })
  }
  return lines
}

/** The lane of one family where it passes a row, with a mark where the row is of it. */
function kinLines(rows: readonly number[], at: number, x: number, off: boolean): Line[] {
  const [first, last] = [rows[0]!, rows.at(-1)!]
  if (at < first || at > last) return []
  const from = at === first ? MIDDLE : 0
  const to = at === last ? MIDDLE : BOTTOM
  const line: Line = { d: `M${x} ${from}V${to}`, off, tone: 'family' }
  return rows.includes(at)
    ? [line, { d: `M${x - 4} ${MIDDLE}H${x + 4}`, off: false, tone: 'family' }]
    : [line]
}

function poolOf(card: ScopeCard, most: number): MapRow['pool'] {
  let x = 0
  const parts = [
    { tone: 'own', n: card.local_memories },
    { tone: 'parent', n: card.parent_memories },
    { tone: 'global', n: card.global_memories },
  ] as const
  return parts
    .filter(({ n }) => n > 0)
    .map(({ tone, n }) => {
      const width = Math.max(4, Math.round((1000 * n) / most))
      const part = { tone, n, x, width }
      x += width
      return part
    })
}
