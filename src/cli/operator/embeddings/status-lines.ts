import type { EmbeddingStatus, LearnedStatus } from '../../../embeddings/embeddings.ts'

/** How embeddings are, for the owner. */
export function* statusLines(
  status: EmbeddingStatus & { learned?: LearnedStatus | undefined },
): Generator<string> {
  const { enabled, model, provider, reason, trouble, reembed } = status
  yield enabled ? `on: ${model} (${provider})` : `off: ${reason}`
  if (status.learned) yield learnedLine(status.learned)
  if (status.restartNeeded) yield 'the switch was turned: restart the service to follow it'
  yield `${status.total} items; ${status.missing} lack vectors, ${status.stale} have another model's`
  for (const { dims, count, passages, updated, stale, ...of } of status.models) {
    const age = stale ? ', not in use' : ''
    yield `  ${of.model}, ${dims} dimensions: ${passages} passages of ${count} items, last ${updated}${age}`
  }
  if (status.backlog > 0) {
    const failed =
      status.failed > 0 ? `; ${status.failed} failed, the last: ${status.lastError}` : ''
    yield `${status.backlog} items wait${failed}`
  }
  if (trouble) yield `held up since ${trouble.since}: ${trouble.cause}`
  if (reembed.startedAt === null) return
  const { done, total, failed, startedAt, finishedAt } = reembed
  const end = finishedAt === null ? 'is under way' : `ended ${finishedAt}`
  yield `making all again, begun ${startedAt}, ${end}: ${done} of ${total} items, ${failed} failed`
}

const percent = (part: number): string => `${Math.round(part * 100)} %`

/** What a learned model is worth, in one line. */
export const learnedLine = ({
  since,
  passages,
  weight,
  questions,
  words,
  fused,
}: LearnedStatus): string =>
  `learned from ${passages} passages, answering since ${since}, at weight ${weight}: ` +
  (questions === 0
    ? 'no sentence of them stands in one item alone, and what cannot be tried counts nothing beside the words'
    : `of ${questions} questions made of them ${percent(fused)} had their item among the first five, by words alone ` +
      percent(words))
