import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { embeddingStatus, reembed, switchEmbeddings } from '../../src/embeddings/embeddings.ts'
import { placeOf } from '../../src/console/settings/configuration.ts'
import { kept } from '../../src/console/settings/kept.ts'
import { sizeOf } from '../../src/console/settings/storage.ts'
import { findSetting } from '../../src/kernel/settings.ts'
import { callHook, CODEX } from '../helpers/call-hook.ts'
import { garden } from '../helpers/garden.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { openProvider } from '../helpers/provider.ts'
import { research, tried } from '../helpers/research.ts'
import { ownerOf, type Owner } from './owner.ts'

const SETTINGS = '/console/settings'
const KEY = 'sk-proj-0123456789abcdefghijklmnopqrstuv'

let house: House
let owner: Owner
const open = async (env?: Record<string, string>): Promise<void> => {
  house = await openHouse(env && { env })
  owner = ownerOf(house)
}
const json = async (query = ''): Promise<any> => (await owner.json(SETTINGS + query)).body
const page = async (query = ''): Promise<string> => (await owner.get(SETTINGS + query)).text
const post = (path: string, form: Record<string, string> | [string, string][] = {}) =>
  owner.post(`${SETTINGS}/${path}`, form as Record<string, string>)
/** Where a form has led, and what it said there. */
const ledTo = ({ status, headers }: Awaited<ReturnType<typeof post>>) => {
  expect(status).toBe(303)
  const url = new URL(String(headers['location']), 'http://loam')
  const { notice, error, ...typed } = Object.fromEntries(url.searchParams)
  return { at: url.pathname + url.hash, notice, error, typed, query: url.search }
}
/** A command of the operator as the page offers it: with the whole path of the program. */
const copies = (words: string): RegExp =>
  new RegExp(`data-copy="node \\S+/bin/loam\\.mjs ${words}( --config \\S+)?"`)
const told = async (kind: string) => (await house.events(kind)).map(({ payload }) => payload)

afterEach(() => house[Symbol.asyncDispose]())

describe('the running configuration', () => {
  test('tells each value and where it comes from, and no secret', async () => {
    await open({
      LOAM_SEARCH_SEMANTIC_FLOOR: '0.25',
      LOAM_LLM_OPENAI_API_KEY: KEY,
      LOAM_CAPTURE_ALLOWED_PORTS: '80,8443',
    })
    const { configuration, dataDir, budgets, gardener } = await json()
    const of = (key: string) => configuration.find((one: { key: string }) => one.key === key)
    expect(dataDir).toBe(house.dir)
    expect(budgets).toEqual({
      ...{ maxBriefingTokens: 1500, recallBudgetTokens: 1000, toolEventMaxChars: 4000 },
    })
    expect(gardener).toMatchObject({ enabled: false, intervalMinutes: 60, dedupThreshold: 0.88 })
    expect(of('search.semantic_floor')).toEqual({
      ...{ key: 'search.semantic_floor', value: '0.25', default: '0.3' },
      ...{ source: 'environment', by: 'LOAM_SEARCH_SEMANTIC_FLOOR', about: expect.any(String) },
    })
    expect(of('capture.allowed_ports')).toMatchObject({ value: '80, 8443', default: '80, 443' })
    expect(of('budgets.max_briefing_tokens')).toMatchObject({ value: '1500', source: 'default' })
    expect(of('llm.openai.api_key')).toMatchObject({ value: 'set', source: 'environment' })
    expect(of('llm.anthropic.api_key')).toMatchObject({ value: '', source: 'default' })
    expect(of('mcp.api_key')).toMatchObject({ value: 'set' })
    for (const text of [await page(), JSON.stringify(await json())]) {
      expect(text).not.toContain(KEY)
      expect(text).not.toContain(house.key)
    }
    expect(placeOf('postgres://loam:secret@db.example/loam?password=x')).toBe(
      'db.example:5432/loam',
    )
    expect(placeOf('postgres:///loam?host=/run/pg&user=me')).toBe('/run/pg/loam')
  })

  test('masks whatever may be a secret in the address of a provider', async () => {
    await open({
      LOAM_EMBEDDINGS_BASE_URL: 'https://models.example/v1?api-version=7&key=hushhush-1#hushhush-2',
      LOAM_LLM_OPENAI_BASE_URL: `https://chat.example/${KEY}/v1?code=hushhush-3`,
      LOAM_LLM_ANTHROPIC_BASE_URL: 'https://plain.example/v1',
    })
    const { configuration } = await json()
    const of = (key: string) => configuration.find((one: { key: string }) => one.key === key).value
    expect(of('embeddings.base_url')).toBe('https://models.example/v1?[secret]')
    expect(of('llm.openai.base_url')).toBe('https://chat.example/[secret]/v1?[secret]')
    expect(of('llm.anthropic.base_url')).toBe('https://plain.example/v1')
    const bodies = [await page('?keys=all'), JSON.stringify(await json())]
    const told = [...bodies, (await owner.get('/healthz')).text].join()
    for (const secret of ['hushhush', 'api-version', KEY]) expect(told).not.toContain(secret)
  })

  test('shows what somebody set, and every key when it is asked', async () => {
    await open({ LOAM_SEARCH_SEMANTIC_FLOOR: '0.25' })
    const [some, all] = [await page(), await page('?keys=all')]
    const { configuration } = await json()
    for (const shown of [some, all]) expect(shown).toContain('search.semantic_floor</td>')
    expect(some).not.toContain('sessions.idle_minutes</td>')
    expect(some).toContain(`All ${configuration.length} keys`)
    for (const { key } of configuration) expect(all).toContain(`${key}</td>`)
    expect((await owner.json(`${SETTINGS}?keys=none`)).status).toBe(400)
  })

  test('counts what is set here before the file and the environment', async () => {
    await open({ LOAM_BRIEFING_FINDINGS_COUNT: '5', LOAM_FEATURES_MOMENTUM: 'true' })
    await post('briefing', { findings_count: '7' })
    await post('features', { feature_research: '1' })
    const { configuration } = await json()
    const of = (key: string) => configuration.find((one: { key: string }) => one.key === key)
    expect(of('briefing.findings_count')).toMatchObject({ value: '7', source: 'console' })
    expect(of('features.research')).toMatchObject({ value: 'true', source: 'console' })
    expect(of('features.momentum')).toMatchObject({ value: 'false', source: 'console' })
    expect(of('briefing.ready_tasks_shown')).toMatchObject({ value: '3', source: 'default' })
  })

  test('takes no parameter that is not there, and no page before the first', async () => {
    await open()
    for (const query of ['?scopes=0', '?projects=x', '?scopes=1&scopes=2'])
      expect((await owner.json(SETTINGS + query)).status, query).toBe(400)
    expect((await owner.get(`${SETTINGS}?utm_source=x`)).status).toBe(200)
  })
})

