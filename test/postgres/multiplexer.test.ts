/** Whose statement runs next, told by the order in which they are answered. The clock stands unless it is moved. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { multiplex } from '../../src/postgres/embedded/multiplexer.ts'
import type { Multiplexer } from '../../src/postgres/embedded/multiplexer.ts'
import * as wire from '../../src/postgres/embedded/wire.ts'

let session: Multiplexer
let answered: number[]

/** Says that a statement was carried out, and whether a transaction is open then. */
function execute(batch: Buffer): Buffer {
  const asked = batch.toString()
  return wire.readyForQuery(asked.includes('begin') || asked.includes('within') ? 'T' : 'I')
}

const START = Buffer.from([0, 0, 0, 8, 0, 3, 0, 0])
const [READER, WRITER, OTHER] = [1, 2, 3]

function ask(who: number, statement: string): void {
  session.receive(who, wire.query(statement))
}

beforeEach(() => {
  vi.useFakeTimers()
  answered = []
  const send = (connection: number): void => void answered.push(connection)
  session = multiplex(execute, { send, close() {}, heard() {} }, { idleInTransactionMs: 60_000 })
  for (const who of [READER, WRITER, OTHER]) session.receive(who, START)
  answered.length = 0
})
afterEach(() => {
  vi.useRealTimers()
})

test('a reader is answered at once while a transaction waits for it to end', () => {
  ask(READER, 'select 1')
  ask(WRITER, 'begin')
  expect(answered).toEqual([READER])
  for (let n = 0; n < 5; n++) {
    vi.advanceTimersByTime(1)
    ask(READER, 'select 1')
  }
  expect(answered).toEqual(Array.from({ length: 6 }, () => READER))
})

test('a transaction begins once no reader has come for three milliseconds', () => {
  ask(READER, 'select 1')
  ask(WRITER, 'begin')
  vi.advanceTimersByTime(2)
  ask(READER, 'select 1')
  vi.advanceTimersByTime(2)
  expect(answered).toEqual([READER, READER])
  vi.advanceTimersByTime(1)
  expect(answered).toEqual([READER, READER, WRITER])
})

test('a transaction waits for readers for twenty milliseconds at most', () => {
  ask(READER, 'select 1')
  ask(WRITER, 'begin')
  let turns = 0
  for (; !answered.includes(WRITER) && turns < 100; turns++) {
    vi.advanceTimersByTime(1)
    ask(READER, 'select 1')
  }
  expect(turns).toBeGreaterThanOrEqual(20)
  expect(turns).toBeLessThanOrEqual(24)
  ask(WRITER, 'commit')
  vi.advanceTimersByTime(1)
  expect(answered.slice(-2)).toEqual([WRITER, READER])
})

test('the agent that was answered last begins its own transaction at once', () => {
  ask(WRITER, 'select 1')
  ask(WRITER, 'begin')
  expect(answered).toEqual([WRITER, WRITER])
})

test('who waits while a transaction is open is answered when it ends, in the order in which they came', () => {
  ask(WRITER, 'begin')
  ask(READER, 'select 1')
  ask(OTHER, 'select 1')
  ask(WRITER, 'select within')
  vi.advanceTimersByTime(50)
  expect(answered).toEqual([WRITER, WRITER])
  ask(WRITER, 'commit')
  vi.advanceTimersByTime(1)
  expect(answered).toEqual([WRITER, WRITER, WRITER, READER, OTHER])
})
