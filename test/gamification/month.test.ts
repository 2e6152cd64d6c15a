import { CompiledQuery } from 'kysely'
import { expect, test } from 'vitest'
import { seeded } from '../attacks/attack.ts'
import { openInstances } from '../faults/feed-instances.ts'
import { SEED } from '../helpers/seed.ts'
import { switchFeatures } from '../../src/features/features.ts'
import { liveThrough } from './month.ts'

const server = Boolean(process.env['LOAM_TEST_DATABASE_URL'])
const DAYS = 6

test(`each moment of ${DAYS} days is minted exactly once, by whichever process, seed ${SEED}`, async () => {
  // The embedded database has one process.
  await using instances = await openInstances({ count: server ? 2 : 1, full: false })
  const [{ kernel }] = instances.apps as [(typeof instances.apps)[0]]
  await switchFeatures(kernel, 'console', { momentum: true, gamification: true })
  const { wrong, figures } = await liveThrough(
    {
      doors: () => instances.doors,
      query: async (text, values = []) =>
        (await kernel.db.executeQuery(CompiledQuery.raw(text, values))).rows as never,
    },
    { days: DAYS, random: seeded(SEED) },
  )
  expect(wrong).toEqual([])
  expect(figures).toMatch(/^[1-9]\d moments/)
})
