import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { partsOf } from './where/parts.ts'

const span = (from: number, to: number) => ({ from, to })
const asked = (from: number, to: number, text: string) => ({ ...span(from, to), text })

describe('the parts of a call', () => {
  const noted = {
    requests: [span(0, 10), span(20, 30)],
    statements: [
      asked(1, 4, 'select 1'),
      // Under way together with the one before, and beyond the answer.
      asked(3, 5, 'select  2'),
      asked(28, 34, 'select 1'),
      asked(50, 60, 'insert'),
    ],
    synced: [span(4, 7), span(40, 41)],
    engine: 8,
    atWork: { 'select 2': 6, 'select\n1': 2, 'a checkpoint': 5 },
    main: {
      'file:///any/src/recall/words.ts': 2,
      'file:///any/src/recall/hits.ts': 1,
      'file:///any/node_modules/kysely/dist/a.js': 4,
      'node:internal/process': 1,
      '(garbage collector)': 1,
      writev: 3,
    },
  }
  const parts = partsOf(noted, [12, 14])

  test('add up to what the client waits', () => {
    const { client, waits, durable, computes } = parts
    expect({ client, waits, durable, computes }).toEqual({
      client: 3,
      waits: 3,
      durable: 1,
      computes: 6,
    })
    expect(client + waits + durable + computes).toBe(parts.mean)
  })

  test('say of each statement how often it was asked, and what of it is work or behind the answer', () => {
    expect(parts.statements).toEqual([
      { text: 'select 2', times: 0.5, ms: 1, engine: 3, behind: 0 },
      { text: 'select 1', times: 1, ms: 4.5, engine: 1, behind: 0 },
      { text: 'insert', times: 0.5, ms: 5, engine: 0, behind: 0.5 },
    ])
  })

  test('tell what the main thread computes by room and package', () => {
    expect(parts.main).toEqual([
      ['kysely', 2],
      ['src/recall', 1.5],
      ['files and sockets', 1.5],
      ['node:internal', 0.5],
      ['garbage collector', 0.5],
    ])
  })
})

test('the page of figures tells of each call on both databases', () => {
  const page = readFileSync('docs/figures.md', 'utf8')
  expect(page).toContain('## What cannot be had on the embedded database')
  for (const database of ['the embedded database', 'a PostgreSQL server']) {
    expect(page).toContain(`## On ${database}`)
    for (const tool of ['memory_write', 'recall', 'memory_read', 'tasks_ready', 'tasks_claim'])
      expect(page).toContain(`### \`${tool}\` on ${database}`)
  }
})
