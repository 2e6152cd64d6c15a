import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { CLIENTS } from '../../src/hooks/preview.ts'
import { undoProposal } from '../../src/gardener/gardener.ts'
import { addToFamily, setParent, setRetired } from '../../src/projects/projects.ts'
import { NOBODY } from '../../src/kernel/kernel.ts'
import { moveMemory } from '../../src/memories/memories.ts'
import { putSetting } from '../../src/kernel/settings.ts'
import { callHook } from '../helpers/call-hook.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { ownerOf } from './owner.ts'

const CONTEXT = '/console/context'
const all = async (house: House, query = ''): Promise<any> =>
  (await ownerOf(house).json(CONTEXT + query)).body
const cardOf = ({ projects }: any, slug: string) => projects.find((one: any) => one.slug === slug)
const runs = (flows: any[]) =>
  flows.map(({ kind, label, enabled }) => `${kind} ${label}${enabled ? '' : ' off'}`)

describe('the context', () => {
  test('says of each scope what it receives and publishes, by parents, families and fences', async () => {
    await using house = await openHouse()
    const { kernel } = house.app
    const everywhere = await house.connect()
    await everywhere.call('memory_write', memory('for-all', 'global'))
    for (const slug of ['atlas', 'web', 'docs']) await house.inside(slug)
    const ledger = await house.inside('ledger', 'confidential')
    await ledger.call('memory_write', memory('secret', 'ledger'))
    await house.inside('crypt', 'sealed')
    await (await house.inside('atlas')).call('memory_write', memory('rule', 'atlas'))
    await setParent(kernel, 'web', 'atlas')
    await addToFamily(kernel, 'operator', { family: 'screens', projects: ['web', 'docs'] })

    const { summary, rules, ...found } = await all(house)
    expect(summary).toEqual({ scopes: 6, parentLinks: 1, families: 1, lineages: 0, warnings: 0 })
    expect(rules).toEqual({
      ...{ globalMemories: 1, globalTargets: 4, parentEnabled: true, parentLinks: 1 },
      ...{ siblingFindings: 2, siblingMemories: false, briefingOverridden: false },
    })
    const web = cardOf(found, 'web')
    expect(web).toMatchObject({ parentSlug: 'atlas', parentMemories: 1, globalMemories: 1 })
    expect(runs(web.incoming)).toEqual(['global global', 'parent atlas', 'family docs'])
    expect(runs(cardOf(found, 'atlas').outgoing)).toEqual(['parent web'])
    expect(runs(cardOf(found, 'ledger').incoming)).toEqual(['global global'])
    expect(cardOf(found, 'ledger').outgoing).toEqual([])
    expect(runs(cardOf(found, 'crypt').incoming)).toEqual(['global global off'])
    expect(cardOf(found, 'global').outgoing[0].detail).toBe('1 memory to 4 of 5 projects')
    expect(found.families).toMatchObject([{ name: 'screens', members: ['docs', 'web'] }])
    expect(found.options.map(({ slug }: any) => slug)).toContain('crypt')

    const { text } = await ownerOf(house).get(CONTEXT)
    expect(text).toContain('class="line-parent"')
    expect(text).toContain('class="line-family"')
    expect(text).toContain('Sealed: it is told nothing of others and tells nothing.')
  })

  test('warns of what is wrong: retired, unregistered, alone, silent', async () => {
    await using house = await openHouse()
    const { kernel } = house.app
    const atlas = await house.inside('atlas')
    await atlas.call('memory_write', memory('rule', 'atlas'))
    await house.inside('web')
    await setParent(kernel, 'web', 'atlas')
    await setRetired(kernel, 'atlas', true)
    await addToFamily(kernel, 'operator', { family: 'alone', projects: ['web'] })
    await addToFamily(kernel, 'operator', { family: 'pair', projects: ['web', 'nowhere'] })
    await house.session('ghost')
    await putSetting(kernel.db, 'briefing_config', {
      ...{ siblingFindingsCount: 0, includeParentMemories: false },
    })
    const found = await all(house)
    expect(cardOf(found, 'web').warnings).toEqual([
      'Its parent atlas is out of use.',
      'Both channels of its family are off.',
    ])
    expect(cardOf(found, 'atlas').warnings).toEqual(['It is out of use and still has 1 memory.'])
    expect(cardOf(found, 'ghost').warnings).toEqual([
      'It is not registered: nobody created this project.',
    ])
    expect(found.families.map(({ warnings }: any) => warnings)).toEqual([
      ['A family of one has nobody to tell.'],
      ['nowhere is not registered.'],
    ])
    expect(runs(cardOf(found, 'web').incoming)).toContain('parent atlas off')
    expect(found.rules).toMatchObject({ briefingOverridden: true, parentEnabled: false })
  })

  test('tells where the knowledge of a split project went', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    await agent.call('memory_write', memory('tides', 'atlas'))
    const children = ['atlas-sea', 'atlas-land'].map((slug) => ({ slug, label: slug }))
    await agent.call('gardener_split', { source: 'atlas', instruction: 'in two', children })
    await ownerOf(house).post('/console/gardener/plan/split-atlas/apply')
    const { lineages } = await all(house)
    expect(lineages).toMatchObject([
      { source: 'atlas', moves: 1, destinations: [{ scope: expect.any(String), moves: 1 }] },
    ])
  })

  test('counts each memory where it went last, and none that came back', async () => {
    await using house = await openHouse()
    const { kernel } = house.app
    const agent = await house.inside('atlas')
    for (const slug of ['web', 'docs']) await house.inside(slug)
    const ids = ['tides', 'piers'].map(async (name) => {
      return (await agent.call('memory_write', memory(name, 'atlas'))).id as string
    })
    const [tides, piers] = await Promise.all(ids)
    for (const to of ['web', 'atlas', 'docs']) await moveMemory(kernel, NOBODY, tides!, to)
    for (const to of ['web', 'atlas']) await moveMemory(kernel, NOBODY, piers!, to)
    await setRetired(kernel, 'atlas', true)
    expect((await all(house)).lineages).toMatchObject([
      { source: 'atlas', moves: 1, destinations: [{ scope: 'docs', moves: 1 }], warnings: [] },
    ])
  })

  test('counts no move of a project from which a move was taken back', async () => {
    await using house = await openHouse()
    const { kernel } = house.app
    const agent = await house.inside('atlas')
    await house.inside('web')
    await agent.call('memory_write', memory('tides', 'atlas'))
    const operations = [{ op: 'reproject', target: 'tides', to: 'web' }]
    const { created } = await agent.call('gardener_request', { request: 'move it', operations })
    await agent.call('gardener_apply', { id: created[0] })
    await undoProposal(kernel, NOBODY, created[0])
    await setRetired(kernel, 'web', true)
    expect((await all(house)).lineages).toMatchObject([{ source: 'web', moves: 0 }])
  })

  test('is asked for one project strictly, and its former address leads here', async () => {
    await using house = await openHouse()
    await house.inside('atlas')
    const owner = ownerOf(house)
    for (const [query, status, words] of [
      ['?scope=project', 400, 'wants a project'],
      ['?project=atlas', 400, 'project goes with scope=project'],
      ['?client=codex', 400, 'client goes with scope=project'],
      ['?prompt=tides', 400, 'prompt goes with scope=project'],
      ['?scope=some', 400, 'valid values are all, project'],
      ['?scope=project&project=atlas&client=emacs', 400, 'valid values are claude-code'],
      ['?scope=project&project=nowhere', 404, 'no project nowhere'],
    ] as const) {
      const { status: found, body } = await owner.json(CONTEXT + query)
      expect([found, body.error], query).toEqual([status, expect.stringContaining(words)])
    }
    expect(await all(house, '?scope=project&project=global')).toMatchObject({ project: 'global' })
    const { status, headers } = await owner.get('/console/relations?scope=project&project=atlas')
    expect([status, headers.location]).toEqual([308, `${CONTEXT}?scope=project&project=atlas`])
  })

  test('shows what a prompt and a subagent would be given, and what each part costs', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    await agent.call('memory_write', {
      ...memory('importer-rollback', 'atlas', 'gotcha'),
      description: 'The importer keeps no rollback of half a file',
    })
    await agent.call('memory_write', memory('rule', 'atlas'))
    const query = '?scope=project&project=atlas&prompt=does+the+importer+have+a+rollback'
    const { preview } = await all(house, query)
    expect(preview.beside.text).toContain('importer-rollback')
    expect(preview.subagent.text).toMatch(/rule[^]*importer-rollback/)
    expect(preview.start.sections.map(({ title }: any) => title)).toEqual([
      ...['Opening', 'Constraints: rules that every agent keeps'],
      ...['Memories: memory_read gives the whole of one', 'Closing'],
    ])
    for (const told of [preview.start, preview.beside, preview.subagent]) {
      const sum = told.sections.reduce((n: number, { tokens }: any) => n + tokens, 0)
      expect(Math.abs(sum - told.tokens)).toBeLessThanOrEqual(told.sections.length)
    }
    const { text } = await ownerOf(house).get(CONTEXT + query)
    expect(text).toContain('With this prompt')
    const silent = await all(house, '?scope=project&project=atlas&prompt=of+nothing+known')
    expect(silent.preview.beside).toMatchObject({ text: '', tokens: 0, sections: [] })
    expect(await all(house, '?scope=project&project=atlas')).not.toHaveProperty('preview.beside')
  })

  test('says part by part what is left out: for want of room, by an option, by the client', async () => {
    await using house = await openHouse({ env: { LOAM_BUDGETS_MAX_BRIEFING_TOKENS: '300' } })
    const agent = await house.inside('atlas')
    for (let n = 0; n < 12; n++) {
      await agent.call('memory_write', {
        ...memory(`fact-${n}`, 'atlas', 'gotcha'),
        description: 'Long words about it. '.repeat(6),
      })
    }
    for (let n = 0; n < 6; n++) await agent.call('memory_write', memory(`rule-${n}`, 'atlas'))
    const said = ({ sections }: any) =>
      sections.flatMap(({ title, cuts }: any) =>
        cuts.map(
          (cut: any) =>
            `${title.slice(0, 8)}: ${cut.lines}${cut.named ? ' named' : ''}, ${cut.said}`,
        ),
      )
    const { preview } = await all(house, '?scope=project&project=atlas')
    const left = 12 - preview.start.text.split('- fact-').length + 1
    expect(said(preview.start)).toEqual([
      'Constrai: 2 named, briefing.constraint_max_full is 4',
      `Memories: ${left}, no room in the budget of 300 tokens`,
    ])
    expect(preview.budget).toBe(300)
    const { text } = await ownerOf(house).get(`${CONTEXT}?scope=project&project=atlas`)
    expect(text).toContain('2 by name alone: briefing.constraint_max_full is 4')
    expect(text).toContain(`${left} left out: no room in the budget of 300 tokens`)

    const wide = { LOAM_BUDGETS_MAX_BRIEFING_TOKENS: '20000' }
    await using large = await openHouse({ env: wide })
    const writer = await large.inside('atlas')
    const description = '検索'.repeat(80)
    for (let n = 0; n < 24; n++) {
      await writer.call('memory_write', { ...memory(`rule-${n}`, 'atlas'), description })
    }
    await putSetting(large.app.kernel.db, 'briefing_config', { constraintMaxFull: 0 })
    const { preview: cut } = await all(large, '?scope=project&project=atlas&client=codex')
    const lines = cut.start.text.split('\n').filter((line: string) => line.startsWith('- ')).length
    expect(said(cut.start)).toEqual([
      `Constrai: ${24 - lines}, codex passes on 9,600 bytes`,
      'Closing: 1, codex passes on 9,600 bytes',
    ])
  })

  test('is told a page at a time of many scopes', async () => {
    await using house = await openHouse()
    const rows = Array.from({ length: 64 }, (_, n) => `p-${String(n).padStart(2, '0')}`)
    for (const slug of rows) await house.session(slug)
    const first = await all(house)
    expect([first.projects.length, first.more, first.summary.scopes]).toEqual([60, 5, 65])
    const second = await all(house, '?page=2')
    expect(second.projects.map(({ slug }: any) => slug)).toEqual(rows.slice(-5))
    expect(second).not.toHaveProperty('more')
    const { text } = await ownerOf(house).get(CONTEXT)
    expect(text).toContain('href="/console/context?page=2" rel="next">5 more')
  })

  test('leaves no trace when it is looked at: no event, nothing told, no demand', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    await agent.call('memory_write', memory('rule', 'atlas'))
    const counts = async () => {
      await house.app.kernel.telemetry.flush()
      const { rows } = await sql`select (select count(*) from events) as events,
        (select count(*) from told) as told, (select count(*) from sessions) as sessions,
        (select count(*) from item_credits) as credits`.execute(house.app.kernel.db)
      return rows[0]
    }
    const before = await counts()
    for (const client of CLIENTS) {
      await all(house, `?scope=project&project=atlas&client=${client}&prompt=rule+about+rule`)
    }
    expect(await counts()).toEqual(before)
  })
})