describe('the optional features', () => {
  beforeEach(() => open())

  test('tell what each hides, as screens and tools declare it, and what is kept of it', async () => {
    const agent = await house.connect()
    await research(house)
    await agent.call('session_start', { name: 'one', project: 'atlas' })
    for (const title of ['first', 'second']) await tried(agent, title)
    await research(house, false)
    const { features, featuresConfig } = await json()
    expect(featuresConfig).toEqual({ research: false, momentum: false, gamification: false })
    expect(features.map(({ key }: { key: string }) => key)).toEqual([
      ...['research', 'momentum', 'gamification'],
    ])
    expect(features[0]).toMatchObject({
      ...{ label: 'Research', enabled: false, default: false, field: 'feature_research' },
      ...{ tools: ['lab_open', 'trial_query', 'trial_record'], dataKept: '2 trials in 1 lab' },
      blurb: expect.stringContaining('Labs and trials'),
      whenOff: expect.stringMatching(
        /^Hidden: .*search scope Trials; the tools lab_open, trial_query, trial_record; on other pages: .*trials among what a session left/,
      ),
    })
    expect(features[1]).toMatchObject({ dataKept: '0 moments', enabled: false })
    const shown = await page()
    expect(shown).toContain('2 trials in 1 lab kept')
    expect(shown).toContain('lab_open, trial_query, trial_record')
  })

  test('are switched by one form, in which a box that is not there is off', async () => {
    expect(ledTo(await post('features', { feature_research: '1', feature_momentum: '1' }))).toEqual(
      {
        ...{ at: `${SETTINGS}#features`, notice: 'On: Research, Momentum.', error: undefined },
        ...{ typed: {}, query: expect.any(String) },
      },
    )
    expect(await json()).toMatchObject({
      featuresOverridden: true,
      features: [{ enabled: true }, { enabled: true }, { enabled: false }],
    })
    expect(await page()).toMatch(/name="feature_research" value="1" checked[\s\S]*?Enabled/)
    expect(ledTo(await post('features')).notice).toBe('All optional features are off.')
    expect(await json()).toMatchObject({
      featuresOverridden: true,
      features: [{ enabled: false }, { enabled: false }, { enabled: false }],
    })
    expect(ledTo(await post('features/reset')).notice).toBe('Feature override cleared.')
    expect((await json()).featuresOverridden).toBe(false)
    expect(await told('settings.features_changed')).toMatchObject([
      { features: { research: true, momentum: true, gamification: false }, by: 'console' },
      { features: { research: false, momentum: false, gamification: false }, by: 'console' },
      { reset: true, by: 'console' },
    ])
  })

  test.each([
    [{ feature_researhc: '1' }, 'unknown field "feature_researhc": valid ones are feature_'],
    [{ feature_research: 'yes' }, 'invalid feature_research "yes": valid values are 1'],
    [{ feature_momentum: '1', feature_all: '1' }, 'unknown field "feature_all"'],
  ])('refuse %j with a flash and switch nothing', async (form, words) => {
    await research(house)
    const { at, error, notice } = ledTo(await post('features', form))
    expect([at, notice]).toEqual([`${SETTINGS}#features`, undefined])
    expect(error).toContain(words)
    expect((await json()).features[0].enabled).toBe(true)
    expect(await told('settings.features_changed')).toHaveLength(1)
  })

  test('answer a program in JSON', async () => {
    const accept = { accept: 'application/json' }
    const done = await owner.post(`${SETTINGS}/features`, { feature_momentum: '1' }, accept)
    expect(done.body).toEqual({
      ok: true,
      features: { research: false, momentum: true, gamification: false },
    })
    const refused = await owner.post(`${SETTINGS}/features`, { feature_x: '1' }, accept)
    expect([refused.status, refused.body.error]).toEqual([
      400,
      expect.stringContaining('feature_x'),
    ])
  })
})

/** All fifteen, each otherwise than it is configured. */
const FORM = {
  ...{ constraint_max_full: '1', convention_max_full: '2', memory_max_items: '30' },
  ...{ memory_max_age_days: '90', findings_count: '5', findings_max_age_days: '14' },
  ...{ ready_tasks_shown: '8', pending_plan_max_days: '3', stage_unknown_max_age_days: '21' },
  ...{ hard_cap_multiplier: '3', sibling_findings_count: '4', include_sibling_memories: '1' },
  ...{ utility_weight: '0.75', utility_mode: 'on' },
}

