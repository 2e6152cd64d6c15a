import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Heartbeats } from '../../src/kernel/heartbeats.ts'
import type { Db } from '../../src/kernel/kernel.ts'
import type { Heartbeat } from '../../src/kernel/telemetry.ts'
import { memoryLog } from '../helpers/edge.ts'

const db = {} as Db
let marked: string[]
let heartbeats: Heartbeats
const { log, logged } = memoryLog()

const heartbeatOf = (table: string): Heartbeat => ({
  mark: async (given, ids) => void marked.push(`${given === db} ${table} ${ids.join(' ')}`),
})
const sessions = heartbeatOf('sessions')
const connections = heartbeatOf('connections')

beforeEach(() => {
  vi.useFakeTimers()
  marked = []
  heartbeats = new Heartbeats({ db, log, gatherMs: 20 })
})
afterEach(() => {
  heartbeats.close()
  vi.useRealTimers()
})

test('the rows of a table are marked together, sorted, each once', async () => {
  for (const id of ['b', 'a', 'b']) heartbeats.seen(sessions, id)
  heartbeats.seen(connections, 'c')
  expect(marked).toEqual([])
  await vi.advanceTimersByTimeAsync(20)
  expect(marked).toEqual(['true sessions a b', 'true connections c'])
})

test('marks are written once a second at most', async () => {
  heartbeats.seen(sessions, 'a')
  await vi.advanceTimersByTimeAsync(20)
  heartbeats.seen(sessions, 'b')
  await vi.advanceTimersByTimeAsync(900)
  expect(marked).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(100)
  expect(marked).toEqual(['true sessions a', 'true sessions b'])
})

test('a flush writes what waits, and nothing twice', async () => {
  heartbeats.seen(sessions, 'a')
  await heartbeats.flush()
  await heartbeats.flush()
  expect(marked).toEqual(['true sessions a'])
})

test('a failure is logged, and the next marks are written', async () => {
  heartbeats.seen({ mark: () => Promise.reject(new Error('away')) }, 'a')
  await heartbeats.flush()
  expect(logged()).toContain('heartbeats were not written')
  heartbeats.seen(sessions, 'b')
  await heartbeats.flush()
  expect(marked).toEqual(['true sessions b'])
})
