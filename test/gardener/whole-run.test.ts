import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { garden } from '../helpers/garden.ts'
import { openHouse, type House } from '../helpers/house.ts'

/** Sets the clock of the database, whatever the day of the test is. */
async function goTo(house: House, time: string): Promise<void> {
  const { rows } = await sql<{ away: number }>`
    select extract(epoch from ${time}::timestamptz - clock_timestamp())::float8 as away`.execute(
    house.app.database.db,
  )
  await house.moveClock(`${rows[0]!.away} seconds`)
}

const fact = (name: string, more: object = {}) => ({
  ...{ name, kind: 'gotcha', description: `About ${name}`, body: `What ${name} says` },
  ...more,
})

describe('a run of every pass, with no model at all', () => {
  test('proposes what each finds once, fails in none, and proposes nothing a second time', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await goTo(house, '2040-01-10T09:00:00Z')
    await agent.call('session_start', { name: 'harbor', project: 'atlas' })
    await agent.call('memory_write', fact('quiet'))
    await agent.call('memory_write', fact('binding', { kind: 'constraint' }))
    await goTo(house, '2040-06-10T09:00:00Z')
    const port =
      'The development server of billing is started by make serve and listens on port 8081'
    const kept = { kind: 'reference', description: port, body: `${port}.` }
    await agent.call('memory_write', fact('billing-port', kept))
    await agent.call('memory_write', fact('port-of-billing', kept))
    for (const name of ['bay', 'cape']) {
      await agent.call('session_start', { name, project: 'delta' })
      await agent.call('session_end', { findings: `The lock of the ${name} needs two keys.` })
    }
    await goTo(house, '2040-07-01T09:00:00Z')

    const passes = await garden(house)
    expect(Object.values(passes).filter(({ failed }) => failed !== undefined)).toEqual([])
    const { db } = house.app.database
    const proposals = await db.selectFrom('proposals').select(['kind', 'payload']).execute()
    const told = proposals.map(({ kind, payload }) => {
      const { name, month } = payload as { name?: string; month?: string }
      return [kind, name ?? month ?? ''].join(' ').trim()
    })
    expect(told.toSorted()).toEqual(['archive quiet', 'digest 2040-06', 'merge'])

    const again = await garden(house)
    expect(Object.values(again).map(({ proposed }) => proposed)).toEqual(
      Object.values(again).map(() => 0),
    )
  })
})

describe('two passes about one memory', () => {
  test('propose it once: what is stale is not dead weight as well', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    await agent.call('memory_write', fact('quiet'))
    await house.moveClock('91 days')
    expect((await garden(house, 'staleness'))['staleness']).toMatchObject({ proposed: 1 })
    for (let n = 0; n < 20; n++) {
      await agent.call('session_start', { name: `day-${n}`, project: 'atlas' })
    }
    expect((await garden(house, 'dead-weight'))['dead-weight']).toMatchObject({ proposed: 0 })
  })

  test('spare what is young, starred or binding, however often it is shown', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    await agent.call('memory_write', fact('binding', { kind: 'constraint' }))
    await agent.call('memory_write', fact('starred'))
    await agent.call('favorite_set', { kind: 'memory', id: 'starred', favorite: true })
    await house.moveClock('20 days')
    await agent.call('memory_write', fact('young'))
    for (let n = 0; n < 22; n++) {
      await agent.call('session_start', { name: `day-${n}`, project: 'atlas' })
    }
    expect((await garden(house, 'dead-weight'))['dead-weight']).toMatchObject({ proposed: 0 })
  })

  test('leave stages alone where the owner wants it so', async () => {
    await using house = await openHouse({ env: { LOAM_GARDENER_STALE_STAGE_DAYS: '0' } })
    const agent = await house.inside('atlas')
    await agent.call(
      'memory_write',
      fact('over', { kind: 'stage', body: 'Status: done\nGate: human\n\nDone.' }),
    )
    await house.moveClock('90 days')
    expect(await garden(house)).not.toHaveProperty('stale-stage')
  })
})

describe('an apply beside other writers', () => {
  test('loses no change that somebody makes of the same memory at once', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    await agent.call('memory_write', fact('tides'))
    const { created } = await agent.call('gardener_request', {
      request: 'tidy up',
      operations: [{ op: 'rekind', target: 'tides', to: 'constraint' }],
    })
    await Promise.all([
      agent.call('gardener_apply', { id: created[0] }),
      agent.call('memory_write', fact('tides', { kind: 'constraint', body: 'What the moon does' })),
    ])
    const text = await readFile(join(house.dir, 'memory/atlas/tides.md'), 'utf8')
    expect(text).toContain('What the moon does')
    expect(text).toContain('kind: constraint')
  })
})
