import { describe, test } from 'vitest'
import { SEED } from '../helpers/seed.ts'
import { AGAIN, LONG, ranBefore, tooLong } from '../helpers/share.ts'
import { seeded } from './attack.ts'
import { attacks } from './list.ts'

/** A hundredth of `npm run attacks`. The long ones run only where LOAM_TEST_LONG is set. */
describe(`against every attack, seed ${SEED}:`, () => {
  test.for(attacks.map((attack) => [attack.id, attack.title, attack] as const))(
    '%s: %s',
    { timeout: 600_000 },
    async ([, , { rounds, quick, once, run }], { skip }) => {
      if (!quick && !LONG) skip(tooLong)
      if (once && AGAIN) skip(ranBefore)
      const few = Math.max(1, Math.ceil(rounds / 100))
      const given = { random: seeded(SEED), full: false, timed: false, log: () => {} }
      await run({ ...given, rounds: few })
    },
  )
})
