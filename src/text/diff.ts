import { structuredPatch } from 'diff'

const CONTEXT = 3
const MAX_POINTS = 8_000
/** A diff that takes longer blocks everybody else on this thread. */
const MAX_MS = 100
/** Between the first line that changed and the last: taking more apart takes that long by itself. */
const MAX_LINES = 20_000

/**
 * A unified diff by lines: hunks with three lines of context, no file headers. '' when nothing
 * changed. At most 8,000 code points, then a line that says so.
 */
export function unifiedDiff(before: string, after: string): string {
  if (before === after) return ''
  const { start, ends } = changedPart(before, after)
  const [old, fresh] = [before.slice(start, ends[0]), after.slice(start, ends[1])]
  const patch =
    breaks(old) + breaks(fresh) < MAX_LINES &&
    structuredPatch('', '', old, fresh, '', '', { context: CONTEXT, timeout: MAX_MS })
  if (!patch) return '(the change is too large to show; content_hash is authoritative)\n'
  const above = breaks(before.slice(0, start))
  const lines = patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${above + oldStart},${oldLines} +${above + newStart},${newLines} @@`,
    ...lines.filter((line) => !line.startsWith('\\')),
  ])
  return clip(`${lines.join('\n')}\n`)
}

/** Whole lines from the first that changed to the last, with the lines around them that are shown. */
function changedPart(before: string, after: string): { start: number; ends: [number, number] } {
  const shorter = Math.min(before.length, after.length)
  const same = sameUnits(shorter, (from, to) => [before.slice(from, to), after.slice(from, to)])
  let start = same === 0 ? 0 : before.lastIndexOf('\n', same - 1) + 1
  const left = sameUnits(shorter - start, (from, to) => [
    before.slice(before.length - to, before.length - from),
    after.slice(after.length - to, after.length - from),
  ])
  let end = before.length - left
  for (let lines = 0; lines <= CONTEXT; lines++) {
    end = before.indexOf('\n', end) + 1 || before.length
  }
  for (let lines = 0; lines < CONTEXT && start > 0; lines++) {
    start = start > 1 ? before.lastIndexOf('\n', start - 2) + 1 : 0
  }
  return { start, ends: [end, after.length - (before.length - end)] }
}

/** How much two texts have in common from where they are begun, found by halves. */
function sameUnits(most: number, parts: (from: number, to: number) => [string, string]): number {
  let [same, step] = [0, most]
  while (step > 0) {
    step = Math.min(step, most - same)
    const [one, other] = parts(same, same + step)
    if (step > 0 && one === other) same += step
    else step = Math.floor(step / 2)
  }
  return same
}

/** How many lines end in it. */
function breaks(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) === 10) count++
  return count
}

function clip(text: string): string {
  const points = [...text.slice(0, 2 * MAX_POINTS + 2)]
  if (points.length <= MAX_POINTS) return text
  return `${points.slice(0, MAX_POINTS).join('')}\n(diff cut here; content_hash is authoritative)\n`
}
