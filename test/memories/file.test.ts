import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contentHash } from '../../src/vault/paths.ts'
import { documentPath, parseDocument, renderDocument } from '../../src/documents/documents.ts'
import { MEMORY_KINDS, memoryDocument, type Memory } from '../../src/memories/memories.ts'
import { stageHeader } from '../../src/memories/stage.ts'

const time = fc.date({
  min: new Date('2020-01-01'),
  max: new Date('2040-01-01'),
  noInvalidDate: true,
})
const text = fc.string({ unit: 'grapheme', maxLength: 60 }).map((text) => text.replaceAll('\0', ''))
const word = fc.stringMatching(/^[a-z][a-z0-9]{0,12}$/)
const memory: fc.Arbitrary<Memory> = fc.record({
  id: fc.constant('01KB6W3Q8ZP4T9M2V7XJ5D1RHC'),
  kind: fc.constantFrom(...MEMORY_KINDS),
  name: word,
  description: text,
  project: fc.oneof(fc.constant(''), word),
  created: time,
  updated: time,
  valid_from: time,
  invalid_at: fc.option(time),
  superseded_by: fc.constantFrom('', '01KB70A2M4Y8QK6S1F3WZ9E5NT'),
  source_session: fc.oneof(fc.constant(''), text),
  model: fc.oneof(fc.constant(''), text),
  favorite: fc.boolean(),
  uncut: fc.boolean(),
  tags: fc.array(text, { maxLength: 4 }),
  extra: fc
    .dictionary(
      word.map((key) => `x_${key}`),
      fc.oneof(text, fc.integer(), fc.boolean()),
      {
        maxKeys: 3,
      },
    )
    .map((extra) => Object.fromEntries(Object.entries(extra).sort(([a], [b]) => (a < b ? -1 : 1)))),
  body: fc.string({ unit: 'grapheme', maxLength: 200 }).map((body) => body.replaceAll('\0', '')),
})

describe('the file of a memory', () => {
  test('says everything, and reads as it was written, byte for byte', () => {
    fc.assert(
      fc.property(memory, (given) => {
        const bytes = renderDocument(memoryDocument, given)
        const path = documentPath(memoryDocument, given.project, given.name)
        const read = parseDocument(memoryDocument, { path, bytes, hash: contentHash(bytes) })
        expect(read).toEqual(given)
        expect(renderDocument(memoryDocument, read).equals(bytes)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})

describe('the header of a stage', () => {
  test.each([
    ['Status: open\nGate: human', 'open', 'human'],
    ['gate: AI\nstatus: In_Progress', 'in_progress', 'ai'],
    ['# Release\n\n- **Status:** `blocked`\n- **Gate**: human', 'blocked', 'human'],
    ['> Status: done, at last', 'done', ''],
    ['Status: paused\nStatus: open', '', ''],
    ['Status:\nGate: somebody', '', ''],
    ['My status: open', '', ''],
    [`${'\n'.repeat(11)}Status: open`, 'open', ''],
    [`${'\n'.repeat(12)}Status: open`, '', ''],
    ['', '', ''],
  ])('of %o', (body, status, gate) => {
    expect(stageHeader(body)).toEqual({ status, gate })
  })
})
