/** Which sights the last whole look found in order. What is not among them is new. */
import { readFileSync } from 'node:fs'

export const LOOKED = 'test/console/look/looked.txt'

export const seenBefore = (names: readonly string[]): string =>
  `${[...new Set(names)].sort().join('\n')}\n`

export const readLooked = (): Set<string> => new Set(readFileSync(LOOKED, 'utf8').split('\n'))
