/**
 * Figures that stand: what was counted for one page serves the next ones, for as long as nothing has happened that it
 * counts. Several tabs that are refreshed, or one that is opened again, ask the database whether that is so, and no more.
 */
import { sql } from 'kysely'
import type { Db } from '../kernel/kernel.ts'
import { once } from '../kernel/once.ts'
import { keyOfData } from './kept-parts.ts'

/** Some pages of each kind, in each window. */
const MOST_KEPT = 200

/** What time alone changes is seen within it. `figures_stand()` tells it by such steps. */
export const KEPT_STEP_MS = 5 * 60_000

interface Kept {
  /** What the store was like when it was asked. */
  stand: string
  value: Promise<unknown>
}

/**
 * Asks, or gives what the same question was answered with while nothing has changed. `given` is plain data, and no time: a
 * question of another moment is the same one, whose older answer goes.
 */
export type Answers = <Value>(
  question: string,
  given: object,
  ask: () => Promise<Value>,
) => Promise<Value>

const keptOf = new WeakMap<Db, Map<string, Kept>>()

/**
 * The answers of one page. They are about tables that `figures_stand()` watches, and exact but for what time alone takes
 * out of a window: that is seen within five minutes.
 */
export function keptAnswers(db: Db): Answers {
  const kept = keptOf.get(db) ?? new Map<string, Kept>()
  keptOf.set(db, kept)
  const stand = once(() => readStand(db))
  return async <Value>(question: string, given: object, ask: () => Promise<Value>) => {
    const now = await stand()
    const key = keyOfData(question, given)
    if (now === undefined || key === undefined) return ask()
    const before = kept.get(key)
    kept.delete(key)
    if (before?.stand === now) {
      kept.set(key, before)
      return before.value as Promise<Value>
    }
    const value = ask()
    kept.set(key, { stand: now, value })
    // One that failed is asked again.
    value.catch(() => kept.get(key)?.value === value && kept.delete(key))
    const [oldest] = kept.keys()
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest)
    return value
  }
}

/** Undefined while somebody writes what figures count: what is asked now may be older than what is told of it. */
async function readStand(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ changes: string; step: string | null }>`
    select changes, step from figures_stand()`.execute(db)
  const [{ changes, step } = { changes: 0, step: null }] = rows
  return step === null ? undefined : `${changes} ${step}`
}