const memory = (name: string, project: string, kind = 'constraint') => ({
  ...{ name, project, kind, description: `What ${name} says`, body: 'B.' },
})

describe('the preview of a briefing', () => {
  test('is what the hook answers a fresh session, in any store, project and client', async () => {
    const projects = ['atlas', 'web', 'docs', 'global'] as const
    const kinds = ['constraint', 'convention', 'stage', 'gotcha', 'decision'] as const
    const where = fc.constantFrom(...projects)
    const given = fc.record({
      asked: fc.array(
        fc.record({
          project: where,
          client: fc.constantFrom(...CLIENTS),
          prompt: fc.constantFrom('how do tides turn at the pier', 'nothing of the kind', ''),
        }),
        { minLength: 2, maxLength: 4 },
      ),
      isolation: fc.constantFrom('open', 'confidential', 'sealed' as const),
      budget: fc.constantFrom(200, 1500, 6000),
      options: fc.record(
        {
          constraintMaxFull: fc.constantFrom(0, 2),
          memoryMaxItems: fc.constantFrom(0, 3),
          includeParentMemories: fc.boolean(),
          includeSiblingMemories: fc.boolean(),
          siblingFindingsCount: fc.constantFrom(0, 2),
          utilityMode: fc.constantFrom('on', 'off'),
        },
        { requiredKeys: [] },
      ),
      facts: fc.array(
        fc.record({
          project: where,
          kind: fc.constantFrom(...kinds),
          words: fc.integer({ min: 1, max: 30 }),
          starred: fc.boolean(),
        }),
        { maxLength: 24 },
      ),
      found: fc.array(where, { maxLength: 4 }),
      tasks: fc.array(fc.record({ project: where, plan: fc.constantFrom('', 'launch') }), {
        maxLength: 5,
      }),
    })
    await fc.assert(
      fc.asyncProperty(given, async ({ asked, budget, ...store }) => {
        await using house = await openHouse({
          env: { LOAM_BUDGETS_MAX_BRIEFING_TOKENS: String(budget) },
        })
        await fill(house, store)
        for (const [nth, each] of asked.entries()) await expectSame(house, each, nth)
      }),
      { numRuns: Number(process.env['LOAM_TEST_RUNS'] ?? 10) },
    )
  })
})

