import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { eventKinds } from '../../src/event-kinds.ts'

test('every kind of event that is defined is listed, so that pages can show it', () => {
  const defined = globSync('src/**/*.ts').flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\bdefine(?:Transport)?Event\(\s*'([^']+)'/g)].map(
      ([, name]) => name!,
    ),
  )
  expect(defined.length).toBeGreaterThan(10)
  expect([...eventKinds.keys()].toSorted()).toEqual(defined.toSorted())
})
