import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** More lines than this are two subjects. */
const MOST_LINES = 320
const MEDIAN_BELOW = 75

/** Generated from the schema. */
const GENERATED = 'src/postgres/tables.ts'

const sizes = globSync('src/**/*.ts')
  .filter((path) => path !== GENERATED)
  .map((path) => ({ path, lines: readFileSync(path, 'utf8').trimEnd().split('\n').length }))

test('no file of src is longer than its subject', () => {
  expect(sizes.length).toBeGreaterThan(0)
  expect(sizes.filter(({ lines }) => lines > MOST_LINES)).toEqual([])
})

test('half the files of src are short', () => {
  const sorted = sizes.map(({ lines }) => lines).toSorted((a, b) => a - b)
  expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(MEDIAN_BELOW)
})