interface Store {
  isolation: 'open' | 'confidential' | 'sealed'
  options: object
  facts: { project: string; kind: string; words: number; starred: boolean }[]
  found: string[]
  tasks: { project: string; plan: string }[]
}

/** Atlas is fenced or the parent of web; web and docs are a family. */
async function fill(house: House, { isolation, options, facts, found, tasks }: Store) {
  const { kernel } = house.app
  const agents = new Map([
    ['atlas', await house.inside('atlas', isolation)],
    ['web', await house.inside('web')],
    ['docs', await house.inside('docs')],
    ['global', await house.connect()],
  ])
  if (isolation === 'open') await setParent(kernel, 'web', 'atlas')
  await addToFamily(kernel, 'operator', { family: 'screens', projects: ['web', 'docs'] })
  await putSetting(kernel.db, 'briefing_config', options)
  for (const [n, { project, kind, words, starred }] of facts.entries()) {
    const description = `pier ${'tides '.repeat(words)}`
    const body = kind === 'stage' && words % 2 === 0 ? 'Status: open\n' : 'B.'
    const agent = agents.get(project)!
    const { id } = await agent.call('memory_write', {
      ...{ ...memory(`tides-${n}`, project, kind), description, body },
    })
    if (starred) await agent.call('favorite_set', { kind: 'memory', id, favorite: true })
  }
  for (const [n, project] of found.entries()) {
    const id = await house.session(project === 'global' ? '' : project, { name: `said-${n}` })
    await sql`update sessions set findings = ${`found ${n}`}, status = 'completed'
      where id = ${id}`.execute(kernel.db)
  }
  for (const [n, { project, plan }] of tasks.entries()) {
    await agents
      .get(project)!
      .call('tasks_add', { title: `Task ${n}`, project, ...(plan && { plan }) })
  }
  for (const project of ['atlas', 'web', 'docs']) {
    await sql`insert into repos (place, remote, project)
      values (${`/work/${project}`}, false, ${project})`.execute(kernel.db)
  }
}

