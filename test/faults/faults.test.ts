import { describe, test } from 'vitest'
import { seeded } from '../attacks/attack.ts'
import { SEED } from '../helpers/seed.ts'
import { AGAIN, LONG, ranBefore, tooLong } from '../helpers/share.ts'
import { faults } from './list.ts'

/** A hundredth of `npm run faults`. The long ones run only where LOAM_TEST_LONG is set. */
describe(`through every fault, seed ${SEED}:`, () => {
  test.for(faults.map((fault) => [fault.id, fault.title, fault] as const))(
    '%s: %s',
    { timeout: 600_000 },
    async ([, , fault], { skip }) => {
      const given = { full: false, timed: false, random: seeded(SEED), log: () => {} }
      const missing = fault.missing?.(given) ?? (fault.quick || LONG ? null : tooLong)
      if (missing) skip(missing)
      if (fault.once && AGAIN) skip(ranBefore)
      await fault.run({ ...given, rounds: Math.max(1, Math.ceil(fault.rounds / 100)) })
    },
  )
})
