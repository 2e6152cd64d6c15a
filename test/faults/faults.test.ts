import { describe, test } from 'vitest'
import { seeded } from '../attacks/attack.ts'
import { faults } from './list.ts'

/** A hundredth of `npm run faults`, other every day; LOAM_TEST_SEED repeats a day. */
const seed = Number(process.env['LOAM_TEST_SEED'] ?? Math.floor(Date.now() / 86_400_000))

describe(`through every fault, seed ${seed}:`, () => {
  test.each(faults.map((fault) => [fault.id, fault.title, fault] as const))(
    '%s: %s',
    { timeout: 300_000 },
    async (_id, _title, fault) => {
      const given = { full: false, timed: false, random: seeded(seed), log: () => {} }
      if (fault.missing?.(given)) return
      await fault.run({ ...given, rounds: Math.max(1, Math.ceil(fault.rounds / 100)) })
    },
  )
})
