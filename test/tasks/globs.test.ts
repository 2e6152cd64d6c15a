import { matchesGlob } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { meet, overlap, patternOf, patternProblem } from '../../src/tasks/globs.ts'

describe('two patterns of paths', () => {
  test.each([
    ['src/tasks', 'src/tasks/store.ts'],
    ['src/tasks/', 'src/tasks/tools/*.ts'],
    ['src/**/*.ts', 'src/a/b/c.ts'],
    ['**', 'x'],
    ['**/*.md', 'docs'],
    ['src/*.ts', 'src/t*'],
    ['src/{tasks,notes}/*.ts', 'src/notes/read.ts'],
    ['./src/a.ts', '/src/a.ts'],
    ['src\\a.ts', 'src/a.ts'],
    ['a*b*c', 'aXbYc'],
    ['a*', '*b'],
    ['file[0-9].ts', 'file7.ts'],
    ['src/@(a|b)/x.ts', 'src/a/x.ts'],
    ['{a,b}{1,2}', 'b2/**'],
    ['@(a|(b|+(c)))/x', 'c/x'],
    ['{1..3}.ts', '2.ts'],
    ['[]a].ts', 'a.ts'],
    ['[[:alpha:]].ts', 'b.ts'],
    ['package.json', 'package.json'],
  ])('%s and %s may name the same file', (one, other) => {
    expect(overlap(one, other)).toBe(true)
    expect(overlap(other, one)).toBe(true)
  })

  test.each([
    ['src/tasks', 'src/notes'],
    ['src/task', 'src/tasks/store.ts'],
    ['src/*.ts', 'src/*.md'],
    ['*.ts', 'src/*.ts'],
    ['src/{a,b}.ts', 'src/c.ts'],
    ['a*b', 'a*c'],
    ['docs/**/*.md', 'src/**'],
    ['src/A.ts', 'src/a.ts'],
    ['??.ts', 'abc.ts'],
  ])('%s and %s never do', (one, other) => {
    expect(overlap(one, other)).toBe(false)
    expect(overlap(other, one)).toBe(false)
  })

  test('that both name one file always meet', () => {
    const name = fc.array(fc.constantFrom('a', 'b', '*', '?', '.'), { minLength: 1, maxLength: 4 })
    const segment = fc.oneof(
      fc.constant('**'),
      name.map((letters) => letters.join('').replaceAll(/\*+/g, '*')),
      fc.constant('{a,bb}'),
    )
    const pattern = fc
      .array(segment, { minLength: 1, maxLength: 4 })
      .map((segments) => segments.join('/'))
      .filter((each) => patternProblem(each) === undefined)
    const word = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 3 })
    const path = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join('/'))
    fc.assert(
      fc.property(pattern, pattern, path, (one, other, file) => {
        fc.pre(matchesGlob(file, one) && matchesGlob(file, other))
        expect(overlap(one, other)).toBe(true)
        expect(overlap(other, one)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  test('of the worst kind are taken to meet when the steps of a pair are spent', () => {
    const six = (end: string) => `${'{a,b}'.repeat(6)}${'*x'.repeat(80)}${end}`
    const pairs = [
      [six('y'), six('z')],
      ['{a,b}'.repeat(40), '{b,c}'.repeat(40)],
      [`${'*a'.repeat(99)}b`, `${'*a'.repeat(99)}c`],
      [`${'**/'.repeat(65)}x`, `${'**/'.repeat(65)}y`],
    ] as const
    for (const [one, other] of pairs) {
      const steps = { left: 10_000_000 }
      meet(patternOf(one), patternOf(other), steps)
      expect([one, 10_000_000 - steps.left < 120_000]).toEqual([one, true])
    }
    expect(overlap(six('y'), six('z'))).toBe(true)
  })

  test('that begin with other names never meet, and others may when no steps are left', () => {
    const spent = { left: 0 }
    const meets = (one: string, other: string) => meet(patternOf(one), patternOf(other), spent)
    expect(meets('src/tasks/*.ts', 'src/notes/*.ts')).toBe(false)
    expect(meets('src/*.ts', 'src/*.md')).toBe(true)
    expect(spent.left).toBe(0)
  })
})

test.each([
  ['../x', 'leaves the repository'],
  ['a/../../b', 'leaves the repository'],
  ['', 'names nothing'],
  ['./', 'names nothing'],
  ['!src', 'left out'],
  ['a\nb', 'control character'],
  ['x'.repeat(201), 'at most 200'],
])('%o is no pattern', (pattern, problem) => {
  expect(patternProblem(pattern)).toContain(problem)
})