/** What the page shows is what each of the three hooks answers; an age may have moved on meanwhile. */
async function expectSame(
  house: House,
  { project, client, prompt }: { project: string; client: string; prompt: string },
  nth: number,
) {
  const query = new URLSearchParams({ scope: 'project', project, client, prompt })
  const preview = async () => {
    const { start, subagent, beside } = (await all(house, `?${query.toString()}`)).preview
    return [start, subagent, beside].map((told) => plain(told?.text ?? ''))
  }
  const cwd = project === 'global' ? '/elsewhere' : `/work/${project}`
  const call = async (hook: string, payload: object) => {
    await sql`delete from told`.execute(house.app.kernel.db)
    const fresh = { session_id: `fresh-${nth}`, cwd, ...payload }
    const { context } = await callHook(house, hook, fresh, { query: `?client=${client}` })
    return plain(context ?? '')
  }
  const before = await preview()
  const hooks = [
    await call('session-start', { source: 'startup' }),
    await call('subagent-start', { agent_id: 'a', agent_type: 'Explore', spawn_prompt: prompt }),
    await call('user-prompt-submit', { prompt }),
  ]
  if (isDeepStrictEqual(before, hooks)) return
  expect(await preview()).toEqual(hooks)
}

/** Without the fence's number, the session's handle, and ages. */
const plain = (text: string): string =>
  text
    .replaceAll(/id="[0-9a-f]{16}"/g, 'id=""')
    .replaceAll(/\b[a-z]{2}\/[a-z2-9]{4,24}/g, 'handle')
    .replaceAll(/\((\w+), (?:just now|\d+[mhd])\)/g, '($1)')
    .replaceAll(/\((?:just now|\d+[mhd])\)/g, '()')
    .replaceAll(/, (?:just now|\d+[mhd] ago): /g, ': ')