describe('the briefing', () => {
  beforeEach(() => open())

  test('is set in fifteen fields, each with its source, and counts from the next one on', async () => {
    expect((await json()).briefing).toMatchObject({ constraintMaxFull: 4, utilityMode: 'auto' })
    expect(ledTo(await post('briefing', FORM))).toMatchObject({
      at: `${SETTINGS}#briefing`,
      notice: 'Briefing settings saved.',
    })
    const { briefing, briefingOverridden } = await json()
    expect(briefing).toEqual({
      ...{ constraintMaxFull: 1, conventionMaxFull: 2, memoryMaxItems: 30, memoryMaxAgeDays: 90 },
      ...{ findingsCount: 5, findingsMaxAgeDays: 14, readyTasksShown: 8, pendingPlanMaxDays: 3 },
      ...{ stageUnknownMaxAgeDays: 21, hardCapMultiplier: 3, includeParentMemories: false },
      ...{ siblingFindingsCount: 4, includeSiblingMemories: true },
      ...{ utilityWeight: 0.75, utilityMode: 'on' },
    })
    expect(briefingOverridden).toBe(true)
    const shown = await page()
    expect(shown.match(/setting-source--console/g)!.length).toBeGreaterThanOrEqual(15)
    expect(shown).toContain('configured 4')
    expect(await told('settings.briefing_changed')).toMatchObject([
      { options: { findings_count: 5, include_parent_memories: false }, by: 'console' },
    ])

    const agent = await house.connect()
    for (const name of ['one', 'two', 'three'])
      await agent.call('memory_write', {
        ...{ name, kind: 'constraint', description: `Rule ${name}`, body: 'b', project: 'atlas' },
      })
    const { briefing: text } = await agent.call('session_start', { name: 's', project: 'atlas' })
    expect(String(text).match(/Rule (?:one|two|three)/g)).toHaveLength(1)
  })

  test('stores what differs from the configuration, and the rest goes on following it', async () => {
    await post('briefing', { ...FORM, findings_count: '3', include_parent_memories: '1' })
    const stored = await findSetting(house.app.kernel.db, 'briefing_config')
    expect(stored).not.toHaveProperty('findingsCount')
    expect(stored).toMatchObject({ constraintMaxFull: 1, utilityMode: 'on' })
    const { briefing } = house.app.kernel.config
    const same = Object.entries(briefing)
      .filter(([, value]) => value !== false)
      .map(([name, value]): [string, string] => [name, value === true ? '1' : String(value)])
    await post('briefing', same)
    expect(await findSetting(house.app.kernel.db, 'briefing_config')).toBeUndefined()
    expect((await json()).briefingOverridden).toBe(false)
  })

  test('takes a blank number for 0, and leaves what a form does not have', async () => {
    await post('briefing', {
      findings_count: ' ',
      ready_tasks_shown: '9',
      include_parent_memories: 'on',
    })
    expect((await json()).briefing).toMatchObject({
      ...{ findingsCount: 0, readyTasksShown: 9, constraintMaxFull: 4 },
      ...{ includeParentMemories: true, includeSiblingMemories: false, utilityMode: 'auto' },
    })
  })

  test.each([
    ['constraint_max_full', '-1', 'a whole number from 0 to 1000000'],
    ['findings_count', '2.5', 'a whole number from 0 to 1000000'],
    ['ready_tasks_shown', 'three', 'a whole number from 0 to 1000000'],
    ['memory_max_items', '1e3', 'a whole number from 0 to 1000000'],
    ['memory_max_age_days', '9999999', 'a whole number from 0 to 1000000'],
    ['hard_cap_multiplier', '101', 'a whole number from 0 to 100'],
    ['utility_weight', '1.01', 'a number from 0 up to 1'],
    ['utility_weight', 'NaN', 'a number from 0 up to 1'],
    ['utility_mode', 'maybe', 'one of auto, on, off'],
    ['utility_mode', '', 'one of auto, on, off'],
    ['include_parent_memories', 'perhaps', 'valid values are 1, on, true'],
    ['utility_force.atlas', 'sometimes', 'valid values are auto, on, off'],
    ['utility_force.nowhere', 'on', 'no project "nowhere"'],
  ])(
    'refuses %s %j with a flash, saves nothing, and keeps what was typed',
    async (name, value, words) => {
      await house.inside('atlas')
      const before = await json()
      const { at, error, typed, query } = ledTo(
        await post('briefing', {
          ...FORM,
          utility_mode: 'auto',
          findings_max_age_days: '77',
          [name]: value,
        }),
      )
      expect(at).toBe(`${SETTINGS}#briefing`)
      expect(error).toContain(words)
      expect(typed).toMatchObject({ 'typed.findings_max_age_days': '77' })
      expect(await json()).toMatchObject({
        ...{ briefing: before.briefing, briefingOverridden: false },
        utilityRows: before.utilityRows,
      })
      expect(await told('settings.briefing_changed')).toEqual([])
      const again = await page(query)
      expect(again).toContain('role="alert"')
      expect(again).toMatch(/name="findings_max_age_days" value="77"/)
      expect(again).toMatch(/name="include_sibling_memories" value="1"[^>]* checked/)
      if (name !== 'include_parent_memories')
        expect(again).not.toMatch(/name="include_parent_memories" value="1"[^>]* checked/)
    },
  )

  test('marks the field that is wrong, and says what it may hold', async () => {
    const { query } = ledTo(await post('briefing', { ...FORM, findings_count: '<b>x' }))
    const again = await page(query)
    expect(again).toMatch(/value="&#60;b&#62;x"|value="&lt;b&gt;x"/)
    expect(again).toMatch(/id="field-findings_count"[^>]*aria-invalid="true"/)
    expect(again).toContain('must be a whole number from 0 to 1000000')
    expect(again.match(/aria-invalid/g)).toHaveLength(1)
  })

  test('is given back to the configuration, forced scopes included', async () => {
    await post('briefing', { ...FORM, 'utility_force.global': 'on' })
    expect(ledTo(await post('briefing/reset')).notice).toBe('Briefing override cleared.')
    const { briefing, briefingOverridden, utilityRows } = await json()
    expect([briefing.constraintMaxFull, briefingOverridden]).toEqual([4, false])
    expect(utilityRows.some((row: { forced?: string }) => row.forced)).toBe(false)
    expect(await told('settings.briefing_changed')).toMatchObject([
      { forces: { '': 'on' } },
      { reset: true, by: 'console' },
    ])
  })
})

