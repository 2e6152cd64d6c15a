import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** It stays where it is when the code is joined. */
const NOT_JOINED = ['esbuild']
const READ_LATE = /\bawait import\('([^.'][^']*)'\)/g

test('a package that is read only when it is needed is read by a module of ours', () => {
  // Of a CommonJS package, joined code knows the names to static imports alone.
  const packages = globSync('src/**/*.ts').flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(READ_LATE)].map(([, name]) => name),
  )
  expect(packages).toEqual(NOT_JOINED)
})
