import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anonymous, templateOf } from '../../src/gardener/passes/template.ts'

describe('the template of an error', () => {
  test.each([
    ['recall: limit must be at most 50', 'limit must be at most <n>'],
    ['recall:  Limit  must be\tat most 7 ', 'limit must be at most <n>'],
    ['notes_read: recall: no', 'notes_read: recall: no'],
    ['recall: "a \\"b\\" 12" is no "kind"', '"…" is no "…"'],
    ['recall: the end of "this is cut', 'the end of "…"'],
    ['recall: task 01KB2R6ZJ8E3T4V5W6X7Y8Z9AB of 3', 'task <id> of <n>'],
    [
      'recall: 01KB2R6ZJ8E3T4V5W6X7Y8Z9ABC is longer',
      '<n>kb<n>r<n>zj<n>e<n>t<n>v<n>w<n>x<n>y<n>z<n>abc is longer',
    ],
    ['', ''],
  ])('%j is %j', (message, template) => {
    expect(templateOf('recall', message)).toBe(template)
  })

  test('does not depend on what is quoted, on ids and on numbers', () => {
    const quoted = fc.string({ maxLength: 30 }).map((text) => JSON.stringify(text))
    const id = fc.string({
      unit: fc.constantFrom(...'0123456789ABCDEFGHJKMNPQRSTVWXYZ'),
      minLength: 25,
      maxLength: 25,
    })
    fc.assert(
      fc.property(quoted, id, fc.nat(), (name, id, n) => {
        expect(templateOf('t', `t: no ${name} with id 0${id}, only ${n}`)).toBe(
          'no "…" with id <id>, only <n>',
        )
      }),
    )
  })
})

test('an anonymous message names no item and no place of the machine', () => {
  const message =
    'ENOENT: cannot open \'/home/ana/notes/secret.md\' of "plan x" (C:\\loam\\db): memory/ledger/fx.md, 01KB2R6ZJ8E3T4V5W6X7Y8Z9AB'
  expect(anonymous(message)).toBe('ENOENT: cannot open \'<path>\' of "…" (<path>): <path> <id>')
})