describe('the order by utility', () => {
  beforeEach(() => open())

  /** Reads of so many items, each in a session of its own, so long ago. */
  const ask = async (project: string, { items = 1, times = 1, days = 0 }) => {
    await sql`
      insert into events (id, ts, kind, transport, session_id, project, item_id)
      select gen_random_uuid()::text, loam_now() - ${days} * interval '1 day', 'note.read', false,
        gen_random_uuid()::text, ${project}, ${project} || i
      from generate_series(1, ${items}::int) i, generate_series(1, ${times}::int)`.execute(
      house.app.kernel.db,
    )
  }

  test('has a row for each scope: its gates, what it lacks, and what becomes of it', async () => {
    await house.inside('atlas')
    await house.inside('ledger', 'confidential')
    await ask('atlas', { items: 10, times: 2, days: 15 })
    await ask('delta', { items: 3, days: 2 })
    const { utilityRows, utilityReady, utilityTotal } = await json()
    expect([utilityReady, utilityTotal]).toEqual([[20, 10, 14], 4])
    expect(utilityRows).toEqual([
      {
        ...{ project: 'atlas', status: 'armed', recentEvents: 20, recentMemories: 10 },
        ...{ ageDays: 15, eventsOK: true, memoriesOK: true, ageOK: true },
      },
      {
        ...{ project: 'delta', status: 'building', recentEvents: 3, recentMemories: 3 },
        ...{ ageDays: 2, eventsOK: false, memoriesOK: false, ageOK: false },
        remaining:
          '17 more demand events in 30 days, 7 more items asked for, 12 more days of history',
      },
      {
        ...{ project: 'global', status: 'building', recentEvents: 0, recentMemories: 0 },
        ...{ ageDays: 0, eventsOK: false, memoriesOK: false, ageOK: false },
      },
      expect.objectContaining({ project: 'ledger', status: 'building' }),
    ])
    const shown = await page()
    expect(shown).toContain('17 demands, 7 items, 12 days')
    expect(shown).toContain('nothing was asked')
  })

  test('is forced for single scopes by a form of their own, and nothing else is changed', async () => {
    await house.inside('atlas')
    await post('briefing', { findings_count: '6' })
    expect(
      ledTo(
        await post('briefing', {
          ...{ 'utility_force.atlas': 'on', 'utility_force.global': 'auto' },
          next: `${SETTINGS}#utility`,
        }),
      ),
    ).toMatchObject({ at: `${SETTINGS}#utility`, notice: 'Scopes saved.' })
    const { utilityRows, briefing } = await json()
    expect(utilityRows[0]).toMatchObject({ project: 'atlas', status: 'active', forced: 'on' })
    expect(briefing).toMatchObject({ findingsCount: 6, includeParentMemories: false })
    expect((await told('settings.briefing_changed')).at(-1)).toEqual({
      ...{ forces: { atlas: 'on' }, by: 'console' },
    })
    await post('briefing', { 'utility_force.atlas': 'off' })
    expect((await json()).utilityRows).toContainEqual(
      expect.objectContaining({ project: 'atlas', status: 'forced-off', forced: 'off' }),
    )
    await post('briefing', { 'utility_force.atlas': 'auto' })
    expect((await json()).utilityRows.some((row: { forced?: string }) => row.forced)).toBe(false)
    expect(await findSetting(house.app.kernel.db, 'utility_activation')).toEqual({ projects: {} })
  })

  test('says that the single scopes rest while the mode is on or off everywhere', async () => {
    const rests = async () => (await page()).includes('The mode is off everywhere.')
    expect(await rests()).toBe(false)
    await post('briefing', { utility_mode: 'off' })
    expect(await rests()).toBe(true)
  })

  test('tells when each scope was unlocked, while momentum is on', async () => {
    await ask('atlas', { items: 10, times: 2, days: 15 })
    await garden(house)
    const { utilityRows } = await json()
    expect(utilityRows[0]).toMatchObject({ status: 'active', readyAt: expect.any(String) })
    expect(await json()).not.toHaveProperty('witnessed')
    expect(await page()).not.toMatch(/unlocked <time/)
    await post('features', { feature_momentum: '1' })
    expect((await json()).witnessed).toEqual([
      { project: 'atlas', readyAt: utilityRows[0].readyAt },
    ])
    expect(await page()).toMatch(/unlocked <time/)
  })

  test('goes on over several pages where there are many scopes', async () => {
    const { db } = house.app.kernel
    await sql`
      insert into projects (id, slug, name, isolation)
      select 'P' || n, 'p-' || lpad(n::text, 3, '0'), 'P', 'open' from generate_series(1, 35) n`.execute(
      db,
    )
    const [first, second] = [await json(), await json('?scopes=2&projects=2')]
    expect([first.utilityRows.length, first.utilityTotal]).toEqual([25, 36])
    expect(second.utilityRows).toHaveLength(11)
    expect([first.workspaces.length, first.workspaceTotal]).toEqual([25, 35])
    expect(second.workspaces).toHaveLength(10)
    expect(await page()).toContain('href="/console/settings?scopes=2#utility"')
    expect(await page('?projects=2')).toContain('href="/console/settings?projects=1#projects"')
  })

  test('a page past the last one says so, counts what there is and leads back to what there is', async () => {
    const { db } = house.app.kernel
    await sql`
      insert into projects (id, slug, name, isolation)
      select 'P' || n, 'p-' || lpad(n::text, 3, '0'), 'P', 'open' from generate_series(1, 35) n`.execute(
      db,
    )
    const past = '?scopes=9&projects=12'
    expect(await json(past)).toMatchObject({
      ...{ utilityRows: [], utilityTotal: 36, workspaces: [], workspaceTotal: 35 },
    })
    const shown = await page(past)
    expect(shown).toContain('Nothing stands on page 9.')
    expect(shown).toContain('Nothing stands on page 12.')
    expect(shown).toContain('href="/console/settings?scopes=2#utility" rel="prev"')
    expect(shown).toContain('href="/console/settings?projects=2#projects" rel="prev"')
    expect(shown).not.toContain('No project yet.')
    expect(shown).not.toContain('Save scopes')
    expect(shown).not.toContain('rel="next"')
  })

  test('a refused scope of a later page leads back to that page, with what was chosen there', async () => {
    const { db } = house.app.kernel
    await sql`
      insert into projects (id, slug, name, isolation)
      select 'P' || n, 'p-' || lpad(n::text, 3, '0'), 'P', 'open' from generate_series(1, 35) n`.execute(
      db,
    )
    const [, next = ''] = /name="next" value="([^"]*)"/.exec(await page('?scopes=2')) ?? []
    expect(next).toBe(`${SETTINGS}?scopes=2#utility`)
    const { at, query } = ledTo(
      await post('briefing', {
        next,
        'utility_force.p-030': 'off',
        'utility_force.p-031': 'maybe',
      }),
    )
    expect(at).toBe(`${SETTINGS}#utility`)
    const again = await page(query)
    expect(again).toMatch(
      /name="utility_force\.p-030"[^>]*>(?:(?!<\/select>).)*<option selected>off/,
    )
    expect((await json()).utilityRows.some((row: { forced?: string }) => row.forced)).toBe(false)
  })
})

