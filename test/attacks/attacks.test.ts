import { describe, test } from 'vitest'
import { seeded } from './attack.ts'
import { attacks } from './list.ts'

/** A hundredth of `npm run attacks`, other every day; LOAM_TEST_SEED repeats a day. */
const seed = Number(process.env['LOAM_TEST_SEED'] ?? Math.floor(Date.now() / 86_400_000))

describe(`against every attack, seed ${seed}:`, () => {
  test.each(attacks.map((attack) => [attack.id, attack.title, attack] as const))(
    '%s: %s',
    { timeout: 300_000 },
    async (_id, _title, { rounds, run }) => {
      const few = Math.max(1, Math.ceil(rounds / 100))
      const given = { random: seeded(seed), full: false, timed: false, log: () => {} }
      await run({ ...given, rounds: few })
    },
  )
})
