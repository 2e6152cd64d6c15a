/** The drawings of retrieval in numbers: a ring, stacked bars, and bars as long as their share. */

/** The ring's box is 120 wide; its stroke lies within. */
const RADIUS = 52
const ROUND = 2 * Math.PI * RADIUS

export interface Ring {
  round: number
  drawn: number
  /** Where the aim lies on the ring. */
  aim: { x1: number; y1: number; x2: number; y2: number }
}

/** Of a share in percent, from the top and with the clock. */
export function ringOf(percent: number, aim: number): Ring {
  const angle = (2 * Math.PI * aim) / 100 - Math.PI / 2
  const at = (radius: number) => [60 + radius * Math.cos(angle), 60 + radius * Math.sin(angle)]
  const [x1 = 0, y1 = 0] = at(RADIUS - 8)
  const [x2 = 0, y2 = 0] = at(RADIUS + 8)
  return {
    round: tenths(ROUND),
    drawn: tenths((ROUND * Math.min(100, percent)) / 100),
    aim: { x1: tenths(x1), y1: tenths(y1), x2: tenths(x2), y2: tenths(y2) },
  }
}

const tenths = (n: number): number => Math.round(10 * n) / 10

const HEIGHT = 120
const STEP = 10
const BAR = 8

export interface Stack {
  label: string
  href: string
  x: number
  n: number
  words: string
  parts: { tone: string; y: number; height: number }[]
}

/** Bars beside each other, each of parts upon each other; what is more than nothing is seen. */
export function stacksOf(
  rows: readonly {
    label: string
    /** What stands below the bar. */
    begins: string
    /** In which that is, where it does not say so itself. */
    day: string | null
    href: string
    parts: readonly { tone: string; label: string; n: number }[]
  }[],
) {
  const sums = rows.map(({ parts }) => parts.reduce((sum, { n }) => sum + n, 0))
  const most = Math.max(0, ...sums)
  const bars = rows.map(({ label, href, parts }, at): Stack => {
    let ground = HEIGHT
    const shown = parts.filter(({ n }) => n > 0)
    return {
      ...{ label, href },
      x: at * STEP,
      n: sums[at]!,
      words: shown.map(({ label, n }) => `${label} ${n.toLocaleString('en')}`).join(', '),
      parts: shown.map(({ tone, n }) => {
        const height = Math.max(1, Math.round((HEIGHT * n) / most))
        ground = Math.max(0, ground - height)
        return { tone, y: ground, height }
      }),
    }
  })
  return {
    most,
    width: Math.max(1, rows.length * STEP - (STEP - BAR)),
    height: HEIGHT,
    bar: BAR,
    bars,
    /** Some labels of the axis: they share its width evenly. The first of a day names it. */
    axis: spread(rows).map(({ begins, day }, at, shown) =>
      day === null || day === shown[at - 1]?.day ? begins : `${day} ${begins}`,
    ),
  }
}

const LABELS = 8

/** As many labels as fit, at the same distance from each other where the number of rows allows it. */
function spread<T>(labels: readonly T[]): T[] {
  const last = labels.length - 1
  if (last < LABELS) return [...labels]
  const steps = [6, 5, 4, 7].find((steps) => last % steps === 0) ?? 5
  return Array.from({ length: steps + 1 }, (_, at) => labels[Math.round((at * last) / steps)]!)
}

/** The length of a bar of 100 that is `n` of `most`; what is more than nothing is seen. */
export const lengthOf = (n: number, most: number): number =>
  n <= 0 || most <= 0 ? 0 : Math.max(1, Math.round((100 * n) / most))