describe('families', () => {
  beforeEach(async () => {
    await open()
    for (const project of ['atlas', 'delta', 'harbor']) await house.inside(project)
    await house.inside('crypt', 'sealed')
  })
  const save = (form: Record<string, string>, ...members: string[]) =>
    post('families/save', [
      ...Object.entries(form),
      ...members.map((slug): [string, string] => ['members', slug]),
    ])
  const families = async () =>
    (await json()).families.map(({ name, members }: any) => [name, ...members])

  test('are made, renamed, given other members and ended', async () => {
    expect(ledTo(await save({ name: 'shop' }, 'delta', 'atlas'))).toMatchObject({
      ...{ at: `${SETTINGS}#families`, notice: 'Family shop created.' },
    })
    expect(await families()).toEqual([['shop', 'atlas', 'delta']])
    const renamed = await save({ name: 'market', original_name: 'shop' }, 'atlas', 'harbor')
    expect(ledTo(renamed).notice).toBe('Family market updated.')
    expect(await families()).toEqual([['market', 'atlas', 'harbor']])
    expect(ledTo(await post('families/delete', { original_name: 'market' })).notice).toBe(
      'Family market deleted.',
    )
    expect(await families()).toEqual([])
    expect(await told('settings.families_changed')).toEqual([
      { family: 'shop', members: ['atlas', 'delta'], by: 'console' },
      { family: 'market', was: 'shop', members: ['atlas', 'harbor'], by: 'console' },
      { family: 'market', members: [], by: 'console' },
    ])
  })

  test('offer whoever may join, and keep a member that is retired or gone', async () => {
    await save({ name: 'shop' }, 'delta', 'harbor')
    const { db } = house.app.kernel
    await sql`update projects set retired_at = loam_now() where slug = 'delta'`.execute(db)
    await sql`delete from projects where slug = 'harbor'`.execute(db)
    const { familyEditors, familyOptions } = await json()
    expect(familyEditors).toMatchObject([{ name: 'shop', members: ['delta', 'harbor'] }])
    expect(familyEditors[0].options).toEqual([
      { slug: 'delta', registered: true, retired: true, selected: true },
      { slug: 'harbor', registered: false, retired: false, selected: true },
      { slug: 'atlas', registered: true, retired: false, selected: false },
    ])
    expect(familyOptions).toEqual([
      { slug: 'atlas', registered: true, retired: false, selected: false },
    ])
    const shown = await page()
    expect(shown).toMatch(/value="delta" checked[\s\S]{0,80}retired/)
    expect(shown).toMatch(/value="harbor" checked[\s\S]{0,80}not registered/)
    const saved = await save({ name: 'shop', original_name: 'shop' }, 'delta', 'harbor', 'atlas')
    expect(ledTo(saved).notice).toBe('Family shop updated.')
  })

  test.each([
    [{ name: '' }, ['atlas'], 'name is missing'],
    [{ name: 'Big Shop' }, ['atlas'], 'did you mean "big-shop"'],
    [{ name: 'taken' }, ['atlas'], 'there is a family "taken" already'],
    [{ name: 'new', original_name: 'gone' }, ['atlas'], 'no family "gone"'],
    [{ name: 'new' }, [], 'choose its members'],
    [{ name: 'new' }, ['atlas', 'nowhere'], 'no project "nowhere"'],
    [{ name: 'new' }, ['atlas', 'crypt'], 'crypt is sealed'],
    [{ name: 'new' }, ['global'], 'the global scope is none'],
    [{ name: 'taken', original_name: 'other' }, ['atlas'], 'there is a family "taken" already'],
  ])(
    'refuse %j with %j by a flash, change nothing and keep what was typed',
    async (form, members, words) => {
      await save({ name: 'taken' }, 'delta')
      await save({ name: 'other' }, 'delta')
      const { at, error, query } = ledTo(await save(form as Record<string, string>, ...members))
      expect(at).toBe(`${SETTINGS}#families`)
      expect(error).toContain(words)
      expect(await families()).toEqual([
        ['other', 'delta'],
        ['taken', 'delta'],
      ])
      expect(await told('settings.families_changed')).toHaveLength(2)
      const again = await page(query)
      const { original_name: original = '' } = form as { original_name?: string }
      const id = ['', 'gone'].includes(original) ? 'new-family' : `family-${original}`
      const [, own = ''] = new RegExp(`id="${id}"[^>]* open>([\\s\\S]*?)</form>`).exec(again) ?? []
      expect(own).toContain(`name="name" value="${form.name}"`)
      expect(own.includes('gone has ended or is called otherwise')).toBe(original === 'gone')
      if (members.includes('atlas')) expect(own).toMatch(/value="atlas" checked/)
    },
  )

  test('cannot be ended without a name, or twice', async () => {
    await save({ name: 'shop' }, 'atlas')
    expect(ledTo(await post('families/delete')).error).toContain('original_name is missing')
    await post('families/delete', { original_name: 'shop' })
    expect(ledTo(await post('families/delete', { original_name: 'shop' })).error).toBe(
      'no family "shop"',
    )
  })

  test('have ids that nothing else on the page has, whatever they are called', async () => {
    const names = ['new', 'shop', 'form-shop', 'form-of-family-shop', 'new-family', 'name']
    for (const name of names) await save({ name }, 'atlas', 'delta')
    const ids = [...(await page('?keys=all')).matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!)
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
    for (const name of names) expect(ids).toContain(`family-${name}`)
    const forms = [...(await page()).matchAll(/ form="([^"]*)"/g)].map(([, id]) => id!)
    expect(forms.length).toBeGreaterThan(names.length)
    for (const form of forms) expect(ids).toContain(form)
  })

  test('keep what was typed for one that was renamed or ended meanwhile', async () => {
    await save({ name: 'shop' }, 'atlas')
    await save({ name: 'market', original_name: 'shop' }, 'atlas')
    const { error, query } = ledTo(
      await save({ name: 'bazaar', original_name: 'shop' }, 'delta', 'harbor'),
    )
    expect(error).toBe('no family "shop"')
    const again = await page(query)
    const [, own = ''] = /id="new-family" open>([\s\S]*?)<\/form>/.exec(again) ?? []
    expect(own).toContain('shop has ended or is called otherwise.')
    expect(own).toContain('name="name" value="bazaar"')
    expect(own).not.toContain('original_name')
    for (const slug of ['delta', 'harbor']) expect(own).toContain(`value="${slug}" checked`)
    expect(own).not.toContain('value="atlas" checked')
    expect(await families()).toEqual([['market', 'atlas']])
    expect(ledTo(await save({ name: 'bazaar' }, 'delta', 'harbor')).notice).toBe(
      'Family bazaar created.',
    )
  })

  test('are typed where there are more projects than boxes', async () => {
    const { db } = house.app.kernel
    await sql`
      insert into projects (id, slug, name, isolation)
      select 'P' || n, 'z-' || lpad(n::text, 3, '0'), 'P', 'open' from generate_series(1, 60) n`.execute(
      db,
    )
    const shown = await page()
    expect(shown).toContain('list="project-names"')
    expect(shown).toContain('<option value="z-060">')
    await save({ name: 'shop' }, 'atlas', 'z-059, z-060')
    expect(await families()).toEqual([['shop', 'atlas', 'z-059', 'z-060']])
  })
})

