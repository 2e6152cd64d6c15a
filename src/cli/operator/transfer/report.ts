/** What an import did, for the owner. */
export interface Imported {
  /** What came in, by kind: memories, notes, projects, and rows by their table. */
  imported: Record<string, number>
  skipped: number
  /** What could not be brought in and why; the rest was. */
  warnings: string[]
}

export const emptyReport = (): Imported => ({ imported: {}, skipped: 0, warnings: [] })

/** Counts what came in. A kind of which nothing came in is left out. */
export function add(report: Imported, what: string, count = 1): void {
  if (count > 0) report.imported[what] = (report.imported[what] ?? 0) + count
}
