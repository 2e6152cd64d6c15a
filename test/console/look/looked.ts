/** Which sights a look found in order in each of the new looks. What is not among them is new. */
import { readFileSync } from 'node:fs'

/** Light and dark, wide and narrow: what a new sight is looked at in. */
export const NEW_LOOKS = ['light-1440', 'dark-390']

export const LOOKED = 'test/console/look/looked.txt'

export const seenBefore = (names: readonly string[]): string =>
  `${[...new Set(names)].sort().join('\n')}\n`

export const readLooked = (): Set<string> =>
  new Set(readFileSync(LOOKED, 'utf8').trimEnd().split('\n'))