describe('registered projects', () => {
  beforeEach(() => open())

  test('are told with parent, level, families and places, and places without a project apart', async () => {
    for (const project of ['atlas', 'atlas-web']) await house.inside(project)
    await house.inside('ledger', 'confidential')
    const { db } = house.app.kernel
    await sql`update projects set parent_slug = 'atlas', description = 'The site' where slug = 'atlas-web'`.execute(
      db,
    )
    await sql`update projects set retired_at = loam_now() where slug = 'ledger'`.execute(db)
    await sql`
      insert into repos (place, remote, project, sighted) values
        ('/src/atlas', false, 'atlas', true), ('github.com/acme/atlas', true, 'atlas', true),
        ('/src/lost', false, 'lost', true)`.execute(db)
    await post('families/save', { name: 'web', members: 'atlas-web' })
    const { workspaces, unboundRepos, repoMap, projects } = await json()
    expect(projects).toEqual(['atlas', 'atlas-web', 'ledger'])
    expect(workspaces).toMatchObject([
      {
        ...{ slug: 'atlas', name: 'atlas', isolation: 'open', families: [], places: 2 },
        repos: ['/src/atlas', 'github.com/acme/atlas'],
      },
      { slug: 'atlas-web', parent: 'atlas', description: 'The site', families: ['web'], repos: [] },
      { slug: 'ledger', isolation: 'confidential', retired: expect.any(String) },
    ])
    expect(unboundRepos).toEqual([{ repo: '/src/lost', project: 'lost' }])
    expect(repoMap).toHaveLength(3)
    expect(await page()).toContain('→ lost, which is not registered')
  })
})

describe('connected clients', () => {
  beforeEach(() => open())

  test('tell when each hook was answered last, and why one failed', async () => {
    expect(await page()).toContain('No hook ever came.')
    await callHook(house, 'session-start', { session_id: 's', cwd: '/x', source: 'startup' })
    await callHook(house, 'stop', { session_id: 't' }, CODEX)
    await house.app.kernel.telemetry.flush()
    const { db } = house.app.kernel
    await sql`
      insert into hook_answers (client, hook, answered_at, failed_at, cause)
      values ('codex', 'session-end', loam_now() - interval '1 day', loam_now(), 'no answer within 2 s')`.execute(
      db,
    )
    const { clients } = await json()
    expect(clients.map(({ client, live, hooks }: any) => [client, live, hooks.length])).toEqual(
      expect.arrayContaining([
        ['claude-code', 1, 8],
        ['codex', 0, 8],
      ]),
    )
    const hook = (client: string, hook: string) =>
      clients
        .find((one: { client: string }) => one.client === client)
        .hooks.find((one: { hook: string }) => one.hook === hook)
    expect(hook('claude-code', 'session-start')).toEqual({
      ...{ hook: 'session-start', answeredAt: expect.any(String) },
    })
    expect(hook('claude-code', 'stop')).toEqual({ hook: 'stop' })
    expect(hook('codex', 'session-end')).toMatchObject({
      ...{ answeredAt: expect.any(String), failedAt: expect.any(String) },
      cause: 'no answer within 2 s',
    })
    const shown = await page()
    expect(shown).toMatch(/<b>session-end<\/b> failed .*: no answer within 2 s/)
    expect(shown).toMatch(/href="#clients"><span>Clients<\/span><small class="glyph--attention">/)
  })

  test('tell which programs hold connections of the tools', async () => {
    await house.connect('carol')
    await house.connect('carol')
    const { connections } = await json()
    expect(connections).toEqual([
      {
        client: 'carol',
        version: expect.any(String),
        connections: 2,
        lastSeen: expect.any(String),
      },
    ])
  })
})

