/** Search by meaning: which model, why there is none, how far it has come, and what the owner can say to it. */
import {
  changeOf,
  checkedStatus,
  countVectors,
  embeddingStatus,
  learnedStatus,
  modelInUse,
  type Trial,
} from '../../embeddings/embeddings.ts'
import { once } from '../../kernel/once.ts'
import { spanOf } from '../durations.ts'
import type { ScreenApp } from '../screen.ts'
import { settingsFigure } from './figures.ts'
import { type Kept } from './kept.ts'

type Counts = Awaited<ReturnType<typeof countVectors>>

/** Counts the vectors of the model in use. */
export const vectorsOf = ({ kernel }: ScreenApp) => countVectors(kernel.db, modelInUse(kernel))

export function semanticOf({ kernel }: ScreenApp, counted: () => Promise<Kept<Counts>>) {
  const status = once(async () => {
    const { models, ...status } = await embeddingStatus(kernel, (await counted()).value)
    const dated = models.map(({ updated, ...one }) => ({ ...one, updated: new Date(updated) }))
    return { ...status, models: dated }
  })
  return {
    embeddings: status,
    figures: async () => {
      const { total, missing, stale, backlog, failed } = await status()
      return [
        settingsFigure('items', { value: total }),
        settingsFigure('missing', { value: missing }),
        settingsFigure('stale', { value: stale }),
        settingsFigure('backlog', {
          value: backlog,
          ...(failed > 0 && { of: `${failed.toLocaleString('en')} failed` }),
        }),
      ]
    },
    /** What a configured model has yet to read before it answers; null: nothing. */
    change: async () => {
      const change = await changeOf(kernel, (await counted()).value)
      if (!change) return null
      const { seconds } = change
      return { ...change, left: seconds === null ? '' : spanOf(seconds) }
    },
    /** How well the model that was learned of the passages does on its own questions, in percent; null: none answers. */
    learned: async () => inPercent(await learnedStatus(kernel)),
    /** The same of the model that is configured; null: it was not checked, or there is none. */
    checked: async () => inPercent(await checkedStatus(kernel)),
    /** When it was counted; null: for this page. */
    counted_at: async () => {
      const { at, fresh } = await counted()
      return fresh ? null : new Date(at)
    },
    /** What is wrong with it or noteworthy, in one line; null: nothing. */
    trouble: async () => {
      const { reason, misconfigured, trouble, lastError, failed } = await status()
      if (reason !== '') return { tone: misconfigured ? 'danger' : 'plain', text: reason }
      if (trouble) return { tone: 'attention', text: trouble.cause, since: new Date(trouble.since) }
      return failed > 0 ? { tone: 'attention', text: lastError } : null
    },
  }
}

function inPercent(trial: Trial | undefined) {
  if (!trial) return null
  const percent = (part: number): number => Math.round(100 * part)
  const { since, words, fused } = trial
  return {
    ...{ ...trial, since: new Date(since) },
    ...{ words: percent(words), fused: percent(fused) },
  }
}
