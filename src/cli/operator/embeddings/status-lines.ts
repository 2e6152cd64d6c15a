import type { Change, EmbeddingStatus, Trial } from '../../../embeddings/embeddings.ts'

/** How embeddings are, for the owner. */
export function* statusLines(
  status: EmbeddingStatus & {
    learned?: Trial | undefined
    checked?: Trial | undefined
    change?: Change | undefined
  },
): Generator<string> {
  const { enabled, model, provider, reason, trouble, reembed } = status
  yield enabled ? `on: ${model} (${provider})` : `off: ${reason}`
  if (status.checked) yield checkedLine(status.checked)
  if (status.learned) yield learnedLine(status.learned)
  if (status.change) yield changeLine(status.change)
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

/**
 * What becomes of the store under a configured model that has not read all of it, in one line. `each`: how many seconds
 * one passage took by itself; several are read at once.
 */
export function changeLine(
  { model, made, total, seconds, learned }: Change,
  each?: number,
): string {
  const count = (n: number) => n.toLocaleString('en-US')
  const most = each === undefined ? undefined : each * (total - made)
  const time =
    seconds !== null
      ? `the rest takes about ${inWords(seconds)}`
      : most !== undefined
        ? `the rest takes ${inWords(most)} at most`
        : 'how long the rest takes is known once it has read some'
  const answers = learned ? 'what was learned of the passages answers' : 'words alone answer'
  return `${model} has read ${count(made)} of ${count(total)} passages, in the background; ${time}; until then ${answers}`
}

function inWords(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.ceil(seconds))} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 90 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`
}

const percent = (part: number): string => `${Math.round(part * 100)} %`

/** What a learned model is worth, in one line. */
export const learnedLine = (trial: Trial): string => `learned from ${trialLine(trial)}`

/** What a configured model is worth, in one line. */
export const checkedLine = (trial: Trial): string => `checked on ${trialLine(trial)}`

const trialLine = ({ since, passages, weight, questions, words, fused }: Trial): string =>
  `${passages} passages, answering since ${since}, at weight ${weight}: ` +
  (questions > 0
    ? `of ${questions} questions made of them ${percent(fused)} had their item among the first five, by words alone ` +
      percent(words)
    : weight > 0
      ? 'no sentence of them stands in one item alone, so that it could not be tried'
      : 'no sentence of them stands in one item alone, and what cannot be tried counts nothing beside the words')
