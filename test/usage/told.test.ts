import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { tellInGaps } from '../../src/usage/usage.ts'
import { openHouse, type House } from '../helpers/house.ts'

/** As telemetry writes them: an insert for each so many calls. */
async function call(house: House, events: number): Promise<void> {
  await sql`
    insert into events (id, ts, kind, transport, project)
    select gen_random_uuid()::text, loam_now(), 'tool.call', true, 'atlas'
    from generate_series(1, ${events}::int)`.execute(house.app.kernel.db)
}

/** How many calls the statistics know of, and how many wait to be told. */
async function standing({ app }: House): Promise<{ told: number; untold: number }> {
  const { rows } = await sql<{ told: number; untold: number }>`
    select (select coalesce(sum(events), 0)::int from log_counts where kind = 'tool.call' and project = 'atlas') as told,
      (select coalesce(sum(cardinality(ids)), 0)::int from untold) as untold`.execute(app.kernel.db)
  return rows[0]!
}

/** What stands when so many calls were told of while an agent waits for an answer: the house's own timer tells in gaps. */
const tellBeside = (house: House, calls: number) => {
  const { kernel } = house.app
  return kernel.pace.answer(async () => {
    for (let n = 0; n < calls; n++) await call(house, 50)
    await tellInGaps(kernel)
    return standing(house)
  })
}

test('statistics are told in the background while nobody waits for an answer', async () => {
  await using house = await openHouse()
  expect(await tellBeside(house, 5)).toEqual({ told: 0, untold: 250 })
  await tellInGaps(house.app.kernel)
  expect(await standing(house)).toEqual({ told: 250, untold: 0 })
})

test('statistics are told beside calls when many wait, until no more than some do', async () => {
  await using house = await openHouse()
  const { told, untold } = await tellBeside(house, 12)
  expect(told + untold).toBe(600)
  expect(untold).toBeGreaterThan(200)
  expect(untold).toBeLessThanOrEqual(400)
})

test('whoever asks for counts has all of it told, whoever waits for an answer', async () => {
  await using house = await openHouse()
  await call(house, 250)
  await house.app.kernel.pace.answer(() => house.app.kernel.telemetry.flush())
  expect(await standing(house)).toMatchObject({ told: 250, untold: 0 })
})
