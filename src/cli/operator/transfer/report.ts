/** What an import did, for the owner. */
export interface Imported {
  /** What came in, by kind: memories, notes, projects, and rows by their table. */
  imported: Record<string, number>
  /** What was here already. */
  skipped: number
  /** What was read and is nothing that could come in, with the place of the first. */
  left: Left[]
  /** What could not be brought in and why; the rest was. */
  warnings: string[]
}

/** Things that a source holds and an import does not take, counted by the reason. */
export interface Left {
  /** `a line that is no JSON`. */
  what: string
  count: number
  /** Where the first one stands: `line 3`. */
  first: string
}

export const emptyReport = (): Imported => ({ imported: {}, skipped: 0, left: [], warnings: [] })

/** Counts what came in. A kind of which nothing came in is left out. */
export function add(report: Imported, what: string, count = 1): void {
  if (count > 0) report.imported[what] = (report.imported[what] ?? 0) + count
}

/** Counts what was left. */
export function leave(left: Left[], what: string, place: string): void {
  const known = left.find((each) => each.what === what)
  if (known) known.count++
  else left.push({ what, count: 1, first: place })
}

/** `3 × a line that is no JSON (first: line 2)` */
export const leftWords = ({ what, count, first }: Left): string =>
  `${count} × ${what} (${count === 1 ? first : `first: ${first}`})`
