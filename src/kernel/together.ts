import type { Db } from './db.ts'

interface Waiting<Ask, Answer> {
  ask: Ask
  resolve(answer: Answer): void
  reject(error: unknown): void
}

/**
 * Makes one statement of what is asked of a database, or of one transaction, in the same turn. `answerAll` returns
 * an answer for each, in their order; its error is that of all.
 */
export function together<Ask, Answer>(
  answerAll: (db: Db, asks: readonly Ask[]) => Promise<readonly Answer[]>,
): (db: Db, ask: Ask) => Promise<Answer> {
  const waiting = new WeakMap<Db, Waiting<Ask, Answer>[]>()
  const answer = async (db: Db): Promise<void> => {
    const all = waiting.get(db) ?? []
    waiting.delete(db)
    try {
      const answers = await answerAll(
        db,
        all.map(({ ask }) => ask),
      )
      for (const [at, { resolve }] of all.entries()) resolve(answers[at]!)
    } catch (error) {
      for (const { reject } of all) reject(error)
    }
  }
  return (db, ask) =>
    new Promise((resolve, reject) => {
      const all = waiting.get(db)
      if (all) all.push({ ask, resolve, reject })
      else {
        waiting.set(db, [{ ask, resolve, reject }])
        // Behind everything that the same turn has still to do.
        queueMicrotask(() => process.nextTick(() => void answer(db)))
      }
    })
}
