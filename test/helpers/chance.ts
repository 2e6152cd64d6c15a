/** vitest's set-up of each file: property tests draw from the seed of the run. */
import fc from 'fast-check'
import { SEED } from './seed.ts'

fc.configureGlobal({ seed: SEED })
