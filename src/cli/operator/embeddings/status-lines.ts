import type { EmbeddingStatus } from '../../../embeddings/embeddings.ts'

/** How embeddings are, for the owner. */
export function* statusLines(status: EmbeddingStatus): Generator<string> {
  const { enabled, model, provider, reason, trouble, reembed } = status
  yield enabled ? `on: ${model} (${provider})` : `off: ${reason}`
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
