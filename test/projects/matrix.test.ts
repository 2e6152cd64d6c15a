import { describe, expect, test } from 'vitest'
import { catalog } from '../../src/mcp/catalog.ts'
import { CELLS, cross, enter, furnish, LEVELS, type Caller, type Level } from '../helpers/fences.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { WHOLE } from '../helpers/share.ts'

const [WORLD, ATLAS, , LEDGER, , CRYPT] = LEVELS as [Level, Level, Level, Level, Level, Level]
/** One of each level, each tried on all: the others differ from them by name alone. */
const ONE_EACH = [WORLD, ATLAS, LEDGER, CRYPT]

/** Every way in which an agent comes to be somewhere, and from where each is tried. */
const BINDINGS: Record<
  string,
  { from: Level[]; come(house: House, level: Level): Promise<Caller> }
> = {
  bound: {
    from: WHOLE ? LEVELS : ONE_EACH,
    come: async (house, level) => ({
      ...level,
      agent: await house.inside(level.project, level.isolation),
      binding: 'bound',
    }),
  },
  'known by its argument': {
    from: [ATLAS, LEDGER, CRYPT],
    come: async (house, level) => ({
      ...level,
      agent: await house.connect(),
      session: await house.session(level.project),
      binding: 'by argument',
    }),
  },
  'known by a hook alone': {
    from: [ATLAS, LEDGER],
    async come(house, level) {
      await house.session(level.project, { ambient: true })
      // Inference never grants entry: from behind a fence an agent that only a hook knows is nowhere.
      const inside = level.isolation === 'open' ? level : LEVELS[0]!
      return { ...inside, agent: await house.connect(), binding: `ambient in ${level.project}` }
    },
  },
}

describe('between projects, whatever the tool', () => {
  test('every tool stands in the matrix', () => {
    const tools = catalog.map(({ name }) => name)
    expect(Object.keys(CELLS).toSorted()).toEqual(tools.toSorted())
  })

  test.each(Object.keys(BINDINGS))(
    'nothing crosses but what may, for an agent that is %s',
    { timeout: 600_000 },
    async (binding) => {
      await using house = await openHouse()
      const quarters = await furnish(house, LEVELS)
      const wrong: string[] = []
      const { from, come } = BINDINGS[binding]!
      for (const level of from) {
        const caller = await come(house, level)
        for (const target of quarters) {
          for (const tool of Object.keys(CELLS)) {
            wrong.push(...(await cross(house, quarters, { tool, caller, target })))
          }
        }
        await house.app.database.db
          .updateTable('sessions')
          .set({ status: 'completed' })
          .where('ambient', '=', true)
          .execute()
      }
      expect(wrong).toEqual([])
    },
  )

  test('a session that enters a project is told what may be read there', async () => {
    await using house = await openHouse()
    const quarters = await furnish(house, LEVELS)
    const wrong: string[] = []
    for (const target of quarters) wrong.push(...(await enter(house, quarters, target)))
    expect(wrong).toEqual([])
  })
})
