import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { changeBriefing, resetBriefing } from '../../src/briefing/briefing.ts'
import { settings } from '../../src/console/settings/settings.ts'
import { forceUtility, unforceUtility } from '../../src/demand/demand.ts'
import { inTransaction } from '../../src/postgres/transaction.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { ownerOf, type Owner } from './owner.ts'

const SETTINGS = '/console/settings'
const ACTS = ['settings.briefing_changed', 'settings.features_changed', 'settings.families_changed']

let house: House
let owner: Owner
beforeEach(async () => {
  house = await openHouse()
  owner = ownerOf(house)
})
afterEach(() => house[Symbol.asyncDispose]())

const page = async (query = ''): Promise<string> => (await owner.get(SETTINGS + query)).text
type Fields = Record<string, string> | [string, string][]
const post = (path: string, form: Fields, headers?: Record<string, string>) =>
  owner.post(SETTINGS + path, form as Record<string, string>, headers)
const ledTo = ({ status, headers }: Awaited<ReturnType<typeof post>>) => {
  expect(status).toBe(303)
  const url = new URL(String(headers['location']), 'http://loam')
  const { notice, error } = Object.fromEntries(url.searchParams)
  return { at: url.hash, notice, error, query: url.search }
}
const acts = async (): Promise<number> =>
  (await Promise.all(ACTS.map((kind) => house.events(kind)))).flat().length
/** All that the owner can set, as it is kept. */
async function kept(): Promise<unknown> {
  const { db } = house.app.kernel
  const { rows } = await sql`
    select (select jsonb_object_agg(key, value order by key) from settings
        where key in ('briefing_config', 'features_config', 'utility_activation')) as settings,
      (select jsonb_agg(f order by family, project) from families f) as families`.execute(db)
  return rows[0]
}

/** What a field of the page holds now: of a box whether it is ticked. */
function fieldOf(html: string, name: string, within = ''): string | boolean | undefined {
  const from = within === '' ? 0 : html.indexOf(`id="${within}"`)
  expect(from, within).toBeGreaterThanOrEqual(0)
  const rest = html.slice(from)
  const dots = name.replaceAll('.', '\\.')
  const [select] = new RegExp(`<select [^>]*name="${dots}"[\\s\\S]*?</select>`).exec(rest) ?? []
  if (select) return /<option selected>([^<]*)/.exec(select)?.[1]
  const [input = ''] = new RegExp(`<input [^>]*name="${dots}"[^>]*>`).exec(rest) ?? []
  if (input.includes('type="checkbox"')) return input.includes(' checked')
  return /value="([^"]*)"/.exec(input)?.[1]
}

const BRIEFING = {
  ...{ constraint_max_full: '1', convention_max_full: '2', memory_max_items: '30' },
  ...{ memory_max_age_days: '90', findings_count: '5', findings_max_age_days: '14' },
  ...{ ready_tasks_shown: '8', pending_plan_max_days: '3', stage_unknown_max_age_days: '21' },
  ...{ hard_cap_multiplier: '3', sibling_findings_count: '4', include_sibling_memories: '1' },
  ...{ include_parent_memories: '1', utility_weight: '0.75', utility_mode: 'off' },
}

