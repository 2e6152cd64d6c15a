/** Two versions of a text as views/partials/diff.liquid shows them. */
import { unifiedDiff } from '../text/diff.ts'

export interface DiffLine {
  kind: 'same' | 'old' | 'new' | 'left'
  text: string
}

const KINDS: Readonly<Record<string, DiffLine['kind']>> = { ' ': 'same', '-': 'old', '+': 'new' }

/** Returns the lines that differ, each with some around it. Empty: nothing differs. */
export function diffLines(before: string, after: string): DiffLine[] {
  const lines = unifiedDiff(ended(before), ended(after)).split('\n').slice(0, -1)
  const shown: DiffLine[] = []
  let last = 1
  for (const line of lines) {
    const [, from, count] = /^@@ -(\d+),(\d+) /.exec(line) ?? []
    if (from === undefined) {
      const kind = KINDS[line[0] ?? '']
      shown.push({ kind: kind ?? 'left', text: kind ? line.slice(1) : line })
      continue
    }
    const skipped = Number(from) - last
    if (skipped > 0)
      shown.push({ kind: 'left', text: `${skipped} ${skipped === 1 ? 'line' : 'lines'}` })
    last = Number(from) + Number(count)
  }
  return shown
}

const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)
