import type { Db } from './db.ts'

interface Waiting<Ask, Answer> {
  ask: Ask
  resolve(answer: Answer): void
  reject(error: unknown): void
}

/** Returns an answer for each of what is asked, in their order; its error is that of all. */
type AnswerAll<Ask, Answer> = (db: Db, asks: readonly Ask[]) => Promise<readonly Answer[]>

/** Asks that wait, by the database or the transaction that is asked. */
type Queues<Ask, Answer> = WeakMap<Db, Waiting<Ask, Answer>[]>

async function answerEach<Ask, Answer>(
  answerAll: AnswerAll<Ask, Answer>,
  db: Db,
  all: readonly Waiting<Ask, Answer>[],
): Promise<void> {
  try {
    const asks = all.map(({ ask }) => ask)
    const answers = await answerAll(db, asks)
    for (const [at, { resolve }] of all.entries()) resolve(answers[at]!)
  } catch (error) {
    for (const { reject } of all) reject(error)
  }
}

/** Puts an ask behind the others of its queue. The first of a queue begins, behind all that its turn has still to do. */
const queued =
  <Ask, Answer>(queues: Queues<Ask, Answer>, begin: (db: Db) => Promise<void>) =>
  (db: Db, ask: Ask): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const one = { ask, resolve, reject }
      const queue = queues.get(db)
      if (queue) queue.push(one)
      else {
        queues.set(db, [one])
        queueMicrotask(() => process.nextTick(() => void begin(db)))
      }
    })

/** Makes one statement of what is asked of a database, or of one transaction, in the same turn. */
export function together<Ask, Answer>(
  answerAll: AnswerAll<Ask, Answer>,
): (db: Db, ask: Ask) => Promise<Answer> {
  const queues: Queues<Ask, Answer> = new WeakMap()
  return queued(queues, async (db) => {
    const all = queues.get(db) ?? []
    queues.delete(db)
    await answerEach(answerAll, db, all)
  })
}

/** What waits longer than for one statement waits because there is very much of it. */
const MOST_AT_ONCE = 32

/**
 * As `together`, and what is asked while a statement is under way waits for its end, at most 32 asks for each: one caller
 * is answered as soon as without it, and many callers take one statement, and one commit, between them.
 */
export function inTurns<Ask, Answer>(
  answerAll: AnswerAll<Ask, Answer>,
): (db: Db, ask: Ask) => Promise<Answer> {
  const queues: Queues<Ask, Answer> = new WeakMap()
  return queued(queues, async (db) => {
    const queue = queues.get(db) ?? []
    while (queue.length > 0) await answerEach(answerAll, db, queue.splice(0, MOST_AT_ONCE))
    queues.delete(db)
  })
}