/** Each form: what it holds when it is in order, and for each field what is not allowed, with the words for it. */
const FORMS: {
  path: string
  at: string
  valid: Record<string, string>
  wrong: Record<string, [value: string, words: string][]>
  /** Where the form stands, when more than one has these fields. */
  within?: string
}[] = [
  {
    path: '/briefing',
    at: '#briefing',
    valid: BRIEFING,
    wrong: {
      ...Object.fromEntries(
        Object.keys(BRIEFING)
          .filter((name) => /_(full|items|days|count|shown|multiplier)$/.test(name))
          .map((name): [string, [string, string][]] => [
            name,
            [
              ['-1', `invalid ${name} "-1": it must be a whole number from 0 to`],
              ['1.5', `invalid ${name} 1.5: it must be a whole number from 0 to`],
              ['many', `invalid ${name} "many": it must be a whole number from 0 to`],
              ['1000001', `invalid ${name} 1000001: it must be a whole number from 0 to`],
            ],
          ]),
      ),
      utility_weight: [
        ['-0.1', 'a number from 0 up to 1'],
        ['1.01', 'a number from 0 up to 1'],
        ['Infinity', 'a number from 0 up to 1'],
      ],
      utility_mode: [
        ['', 'one of auto, on, off'],
        ['On', 'one of auto, on, off'],
      ],
      include_parent_memories: [['perhaps', 'valid values are 1, on, true']],
      include_sibling_memories: [['0', 'valid values are 1, on, true']],
    },
  },
  {
    path: '/briefing',
    at: '#utility',
    within: 'utility-form',
    valid: {
      'utility_force.atlas': 'on',
      'utility_force.global': 'off',
      next: `${SETTINGS}#utility`,
    },
    wrong: {
      'utility_force.delta': [
        ['sometimes', 'valid values are auto, on, off'],
        ['', 'valid values are auto, on, off'],
      ],
      'utility_force.nowhere': [['on', 'no project "nowhere"']],
      'utility_force.Not a slug': [['on', 'no project "Not a slug"']],
    },
  },
  {
    path: '/features',
    at: '#features',
    valid: { feature_research: '1', feature_gamification: '1' },
    wrong: {
      feature_research: [['yes', 'valid values are 1']],
      feature_momentum: [['0', 'valid values are 1']],
      feature_gamification: [['on', 'valid values are 1']],
    },
  },
  {
    path: '/families/save',
    at: '#families',
    within: 'new-family',
    valid: { name: 'fleet', members: 'atlas' },
    wrong: {
      name: [
        ['', 'name is missing'],
        ['Big Fleet', 'did you mean "big-fleet"'],
        ['shop', 'there is a family "shop" already'],
        ['x'.repeat(201), '200'],
      ],
      members: [
        ['nowhere', 'no project "nowhere"'],
        ['crypt', 'crypt is sealed'],
        ['global', 'the global scope is none'],
        ['', 'choose its members'],
      ],
      original_name: [['gone', 'no family "gone"']],
    },
  },
  {
    path: '/families/save',
    at: '#families',
    within: 'family-shop',
    valid: { original_name: 'shop', name: 'market', members: 'delta' },
    wrong: {
      name: [['other', 'there is a family "other" already']],
      members: [['crypt', 'sealed']],
    },
  },
  {
    path: '/families/delete',
    at: '#families',
    valid: {},
    wrong: {
      original_name: [
        ['', 'original_name is missing'],
        ['gone', 'no family "gone"'],
      ],
    },
  },
]

const CASES = FORMS.flatMap((form) =>
  Object.entries({
    ...form.wrong,
    mispelt_field: [['1', 'unknown field "mispelt_field": valid ones are ']] as [string, string][],
  }).flatMap(([name, values]) =>
    values.map(([value, words]) => ({
      ...form,
      name,
      value: value as string,
      words: words as string,
    })),
  ),
)

describe('a form of the settings that holds anything wrong', () => {
  beforeEach(async () => {
    for (const project of ['atlas', 'delta']) await house.inside(project)
    await house.inside('crypt', 'sealed')
    await post('/families/save', { name: 'shop', members: 'delta' })
    await post('/families/save', { name: 'other', members: 'delta' })
    await post('/features', { feature_momentum: '1' })
    await post('/briefing', { findings_count: '9', 'utility_force.delta': 'on' })
  })

  test('is tried in each of its fields', () => {
    const declared = (settings.writes ?? []).flatMap(({ path, form }) =>
      Object.keys(form.properties).map((field) => `${path} ${field}`),
    )
    const tried = FORMS.flatMap(({ path, wrong }) =>
      Object.keys(wrong).map((field) => `${path} ${field.split('.')[0]}`),
    )
    expect([...new Set(tried)].sort()).toEqual(declared.sort())
  })

  test.each(CASES)(
    '$path refuses $name "$value" with a flash, saves nothing and keeps what was typed',
    async ({ path, at, valid, name, value, words, within }) => {
      const [before, told] = [await kept(), await acts()]
      const form = { ...valid, [name]: value }
      const led = ledTo(await post(path, form))
      expect([led.at, led.notice]).toEqual([at, undefined])
      expect(led.error).toContain(words)
      expect([await kept(), await acts()]).toEqual([before, told])

      const again = await page(led.query)
      expect(again).toMatch(
        /class="flash flash--error"[^>]*role="alert"|role="alert"[^>]*flash--error/,
      )
      const place = name === 'original_name' && within !== undefined ? 'new-family' : within
      for (const [field, text] of Object.entries(valid)) {
        if (field === name || field === 'next' || field === 'original_name') continue
        const isBox = /^(feature_|include_|members)/.test(field)
        const shown =
          field === 'members' ? memberOf(again, text, place!) : fieldOf(again, field, place)
        expect([field, shown]).toEqual([field, isBox ? true : text])
      }
      const isNumber = path === '/briefing' && /^(?!utility_(mode|force)|include_)/.test(name)
      if (isNumber && name in valid) expect(fieldOf(again, name)).toBe(value)

      const program = await post(path, form, { accept: 'application/json' })
      expect(program.status).toBeGreaterThanOrEqual(400)
      expect(program.status).toBeLessThan(500)
      expect(program.body).toMatchObject({ error: expect.stringContaining(words) })
      expect([await kept(), await acts()]).toEqual([before, told])
    },
    30_000,
  )

  const memberOf = (html: string, slug: string, within: string): boolean =>
    new RegExp(`id="${within}"[\\s\\S]*?name="members" value="${slug}"( checked)?`).exec(
      html,
    )?.[1] !== undefined
})

