import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Db } from '../../src/kernel/kernel.ts'
import { inTurns, together } from '../../src/kernel/together.ts'

const [ONE, OTHER] = [{} as Db, {} as Db]

/** What was asked, statement by statement; each is answered when it is told to, by twice what was asked. */
function slowly() {
  const statements: { db: Db; asks: readonly number[]; end: (error?: Error) => void }[] = []
  const answerAll = (db: Db, asks: readonly number[]) =>
    new Promise<number[]>((resolve, reject) => {
      const end = (error?: Error) => (error ? reject(error) : resolve(asks.map((ask) => ask * 2)))
      statements.push({ db, asks, end })
    })
  const asked = () => statements.map(({ asks }) => asks.length)
  return { statements, answerAll, asked }
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)

describe('what is asked', () => {
  test.each([
    ['together', together],
    ['in turns', inTurns],
  ])('in one turn is one statement of each database, %s', async (_, made) => {
    const { statements, answerAll } = slowly()
    const ask = made(answerAll)
    const answers = Promise.all([ask(ONE, 1), ask(OTHER, 2), ask(ONE, 3)])
    await setImmediate()
    expect(statements.map(({ db, asks }) => [db === ONE, asks])).toEqual([
      [true, [1, 3]],
      [false, [2]],
    ])
    for (const { end } of statements) end()
    expect(await answers).toEqual([2, 4, 6])
  })

  test('in turns while a statement is under way goes with the next one, 32 at most', async () => {
    const { statements, answerAll, asked } = slowly()
    const ask = inTurns(answerAll)
    const answers = [ask(ONE, 0)]
    await setImmediate()
    for (const n of numbers(40)) {
      answers.push(ask(ONE, n))
      await setImmediate()
    }
    expect(asked()).toEqual([1])
    for (const sizes of [
      [1, 32],
      [1, 32, 8],
    ]) {
      statements.at(-1)!.end()
      await setImmediate()
      expect(asked()).toEqual(sizes)
    }
    statements.at(-1)!.end()
    expect(await Promise.all(answers)).toEqual([0, ...numbers(40).map((n) => n * 2)])
    // Nobody is left behind: who asks now is asked for at once.
    void ask(ONE, 7)
    await setImmediate()
    expect(asked()).toEqual([1, 32, 8, 1])
  })

  test('in turns fails for those who asked together, and for nobody else', async () => {
    const { statements, answerAll } = slowly()
    const ask = inTurns(answerAll)
    const first = Promise.allSettled([ask(ONE, 1), ask(ONE, 2)])
    await setImmediate()
    const second = ask(ONE, 3)
    statements[0]!.end(new Error('gone'))
    expect((await first).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await setImmediate()
    statements[1]!.end()
    expect(await second).toBe(6)
  })
})
