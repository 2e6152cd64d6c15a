import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Where text enters and may be refused or masked, as the owner's setting says. No room asks but for capture. */
const ENTRANCES = [
  // The page itself enters there.
  'src/capture/capture.ts',
  'src/cli/operator/transfer/guard.ts',
  'src/hooks/guard.ts',
  'src/mcp/guard.ts',
]

/** Who looks for credentials beside them: what goes into the log is masked whatever the setting. */
const LOOKERS = [
  'src/cli/operator/transfer/guard.ts',
  // The address of a provider is told without what may be a key in it.
  'src/config.ts',
  'src/console/settings/configuration.ts',
  // What was typed goes back in an address, but for a key.
  'src/console/typed.ts',
  // What was asked for goes into a task that others read.
  'src/gardener/passes/memory-wanted.ts',
  'src/hooks/answer.ts',
  // Whether the name of a project that a call would make is worth a look at the database.
  'src/mcp/guard.ts',
  'src/mcp/record-call.ts',
  'src/mcp/shown.ts',
  'src/text/secret-policy.ts',
  'src/text/show-text.ts',
]

const importersOf = (module: string): string[] =>
  globSync('src/**/*.ts')
    .filter((path) =>
      new RegExp(`from '[./a-z-]*/${module}\\.ts'`).test(readFileSync(path, 'utf8')),
    )
    .toSorted()

test('credentials are looked for where text enters, and nowhere behind', () => {
  expect(importersOf('secret-policy')).toEqual(ENTRANCES)
  expect(importersOf('secrets')).toEqual(LOOKERS)
})