describe('what is saved', () => {
  test.each([[{}], [{ next: `${SETTINGS}#utility` }]])(
    'is nothing by a form of the briefing that holds nothing: %j',
    async (form) => {
      expect(ledTo(await post('/briefing', form as Record<string, string>)).error).toContain(
        'the form sets nothing',
      )
      expect(await acts()).toBe(0)
    },
  )

  test('is told once, with what has changed and nothing else', async () => {
    await house.inside('atlas')
    await post('/briefing', BRIEFING)
    await post('/briefing', { ...BRIEFING, findings_count: '6' })
    await post('/briefing', { ...BRIEFING, findings_count: '6' })
    await post('/briefing', { 'utility_force.atlas': 'on' })
    await post('/briefing', { 'utility_force.atlas': 'on' })
    const told = (await house.events('settings.briefing_changed')).map(({ payload }) => payload)
    expect(told.slice(1)).toEqual([
      { options: { findings_count: 6 }, by: 'console' },
      { forces: { atlas: 'on' }, by: 'console' },
    ])
    expect(Object.keys((told[0] as { options: object }).options)).toHaveLength(14)
    for (const path of ['/briefing/reset', '/briefing/reset']) await post(path, {})
    expect(await house.events('settings.briefing_changed')).toHaveLength(4)
  })

  test('is not told when features and families stay as they are', async () => {
    await house.inside('atlas')
    for (let n = 0; n < 2; n++) {
      await post('/features', { feature_research: '1' })
      const was: Record<string, string> = n > 0 ? { original_name: 'shop' } : {}
      await post('/families/save', { ...was, name: 'shop', members: 'atlas' })
    }
    expect(await house.events('settings.features_changed')).toHaveLength(1)
    expect(await house.events('settings.families_changed')).toHaveLength(1)
    for (const path of ['/features/reset', '/features/reset']) await post(path, {})
    expect(await house.events('settings.features_changed')).toHaveLength(2)
  })
})

describe('two owners at once', () => {
  test('reset and save one after the other: what is kept is what was told last', async () => {
    const { kernel } = house.app
    for (const project of ['atlas', 'delta']) await house.inside(project)
    for (let round = 0; round < 12; round++) {
      await changeBriefing(kernel, 'console', { forces: { atlas: 'on', delta: 'off' } })
      const save = () =>
        changeBriefing(kernel, 'console', {
          ...{ options: { findings_count: 20 + round }, forces: { '': 'on' } },
        })
      const reset = () => resetBriefing(kernel, 'console')
      await Promise.all(round % 2 === 0 ? [save(), reset()] : [reset(), save()])
      const last = (await house.events('settings.briefing_changed')).at(-1)!
      const { reset: wasReset } = last.payload as { reset?: true }
      const { rows } = await sql<{ key: string; value: any }>`
        select key, value from settings where key in ('briefing_config', 'utility_activation')`.execute(
        kernel.db,
      )
      const of = (key: string) => rows.find((row) => row.key === key)?.value
      expect(of('briefing_config')).toEqual(wasReset ? undefined : { findingsCount: 20 + round })
      expect(of('utility_activation')).toEqual({
        projects: wasReset ? {} : { '': { forced: 'on' } },
      })
      await resetBriefing(kernel, 'console')
    }
  }, 30_000)

  test('a force that is set while all are removed is removed with them', async () => {
    const { kernel } = house.app
    for (const project of ['atlas', 'delta']) await house.inside(project)
    await forceUtility(kernel, { atlas: 'on' })
    let removing: Promise<string[]> | undefined
    await inTransaction(kernel, async (held) => {
      await forceUtility(held, { atlas: 'auto', delta: 'off' })
      removing = unforceUtility(kernel)
      // Whoever reads before it waits has read by now.
      await new Promise((resolve) => setTimeout(resolve, 300))
    })
    expect(await removing).toEqual(['delta'])
    const { rows } = await sql<{ value: any }>`
      select value from settings where key = 'utility_activation'`.execute(kernel.db)
    expect(rows[0]!.value.projects).toEqual({})
  })
})