describe('the semantic index', () => {
  test.each([
    [{ LOAM_EMBEDDINGS_PROVIDER: 'off' }, 'embeddings.provider is off', false],
    [{}, 'nothing is learned yet: it begins at 300 passages', false],
    [{ LOAM_EMBEDDINGS_PROVIDER: 'openai' }, 'the key of the embedding provider is missing', false],
  ])('is off with %j, and says exactly why', async (env, reason, misconfigured) => {
    await open(env as Record<string, string>)
    const { embeddings } = await json()
    expect(embeddings).toMatchObject({ enabled: false, misconfigured, restartNeeded: false })
    expect(embeddings.reason).toContain(reason)
    const shown = await page()
    expect(shown).toContain(reason)
    expect(shown).toMatch(copies('embeddings off'))
    expect(shown).not.toMatch(copies('embeddings reembed'))
  })

  test('tells its model, its vectors and what waits, and offers what the owner can say', async () => {
    await using provider = await openProvider({ dims: 256 })
    await open(provider.env)
    const agent = await house.connect()
    await agent.call('session_start', { name: 'one', project: 'atlas' })
    await agent.call('notes_create', { title: 'Tides', body: 'the moon pulls the sea' })
    const { kernel } = house.app
    await expect
      .poll(async () => (await embeddingStatus(kernel)).backlog, { timeout: 60_000 })
      .toBe(0)
    await sql`insert into models (name, dims) values ('old@64', 64)`.execute(kernel.db)
    await agent.call('notes_create', { title: 'Bread', body: 'flour and water' })
    await expect
      .poll(async () => (await embeddingStatus(kernel)).backlog, { timeout: 60_000 })
      .toBe(0)
    await sql`
      update vectors set model = (select number from models where name = 'old@64')
      where id = (select id from notes where title = 'Bread')`.execute(kernel.db)
    const { embeddings } = await json()
    expect(embeddings).toMatchObject({
      ...{ enabled: true, provider: 'openai', reason: '', overriddenOff: false, modeOff: false },
      ...{ restartNeeded: false, total: 2, missing: 0, stale: 1, backlog: 0, failed: 0 },
      models: [
        { model: 'old', dims: 64, count: 1, notes: 1, stale: true },
        { dims: 256, count: 1, memories: 0, notes: 1, stale: false },
      ],
      reembed: { running: false, total: 0, done: 0, failed: 0 },
    })
    const shown = await page()
    expect(shown).toMatch(/old[\s\S]{0,400}stale/)
    expect(shown).toMatch(copies('embeddings reembed'))
    expect((await owner.post(`${SETTINGS}/embeddings/reembed`)).status).toBe(404)

    provider.fault = { delay: 30_000 }
    await reembed(kernel)
    const running = (await json()).embeddings.reembed
    expect(running).toMatchObject({ running: true, total: 2, startedAt: expect.any(String) })
    const busy = await page()
    expect(busy).toMatch(/<progress max="2" value="\d"/)
    expect(busy).toContain('&#34;every&#34;:5')
  })

  test('tells what a configured model has yet to read, and what answers until then', async () => {
    await using provider = await openProvider({ dims: 256 })
    provider.fault = { delay: 5_000 }
    await open(provider.env)
    const agent = await house.connect()
    await agent.call('notes_create', { title: 'Tides', body: 'the moon', project: 'atlas' })
    const told =
      /<b>words reads the store<\/b>[^<]*<span[^>]*>0 of 1 passages; until then words alone answer/
    expect(await page()).toMatch(told)
    provider.fault = undefined
    await expect.poll(() => page(), { timeout: 60_000 }).not.toContain('reads the store')
  })

  test('tells how the model that was learned does on questions made of the passages', async () => {
    await open()
    const checked = { weight: 0.2, questions: 120, words: { five: 0.7 }, fused: { five: 0.775 } }
    await sql`insert into models (name, dims, learned, state, passages, checked)
      values ('store-1@128', 128, true, 'serving', 1200, ${JSON.stringify(checked)}::jsonb)`.execute(
      house.app.kernel.db,
    )
    expect((await page()).replaceAll(/<[^>]+>/g, '')).toMatch(
      /of 1,200 passages,[\s\S]*weight 0\.20 beside the words · of 120 questions made of the passages 78 % had their item among the first five, by words alone 70 %/,
    )
  })

  test('says that a restart is pending once the switch was turned', async () => {
    await using provider = await openProvider({ dims: 256 })
    await open(provider.env)
    const pending = async () => {
      const { embeddings } = await json()
      return [embeddings.restartNeeded, (await page()).includes('A restart is pending.')]
    }
    expect(await pending()).toEqual([false, false])
    await switchEmbeddings(house.app.kernel, 'off')
    expect(await pending()).toEqual([true, true])
    expect(await page()).toMatch(copies('embeddings auto'))
    await switchEmbeddings(house.app.kernel, 'auto')
    expect(await pending()).toEqual([false, false])
  })

  test('tells what keeps it, and how many have failed', async () => {
    await using provider = await openProvider({ dims: 256 })
    await open(provider.env)
    provider.fault = { status: 401 }
    const agent = await house.connect()
    await agent.call('notes_create', { title: 'Tides', body: 'the moon', project: 'atlas' })
    await expect
      .poll(async () => (await json()).embeddings.trouble?.cause, { timeout: 60_000 })
      .toContain('401')
    expect(await page()).toMatch(/Held up[\s\S]{0,200}401/)
  })

  test('is counted for every page of a small store, and behind the pages of a large one', async () => {
    await open()
    let [now, counts] = [0, 0]
    const count = kept(
      async () => {
        now += 500
        return ++counts
      },
      () => now,
    )
    expect((await count(false)).value).toBe(1)
    expect(await count(false)).toMatchObject({ value: 2, fresh: true })
    expect(await count(true), 'what was counted already').toMatchObject({ value: 2, fresh: false })
    now += 49_000
    expect((await count(true)).value).toBe(2)
    now += 2_000
    expect((await count(true)).value, 'nobody waits for the next count').toBe(2)
    await expect.poll(() => counts).toBe(3)
    expect((await count(true)).value).toBe(3)
  })
})

