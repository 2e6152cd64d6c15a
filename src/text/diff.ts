import { structuredPatch } from 'diff'

const CONTEXT = 3
const MAX_POINTS = 8_000
/** A diff that takes longer blocks everybody else on this thread. */
const MAX_MS = 100

/**
 * A unified diff by lines: hunks with three lines of context, no file headers. '' when nothing
 * changed. At most 8,000 code points, then a line that says so.
 */
export function unifiedDiff(before: string, after: string): string {
  if (before === after) return ''
  const patch = structuredPatch('', '', before, after, '', '', {
    context: CONTEXT,
    timeout: MAX_MS,
  })
  if (!patch) return '(the change is too large to show; content_hash is authoritative)\n'
  const lines = patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...lines.filter((line) => !line.startsWith('\\')),
  ])
  return clip(`${lines.join('\n')}\n`)
}

function clip(text: string): string {
  if (text.length <= MAX_POINTS) return text
  const points = [...text]
  if (points.length <= MAX_POINTS) return text
  return `${points.slice(0, MAX_POINTS).join('')}\n(diff cut here; content_hash is authoritative)\n`
}
