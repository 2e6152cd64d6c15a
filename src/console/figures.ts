/**
 * The figures that pages show. Each is declared once with its label, its unit, what it counts in words, and where
 * it leads; a page gives it its value. `test/console/figures.test.ts` walks all declarations, opens each link of a
 * count of things and counts the rows there.
 */
import { WINDOWS, type Window } from './windows.ts'

/** Where a page stands, as the links of its figures need it. */
export interface Place {
  /** The window that is in force; named beside the figure when the figure is `windowed`. */
  w?: Window
  /** The id of the item whose page it is, or its slug. */
  of?: string
}

export interface FigureDeclaration {
  label: string
  /** Of one and of many; `%` for a share, which has no plural. */
  unit: readonly [one: string, many: string] | '%'
  /** In words; of a share numerator and denominator. One sentence or two. */
  definition: string
  /** `rows`: to a list of exactly the things that are counted. `explanation`: to what explains the figure. */
  leads: 'rows' | 'explanation'
  /** The address of these. The rows of a list are its elements with `data-row`, over all its pages. */
  href(place: Place): string
  /** Whether the window of the page bounds it. */
  windowed?: true
  /** What the owner aims at, in percent. */
  band?: { atLeast: number } | { atMost: number }
}

export interface DeclaredFigure extends FigureDeclaration {
  /** The section and the figure's own name: `overview-notes`. Its element has the id `figure-overview-notes`. */
  id: string
  /** Addresses of pages that show it; `{id}` where the address ends in an item. */
  pages: readonly string[]
}

/** What `partials/figure` shows. */
export interface Figure {
  id: string
  label: string
  /** As text; null when there is no denominator, which shows as `–`. */
  value: string | null
  number: number | null
  unit: string
  definition: string
  href: string
  window: string | null
  /** What it is a part of: `of 120 active`. */
  of: string | null
  band: { text: string; met: boolean } | null
  delta: Delta | null
  /** Heights of bars from 0 to 16, the newest last. */
  bars: readonly number[] | null
}

export interface Delta {
  text: string
  /** Null where neither direction is better. */
  good: boolean | null
}

/** What a page knows of a figure. */
export interface Shown {
  value: number | null
  of?: string
  delta?: Delta | null
  bars?: readonly number[]
}

const declared = new Map<string, DeclaredFigure>()

/** Every figure of every screen. */
export const declaredFigures = (): readonly DeclaredFigure[] => [...declared.values()]

/** Declares the figures of a section and returns what makes each of them for a page. */
export function declareFigures<Name extends string>(
  section: string,
  pages: readonly string[],
  figures: Readonly<Record<Name, FigureDeclaration>>,
): (name: Name, shown: Shown, place?: Place) => Figure {
  for (const [name, figure] of Object.entries<FigureDeclaration>(figures)) {
    const id = `${section}-${name}`
    if (declared.has(id)) throw new Error(`the figure ${id} is declared twice`)
    declared.set(id, { ...figure, id, pages })
  }
  return (name, shown, place = {}) => figureOf(declared.get(`${section}-${name}`)!, shown, place)
}

function figureOf(declaration: DeclaredFigure, shown: Shown, place: Place): Figure {
  const { id, label, unit, definition, windowed, band, href } = declaration
  const { value, of = null, delta = null, bars = null } = shown
  const hasValue = value !== null
  return {
    id,
    label,
    value: hasValue ? value.toLocaleString('en') : null,
    number: value,
    unit: unit === '%' ? '%' : unit[value === 1 ? 0 : 1],
    definition,
    href: href(place),
    window: windowed && place.w ? WINDOWS[place.w].label : null,
    of,
    band: hasValue && band ? bandOf(band, value) : null,
    delta: hasValue ? delta : null,
    bars: hasValue ? bars : null,
  }
}

const bandOf = (band: NonNullable<FigureDeclaration['band']>, value: number) =>
  'atLeast' in band
    ? { text: `aim ≥ ${band.atLeast} %`, met: value >= band.atLeast }
    : { text: `aim ≤ ${band.atMost} %`, met: value <= band.atMost }

/** A share in whole percent, half rounded up; null without a denominator. */
export const percentOf = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.floor((100 * part) / whole + 0.5)

/** What a reach is a share of. */
export const ofActive = (surfaced: number, active: number): string =>
  active === 0
    ? 'no memory yet'
    : `${surfaced.toLocaleString('en')} of ${active.toLocaleString('en')} active`

/** How a share moved, in points; more is better unless it is said otherwise. Null without an earlier share. */
export function deltaOfShare(
  now: number | null,
  before: number | null,
  { lessIsBetter = false } = {},
): Delta | null {
  if (now === null || before === null) return null
  const points = now - before
  if (points === 0) return { text: 'flat', good: null }
  const text = `${points > 0 ? '▲' : '▼'} ${Math.abs(points)} pt`
  return { text, good: points > 0 !== lessIsBetter }
}

/** Beyond this, and from a small beginning, a relative change says less than the difference. */
const MOST_PERCENT = 300
const LEAST_BEFORE = 10

/** How a volume moved. Neither direction is better. */
export function deltaOfVolume(now: number, before: number | null): Delta | null {
  if (before === null) return null
  if (now === before) return { text: 'flat', good: null }
  if (before === 0) return { text: 'new', good: null }
  const percent = Math.round((100 * (now - before)) / before)
  const arrow = now > before ? '▲' : '▼'
  const isOdd = Math.abs(percent) > MOST_PERCENT || before < LEAST_BEFORE
  const text = isOdd ? Math.abs(now - before).toLocaleString('en') : `${Math.abs(percent)} %`
  return { text: `${arrow} ${text}`, good: null }
}

const BAR_HEIGHT = 16

/** Heights of bars, whole pixels; what is more than nothing is seen. */
export function barsOf(
  values: readonly number[],
  most = Math.max(0, ...values),
  height = BAR_HEIGHT,
): number[] {
  return values.map((value) =>
    value <= 0 || most <= 0 ? 0 : Math.max(1, Math.round((height * value) / most)),
  )
}
