import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

/** What clients start for every prompt; see bin/loam-hook.mjs. */
const ENTRIES = ['src/cli/agent/hook/main.ts', 'src/cli/agent/hook/run.ts']
/** Modules of Node whose import loads little; the others are in client/node.ts. */
const CHEAP = ['node:path', 'node:os']

/** The values that a file imports when it is loaded: no types, and nothing that waits for its use. */
function importsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8')
  const found = text.matchAll(/^(?:import|export) (?!type )[^;']*?from '([^']+)'/gm)
  return [...found].map(([, target]) => target!)
}

test('the program for hooks loads no package, and few files', () => {
  const files = new Set(ENTRIES)
  const others = new Set<string>()
  for (const path of files) {
    for (const target of importsOf(path)) {
      if (target.startsWith('.')) files.add(normalize(join(dirname(path), target)))
      else others.add(target)
    }
  }
  expect([...others].filter((name) => !CHEAP.includes(name))).toEqual([])
  expect(files.size).toBeGreaterThan(ENTRIES.length)
  expect(
    [...files].filter((path) => !/^src\/(?:cli\/(?:agent\/hook|client)|kernel)\//.test(path)),
  ).toEqual([])
  expect(files.size).toBeLessThanOrEqual(12)
})