describe('storage and files', () => {
  beforeEach(() => open())

  test('tell where the database is, how large, and its schema', async () => {
    const { database, disk, dataDir } = await json()
    const { rows } = await sql<{ schema: number }>`
      select max(number) as schema from schema_migrations`.execute(house.app.kernel.db)
    expect(database).toMatchObject({
      ...{ kind: house.app.database.kind, schemaVersion: rows[0]!.schema },
      ...{ sizeBytes: expect.any(Number), sizeHuman: expect.stringMatching(/^[\d.]+ [kMG]B$/) },
    })
    expect(database.sizeBytes).toBeGreaterThan(1_000_000)
    expect(database.walBytes).toBeGreaterThan(0)
    if (database.kind === 'embedded') expect(database.path).toBe(join(house.dir, 'db'))
    expect(disk).toMatchObject({ path: dataDir, freeBytes: expect.any(Number), short: false })
    expect([0, 999, 1000, 999_499, 999_500, 1_300_000_000].map(sizeOf)).toEqual([
      ...['0 B', '999 B', '1 kB', '999 kB', '1 MB', '1.3 GB'],
    ])
  })

  test('name each file that cannot be read, with the command, until it can', async () => {
    const agent = await house.connect()
    await agent.call('notes_create', { title: 'Tides', body: 'b', project: 'atlas' })
    expect(await page()).toContain('Every file that is there was read.')
    const [path = ''] = await house.files()
    await writeFile(join(house.dir, path), '---\n{{{\n---\n')
    await expect.poll(async () => (await json()).files.unreadable, { timeout: 20_000 }).toBe(1)
    const { files } = await json()
    expect(files).toMatchObject({
      ...{ behind: false, unreadable: 1 },
      problems: [{ path, problem: expect.any(String), command: expect.stringContaining(path) }],
    })
    const shown = await page()
    expect(shown).toContain(files.problems[0].problem)
    expect(shown).toMatch(/href="#files"><span>Files<\/span><small[^>]*>.*1</)
  })

  test('say why nothing can be kept at the moment', async () => {
    house.app.kernel.vault.health.failed('storage full')
    expect((await json()).files.storage).toBe('storage full')
    expect(await page()).toContain('<b>Nothing can be kept at the moment.</b> storage full')
    house.app.kernel.vault.health.fine()
    expect((await json()).files).not.toHaveProperty('storage')
  })
})

test('every change refreshes the pages that are open, and the settings part by part', async () => {
  await open()
  const concerns = async (path: string) => {
    const [, told = ''] = /<main [^>]*data-live="([^"]*)"/.exec((await owner.get(path)).text) ?? []
    return JSON.parse(told.replaceAll('&#34;', '"').replaceAll('&quot;', '"'))
  }
  for (const path of ['/console/notes', '/console/', '/console/now'])
    expect(JSON.stringify((await concerns(path)).page), path).toContain('settings.features_changed')
  const { page, parts } = await concerns(SETTINGS)
  expect(page).toEqual([{ kinds: ['settings.features_changed'] }])
  expect(parts.briefing).toEqual([{ kinds: ['settings.briefing_changed'] }])
  expect(JSON.stringify(parts.families)).toContain('settings.families_changed')
  for (const part of Object.keys(parts)) {
    const { status, text } = await owner.get(`${SETTINGS}?parts=${part}`)
    expect([part, status]).toEqual([part, 200])
    expect(text).toContain(`id="${part}"`)
  }
})

describe('the index beside the settings', () => {
  beforeEach(() => open())

  test('lists every section there is, in its order, and none besides', async () => {
    const shown = await page()
    const listed = [...shown.matchAll(/<a href="#([^"]*)"><span>/g)].map(([, id]) => id)
    const sections = [...shown.matchAll(/<section class="setting" id="([^"]*)"/g)].map(
      ([, id]) => id,
    )
    expect(listed).toEqual(sections)
    expect(sections.length).toBeGreaterThanOrEqual(10)
    for (const id of sections)
      expect(shown).toMatch(new RegExp(`id="${id}" aria-labelledby="[a-z-]+-name"`))
  })
})

describe('lists that are cut', () => {
  beforeEach(() => open())

  test('say how many more there are, and lead to all of them', async () => {
    const { db } = house.app.kernel
    await sql`
      insert into hooks_heard (client, at)
      select 'client-' || n, loam_now() from generate_series(1, 23) n`.execute(db)
    await sql`
      insert into mcp_sessions (id, client, client_version, protocol_version)
      select 'connection-' || n, 'program-' || n, '1', '2025-11-25' from generate_series(1, 24) n`.execute(
      db,
    )
    await sql`
      insert into repos (place, remote, project, sighted)
      select '/src/' || n, false, 'lost', true from generate_series(1, 205) n`.execute(db)
    await sql`
      insert into families (family, project) select 'f-' || lpad(n::text, 3, '0'), 'atlas' from generate_series(1, 106) n`.execute(
      db,
    )
    await sql`
      insert into files (path, problem, content_hash, size, mtime_ns, inode)
      select 'notes/' || n || '.md', 'no frontmatter', '', 1, '0', n::text from generate_series(1, 57) n`.execute(
      db,
    )
    const cut = {
      clients: { more: 3, place: 'clients', row: /id="client-/g, all: 23 },
      programs: { more: 4, place: 'connections-name', row: /id="connection-/g, all: 24 },
      routes: { more: 5, place: 'routes', row: /<li><code>\/src/g, all: 205 },
      families: {
        more: 6,
        place: 'families',
        row: /<details class="fold family" id="family-/g,
        all: 106,
      },
      files: { more: 7, place: 'files', row: /id="file-/g, all: 57 },
    }
    const first = await page()
    for (const [what, { more, place, row, all }] of Object.entries(cut)) {
      expect(first.match(row), what).toHaveLength(all - more)
      const link = `/console/settings?whole=${what}#${place}`
      expect(first, what).toContain(`href="${link}">${more} more</a>`)
      const whole = await page(`?whole=${what}`)
      expect(whole.match(row), what).toHaveLength(all)
      expect(whole, what).not.toContain(`whole=${what}#`)
      expect(whole, what).toContain(`id="${place}"`)
    }
    expect(await json()).toMatchObject({
      ...{ clientTotal: 23, connectionTotal: 24, unboundTotal: 205, repoTotal: 205 },
      files: { unreadable: 57 },
    })
    expect((await owner.json(`${SETTINGS}?whole=keys`)).status).toBe(400)
  })
})
