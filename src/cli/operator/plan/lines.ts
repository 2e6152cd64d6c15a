import type { getPlan } from '../../../plans/plans.ts'
import { PHASES } from './words.ts'

/** A plan with its steps, its notes and its text, as the owner reads it. */
export function* planLines(
  plan: string,
  shown: Awaited<ReturnType<typeof getPlan>>,
): Generator<string> {
  const { title, source, status, phase, basename, iteration, note, steps, tokens } = shown
  yield `${shown.project || 'global'}/${plan}: ${title}`
  yield `${source}${status ? `, ${status}` : ''}, ${PHASES[phase]}`
  if (basename !== null) yield `file ${basename}.md, iteration ${iteration}`
  if (note) yield `note ${note.slug} (${note.id})`
  yield (
    `tokens ${tokens.total} of ${tokens.sessions} sessions: ` +
    `${tokens.unreported} told none, ${tokens.shared} had a part in other plans too`
  )
  yield ''
  yield `${steps.done} of ${steps.total} steps done, ${steps.in_flight} in progress, ${steps.claimable} ready`
  for (const { id, title, status, holder, lease, waits_for } of shown.list) {
    const held = holder && status === 'in_progress' ? ` (${holder}, ${leaseOf(lease)})` : ''
    const waits = waits_for.length > 0 ? ` waits for ${waits_for.join(', ')}` : ''
    yield `  ${status.padEnd(11)}  ${id}  ${title}${held}${waits}`
  }
  if (shown.attached.length > 0) yield* ['', 'Notes:']
  for (const { id, slug, run } of shown.attached)
    yield `  ${id}  ${slug}${run ? '  (planning run)' : ''}`
  if (shown.body !== '') yield* ['', shown.body.trimEnd()]
}

const leaseOf = (seconds: number | null): string => {
  if (seconds === null) return 'no lease'
  return seconds > 0 ? `${Math.ceil(seconds / 60)} min left` : 'lease run out'
}
