import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { runGardener } from '../../src/gardener/gardener.ts'
import { NOBODY } from '../../src/kernel/kernel.ts'
import { moveMemory } from '../../src/memories/memories.ts'
import {
  addToFamily,
  mapRepo,
  ownerScope,
  setParent,
  setRetired,
} from '../../src/projects/projects.ts'
import { callHook, fixture } from '../helpers/call-hook.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { switchOff, switchOn } from '../helpers/moments.ts'
import { add, worker } from '../tasks/given.ts'
import { ownerOf } from './owner.ts'

const PAGE = '/console/projects'
const one = async (house: House, query: string): Promise<any> =>
  (await ownerOf(house).json(`${PAGE}/${query}`)).body
const textOf = async (house: House, query: string): Promise<string> =>
  (await ownerOf(house).get(`${PAGE}/${query}`)).text
/** The page without what stands around every page. */
const within = (text: string) => text.slice(text.indexOf('<main'), text.indexOf('</main>'))

const fact = (name: string, kind = 'gotcha') => ({
  ...{ name, kind, description: `What ${name} says`, body: 'B.' },
})

const TABS = ['overview', 'tasks', 'sessions', 'memories', 'notes', 'interactions', 'context']

describe('the page of a project', () => {
  test('says what the project is: name, fence, parent, children, families, remotes and places', async () => {
    await using house = await openHouse()
    const { kernel } = house.app
    const agent = await house.connect()
    const atlas = { slug: 'atlas', name: 'Atlas', description: 'Routes and parcels' }
    await agent.call('project_create', atlas)
    for (const slug of ['web', 'docs', 'fleet']) await house.inside(slug)
    await setParent(kernel, 'atlas', 'fleet')
    await setParent(kernel, 'web', 'atlas')
    await addToFamily(kernel, 'operator', { family: 'screens', projects: ['atlas', 'docs'] })
    await mapRepo(kernel, { place: '/work/atlas', project: 'atlas' })
    await mapRepo(kernel, { place: 'git@example.com:acme/atlas.git', project: 'atlas' })
    const work = await house.inside('atlas')
    await work.call('memory_write', fact('tides'))
    await work.call('notes_create', { title: 'N', body: 'B' })
    await add(work, 'Mend the quay')

    const found = await one(house, 'atlas')
    expect(found).toMatchObject({
      ...{ ...atlas, isolation: 'open', role: 'parent', tab: 'overview', window: '24h' },
      ...{ memories: 1, sessions: 1, working: 1, openTasks: 1, blocked: 0, notes: 1 },
      ...{ parentSlug: 'fleet', children: ['web'], inherited: 0, favorite: false },
      ...{ retired: false, unregistered: false, created: expect.any(String) },
      families: [{ name: 'screens', members: ['docs'] }],
      places: [
        { place: '/work/atlas', remote: false },
        { place: 'example.com/acme/atlas', remote: true },
      ],
    })
    const text = await textOf(house, 'atlas')
    expect(text).toContain('Routes and parcels')
    expect(text).toContain('inherits from <a href="/console/projects/fleet">fleet</a>')
    expect(text).toContain('passes on to <a href="/console/projects/web">web</a>')
    expect(text).toContain('family <a href="/console/projects/atlas?tab=context">screens</a>')
    expect(text).toContain('remote <code>example.com/acme/atlas</code>')
    expect(text).toContain('directory <code>/work/atlas</code>')
    expect(text).toContain('Open: it shares as its parent and its families say.')
  })

  test('names a fence in words, and offers nothing to change it', async () => {
    await using house = await openHouse()
    await house.inside('ledger', 'confidential')
    await house.inside('crypt', 'sealed')
    const ledger = await textOf(house, 'ledger')
    expect(ledger).toContain('<span class="pill">confidential</span>')
    expect(ledger).toContain('nobody elsewhere reads it')
    expect(await textOf(house, 'crypt')).toContain('agents here see nothing else')
    expect(within(ledger)).not.toMatch(/<(input|select)[^>]*name="isolation"/)
  })

  test('has seven parts, each with an address, strictly', async () => {
    await using house = await openHouse()
    await worker(house)
    const { status, body } = await ownerOf(house).json(`${PAGE}/atlas?tab=people`)
    expect([status, body.error]).toEqual([
      400,
      `invalid tab "people": valid values are ${TABS.join(', ')}`,
    ])
    for (const tab of TABS) {
      expect(await one(house, `atlas?tab=${tab}`), tab).toMatchObject({ slug: 'atlas', tab })
      const text = await textOf(house, `atlas?tab=${tab}&w=7d`)
      expect(text.match(/aria-current="page">[^<]*/g)?.length, tab).toBe(2)
      expect(text).toMatch(new RegExp(`href="/console/projects/atlas\\?tab=tasks&amp;w=7d"`))
    }
    expect(await textOf(house, 'atlas')).toContain('Plans &amp; tasks')
    for (const query of ['w=1h', 'tab=sessions&status=dead', 'tab=memories&kind=fable']) {
      expect((await ownerOf(house).json(`${PAGE}/atlas?${query}`)).status, query).toBe(400)
    }
  })

  test('has for each part words of its own while there is nothing in it', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await agent.call('project_create', { slug: 'atlas', name: 'Atlas' })
    const words: Record<string, string> = {
      overview: 'None was put before an agent in the last 24 hours.',
      tasks: 'Nothing to do',
      sessions: 'No session yet',
      memories: 'No memories yet',
      notes: 'No notes yet',
      interactions: 'Quiet',
      context: 'What an agent gets now',
    }
    await house.app.database.db.deleteFrom('sessions').execute()
    for (const tab of TABS) expect(await textOf(house, `atlas?tab=${tab}`)).toContain(words[tab])
    const overview = await textOf(house, 'atlas')
    expect(overview).toContain('Agents write what should outlive a session with memory_write.')
    expect(overview).toContain('What agents do here appears as it happens.')
    expect(overview).toContain('None is known')
  })

  test('of an unknown project is a 404, and so is that of the global scope, which has none', async () => {
    await using house = await openHouse()
    await (await house.connect()).call('memory_write', { ...fact('tides'), project: 'global' })
    for (const slug of ['nowhere', 'global']) {
      const { status, body } = await ownerOf(house).json(`${PAGE}/${slug}`)
      expect([status, body.error]).toEqual([404, `no project ${slug}`])
      expect((await ownerOf(house).get(`${PAGE}/${slug}?tab=notes`)).status).toBe(404)
    }
  })

  test('is not there without a slug, as no page of an item is without an id', async () => {
    await using house = await openHouse()
    await (await worker(house)).call('memory_write', fact('tides'))
    await switchOn(house, 'research')
    const owner = ownerOf(house)
    for (const [section, kind] of Object.entries({
      ...{ projects: 'project', plans: 'plan', labs: 'lab', trials: 'trial', tasks: 'task' },
      ...{ memories: 'memory', notes: 'note', sessions: 'session', gardener: 'proposal' },
      events: 'event',
    })) {
      const { status, body } = await owner.json(`/console/${section}/`)
      expect([section, status, body.error]).toEqual([section, 404, `no ${kind} ""`])
    }
    expect((await owner.get(`${PAGE}/?tab=notes`)).status).toBe(404)
  })

  test('keeps its window between its parts, in its lists, and where a form leads back', async () => {
    await using house = await openHouse()
    const agent = await worker(house)
    await agent.call('memory_write', fact('tides'))
    await agent.call('notes_create', { title: 'N', body: 'B' })
    const step = await add(agent, 'Dredge', { plan: 'harbor' })
    await agent.call('tasks_claim', { id: step })
    for (const tab of TABS) {
      const at = tab === 'overview' ? '?w=7d' : `?tab=${tab}&w=7d`
      const main = within(await textOf(house, `atlas${at}`))
      const links = [...main.matchAll(/(?:href|data-shown)="(\/console\/projects\/atlas[^"]*)"/g)]
        .map(([, href]) => new URL(href!.replaceAll('&amp;', '&'), house.url))
        // The menu of windows leads to the others.
        .filter(({ searchParams }) => !['30d', 'all'].includes(searchParams.get('w')!))
      const lost = links.map(({ search }) => search).filter((search) => !search.includes('w=7d'))
      // A name of the project leads to the page itself, and the menu to the usual window.
      const usual = ['', at.replace(/[?&]w=7d/, '')]
      expect(
        lost.filter((search) => !usual.includes(search)),
        tab,
      ).toEqual([])
      expect(main, tab).toContain(
        `name="next" value="/console/projects/atlas${at.replaceAll('&', '&amp;')}"`,
      )
    }
    // What narrows a list goes along as well.
    expect(await textOf(house, 'atlas?tab=tasks&q=none&w=7d')).toContain(
      'name="next" value="/console/projects/atlas?tab=tasks&amp;w=7d&amp;q=none"',
    )
  })

  test('of a slug that only data know says so', async () => {
    await using house = await openHouse()
    const agent = await worker(house, 'ghost')
    await agent.call('notes_create', { title: 'Left behind', body: 'B' })
    await house.app.database.db.deleteFrom('projects').where('slug', '=', 'ghost').execute()
    expect(await one(house, 'ghost')).toMatchObject({
      ...{ name: 'ghost', unregistered: true, role: 'unregistered', notes: 1, attention: true },
    })
    const text = await textOf(house, 'ghost?tab=notes')
    expect(text).toContain('<b>Not registered.</b>')
    expect(text).toContain('Left behind')
  })

  test('that is out of use says since when, and where its memories went', async () => {
    await using house = await openHouse()
    const { kernel } = house.app
    const agent = await house.inside('atlas')
    for (const slug of ['web', 'docs']) await house.inside(slug)
    for (const [name, to] of [
      ['tides', 'web'],
      ['piers', 'web'],
      ['moles', 'docs'],
    ] as const) {
      const { id } = await agent.call('memory_write', fact(name))
      await moveMemory(kernel, NOBODY, id as string, to)
    }
    await setRetired(kernel, 'atlas', true)
    const found = await one(house, 'atlas')
    expect(found).toMatchObject({ retired: true, retiredAt: expect.any(String), memories: 0 })
    expect(found.lineage).toEqual([
      { scope: 'web', moves: 2 },
      { scope: 'docs', moves: 1 },
    ])
    const text = await textOf(house, 'atlas')
    expect(text).toContain('<b>Retired <time')
    expect(text).toContain('2 to <a href="/console/projects/web">web</a>')
  })

  test('is starred in place, and peeked at beside a list', async () => {
    await using house = await openHouse()
    await worker(house)
    const owner = ownerOf(house)
    const text = await textOf(house, 'atlas')
    expect(text).toContain('action="/console/favorites/project/atlas"')
    const { headers } = await owner.post('/console/favorites/project/atlas', {
      next: '/console/projects/atlas',
    })
    expect(headers.location).toMatch(/^\/console\/projects\/atlas\?notice=/)
    expect(await one(house, 'atlas')).toMatchObject({ favorite: true })
    const peek = (await owner.get(`${PAGE}/atlas?peek=1`)).text
    expect(peek).not.toContain('<html')
    expect(peek).toContain('href="/console/sessions?project=atlas&amp;w=all">1</a>')
    expect(peek).toContain('Fence')
  })

  test('is where a name of a project leads, the search too', async () => {
    await using house = await openHouse()
    const agent = await worker(house)
    const { id } = await agent.call('memory_write', fact('tides'))
    const owner = ownerOf(house)
    const { groups } = (await owner.json('/console/search?q=atlas&scope=projects')).body
    expect(groups[0].rows[0]).toMatchObject({
      href: '/console/projects/atlas',
      peek: '/console/projects/atlas?peek=1',
    })
    const task = await add(agent, 'Mend the quay')
    for (const path of [
      `memories/${id}`,
      `tasks/${task}`,
      `sessions/${agent.session}`,
      'sessions',
      'tasks',
      'context',
      '',
    ]) {
      const { text } = await owner.get(`/console/${path}`)
      expect(within(text), path).toContain('href="/console/projects/atlas"')
    }
  })
})

describe('the overview of a project', () => {
  test('judges what it knows, who works there and how much of it is told', async () => {
    await using house = await openHouse()
    const { kernel } = house.app
    const atlas = await worker(house)
    for (const name of ['tides', 'piers']) await atlas.call('memory_write', fact(name))
    await atlas.call('memory_write', fact('never-on-friday', 'constraint'))
    await mapRepo(kernel, { place: '/work/atlas', project: 'atlas' })
    const hook = { session_id: 'a', cwd: '/work/atlas' }
    await callHook(house, 'session-start', { ...hook, source: 'startup' })
    await callHook(house, 'session-end', { ...hook, reason: 'exit' })
    const other = await worker(house, 'docs')
    await other.call('memory_write', fact('elsewhere'))
    await kernel.telemetry.flush()

    const found = await one(house, 'atlas')
    expect(found).toMatchObject({
      ...{ memories: 3, surfaced: 3, active: 3, reachRate: 100, hasReach: true },
      coverage: { total: 2, covered: 1 },
      memByKind: [
        { kind: 'constraint', n: 1 },
        { kind: 'gotcha', n: 2 },
      ],
    })
    expect(found.trend).toHaveLength(25)
    expect(found.trend.reduce((sum: number, { count }: any) => sum + count, 0)).toBe(3)
    const text = await textOf(house, 'atlas')
    expect(text).toContain('3 of 3 active')
    expect(text).toContain('1 of 2 sessions')
    expect(text).toContain('aim ≥ 55 %')
    expect(text).toContain(
      'href="/console/memories?project=atlas&amp;kind=gotcha&amp;status=active"',
    )
    expect((await one(house, 'atlas?w=7d')).trend).toHaveLength(8)
    expect((await one(house, 'atlas?w=all')).windowLabel).toBe('all time')
  })

  test('tells its last eight events and no calls, also those that no session of it recorded', async () => {
    await using house = await openHouse()
    const atlas = await worker(house)
    const { id } = await atlas.call('memory_write', fact('tides'))
    for (let n = 0; n < 7; n++) await atlas.call('notes_create', { title: `N ${n}`, body: 'B' })
    // To be told something is no act.
    await atlas.call('recall', { query: 'tides' })
    await (await worker(house, 'docs')).call('notes_create', { title: 'Elsewhere', body: 'B' })
    await ownerOf(house).post(`/console/memories/${id}/archive`)
    const { recent } = await one(house, 'atlas')
    expect(recent).toHaveLength(8)
    expect(recent.map(({ kind }: any) => kind)).toEqual([
      'memory.archived',
      ...Array.from({ length: 7 }, () => 'note.written'),
    ])
    expect(recent[1]).toMatchObject({
      ...{ summary: 'wrote note “N 6”', tone: 'write', sessionId: atlas.session },
      session: { id: atlas.session, called: expect.any(String) },
    })
    expect(recent[0].session).toBeUndefined()
  })
})

describe('the plans and tasks of a project', () => {
  test('are a card for each plan that is not over, its unfinished steps first, with what they wait for', async () => {
    await using house = await openHouse()
    const agent = await worker(house)
    const first = await add(agent, 'Dredge', { plan: 'harbor' })
    const second = await add(agent, 'Drive piles', { plan: 'harbor', depends_on: [first] })
    const third = await add(agent, 'Lay planks', { plan: 'harbor', depends_on: [second] })
    const over = await add(agent, 'Survey', { plan: 'harbor' })
    await agent.call('tasks_update', { id: over, status: 'done' })
    await agent.call('tasks_claim', { id: first })
    const beside = await add(agent, 'Buy paint')
    const gone = await add(agent, 'Old step', { plan: 'lighthouse' })
    await agent.call('tasks_update', { id: gone, status: 'dropped' })
    await add(await worker(house, 'docs'), 'Elsewhere', { plan: 'harbor' })

    const found = await one(house, 'atlas?tab=tasks')
    expect(found.plans).toMatchObject([
      {
        ...{ slug: 'harbor', phase: 'in_progress', favorite: false },
        ...{ tasksTotal: 4, tasksDone: 1, tasksInProgress: 1, folded: false },
        steps: [
          {
            ...{ id: first, status: 'in_progress', called: expect.any(String), claimLive: true },
            ...{ chain: [], unblocks: 1, unblocked: [{ id: second, title: 'Drive piles' }] },
          },
          { id: second, chain: [{ id: first, title: 'Dredge', status: 'in_progress' }] },
          { id: third, chain: [{ id: second }, { id: first }], unblocks: 0 },
        ],
        closedSteps: [{ id: over, status: 'done', closedStep: true }],
      },
    ])
    expect(found.plans[0].stale).toBeUndefined()
    expect(found.completed).toMatchObject([{ slug: 'lighthouse', phase: 'done' }])
    expect([found.plansMore, found.completedMore]).toEqual([0, 0])
    // The queue has what is of no plan.
    const { listed } = found
    expect(listed.ready.map(({ id }: any) => id)).toEqual([beside])
    expect([listed.inProgress, listed.blocked, listed.closed]).toEqual([[], [], []])
    expect(listed.counts).toMatchObject({ ready: 1, inProgress: 0, blocked: 0 })
    // Beside the list the figures of the project stay what they are.
    expect(found).toMatchObject({ openTasks: 4, blocked: 2 })
    const main = within(await textOf(house, 'atlas?tab=tasks'))
    expect(main).not.toContain('Elsewhere')
    expect(main).toContain('1 of 4 closed, 1 in progress')
    expect(main).toContain(`waits for <a class="step-waits" href="/console/tasks/${second}"`)
    expect(main).toContain('which waits for')
    expect(main).toContain('Plans that are over')
  })

  test('tell the last three moves of a plan, each once, with who made them', async () => {
    await using house = await openHouse()
    const agent = await worker(house)
    const id = await add(agent, 'Dredge', { plan: 'harbor' })
    const held = await add(agent, 'Drive piles', { plan: 'harbor' })
    await agent.call('tasks_claim', { id: held })
    await agent.call('tasks_update', { id, status: 'done' })
    await agent.call('tasks_update', { id, status: 'open' })
    const owner = ownerOf(house)
    const next = `${PAGE}/atlas?tab=tasks`
    expect(await textOf(house, 'atlas?tab=tasks')).toContain(`name="next" value="${next}"`)
    const { headers } = await owner.post(`/console/tasks/${held}/release`, { next })
    expect(headers.location).toMatch(/^\/console\/projects\/atlas\?tab=tasks&notice=/)
    const [plan] = (await one(house, 'atlas?tab=tasks')).plans
    expect(plan.moves).toMatchObject([
      { id: held, title: 'Drive piles', verb: 'released', actor: 'you' },
      { id, verb: 'reopened', actorId: agent.session },
      { id, verb: 'done', actorId: agent.session },
    ])
    expect(await textOf(house, 'atlas?tab=tasks')).toContain('by you')
  })

  test('fold many closed steps, and cut many plans, with the rest counted', async () => {
    await using house = await openHouse()
    const agent = await worker(house)
    for (let n = 0; n < 4; n++) {
      const id = await add(agent, `Step ${n}`, { plan: 'long' })
      if (n < 3) await agent.call('tasks_update', { id, status: 'done' })
    }
    const [plan] = (await one(house, 'atlas?tab=tasks')).plans
    expect([plan.folded, plan.closedSteps.length, plan.steps.length]).toEqual([true, 3, 1])
    expect(await textOf(house, 'atlas?tab=tasks')).toContain('3 closed')
    for (let n = 0; n < 34; n++) {
      const id = await add(agent, `A ${n}`, { plan: `p-${n}` })
      if (n < 21) await agent.call('tasks_update', { id, status: 'dropped' })
    }
    const found = await one(house, 'atlas?tab=tasks')
    expect([found.plans.length, found.plansMore]).toEqual([12, 2])
    expect([found.completed.length, found.completedMore]).toEqual([20, 1])
    const main = within(await textOf(house, 'atlas?tab=tasks'))
    expect(main).toContain('href="/console/plans?project=atlas&amp;w=all">2 more</a>')
    expect(main).toContain(
      'href="/console/plans?project=atlas&amp;w=all&amp;phase=done">1 more</a>',
    )
  })

  test('are counted past the newest two hundred, and what goes on is not hidden by what is over', async () => {
    await using house = await openHouse()
    const { db } = house.app.kernel
    const agent = await worker(house)
    await add(agent, 'Dredge', { plan: 'harbor' })
    await house.moveClock('1 minute')
    await sql`insert into tasks (id, project, plan, title, status, created_at, updated_at, closed_at)
      select 'T' || lpad(n::text, 25, '0'), 'atlas', 'p-' || n, 'Only', 'done', loam_now(), loam_now(), loam_now()
      from generate_series(1, 230) n`.execute(db)
    const found = await one(house, 'atlas?tab=tasks')
    expect(found.plans.map(({ slug }: any) => slug)).toEqual(['harbor'])
    expect([found.plansMore, found.completed.length, found.completedMore]).toEqual([0, 20, 210])
    expect(await textOf(house, 'atlas?tab=tasks')).toContain(
      'Plans that are over <span class="number">230',
    )
  })

  test('say which plans were shipped, while momentum is on', async () => {
    await using house = await openHouse()
    const agent = await worker(house)
    await switchOn(house, 'momentum')
    const step = await add(agent, 'Survey', { plan: 'harbor' })
    await agent.call('tasks_update', { id: step, status: 'done' })
    expect((await one(house, 'atlas?tab=tasks')).completed).toMatchObject([{ shipped: true }])
    expect(await textOf(house, 'atlas?tab=tasks')).toMatch(/shipped<\/span>/)
    await switchOff(house, 'momentum')
    expect((await one(house, 'atlas?tab=tasks')).completed[0]).not.toHaveProperty('shipped')
    expect(within(await textOf(house, 'atlas?tab=tasks'))).not.toMatch(/shipped<\/span>/)
  })

  test('mark a plan that the gardener takes for stale, and lead to its proposal', async () => {
    await using house = await openHouse()
    await worker(house)
    await mapRepo(house.app.kernel, { place: '/work/atlas', project: 'atlas' })
    await callHook(house, 'session-start', { session_id: 'a', cwd: '/work/atlas' })
    await callHook(
      house,
      'post-tool-use',
      fixture('claude-code/post-tool-use.write', { session_id: 'a', cwd: '/work/atlas' }),
    )
    await callHook(house, 'session-end', { session_id: 'a', cwd: '/work/atlas' })
    await house.moveClock('60 days')
    await runGardener(house.app.kernel, ownerScope(), { only: 'stale-plan' })
    const [plan] = (await one(house, 'atlas?tab=tasks')).plans
    expect(plan.stale).toEqual(expect.any(String))
    expect(await textOf(house, 'atlas?tab=tasks')).toContain(
      `<a class="pill" href="/console/gardener/${plan.stale}">`,
    )
  })
})

describe('the lists of a project', () => {
  test('refuse an item of another project, and one that there is not', async () => {
    await using house = await openHouse()
    const atlas = await worker(house)
    const docs = await worker(house, 'docs')
    await worker(house, 'web')
    await setParent(house.app.kernel, 'web', 'atlas')
    const ids = {
      memories: (await atlas.call('memory_write', fact('tides'))).id as string,
      notes: (await atlas.call('notes_create', { title: 'Of atlas', body: 'B' })).id as string,
    }
    await docs.call('memory_write', fact('sails'))
    const open = (slug: string, tab: string, item: string) =>
      ownerOf(house).get(`${PAGE}/${slug}?tab=${tab}&item=${item}`)
    const kinds = { memories: 'memory', notes: 'note' }
    for (const tab of ['memories', 'notes'] as const) {
      expect((await open('atlas', tab, ids[tab].toLowerCase())).status).toBe(200)
      for (const [slug, item] of [
        ['docs', ids[tab]],
        ['atlas', '01JBBBBBBBBBBBBBBBBBBBBBBB'],
        ['atlas', 'no-id'],
      ] as const) {
        const { status, body } = await ownerOf(house).json(
          `${PAGE}/${slug}?tab=${tab}&item=${item}`,
        )
        expect([status, body.error]).toEqual([404, `no ${kinds[tab]} ${item.toUpperCase()}`])
      }
    }
    // What it inherits is open beside its rail; a note of the parent is not.
    const { status, text } = await open('web', 'memories', ids.memories)
    expect([status, text.includes('aria-current="true"')]).toEqual([200, true])
    expect((await open('web', 'notes', ids.notes)).status).toBe(404)
  })

  test('keep a memory open there that is archived without scripts; its own page leads to the library', async () => {
    await using house = await openHouse()
    const agent = await worker(house)
    const owner = ownerOf(house)
    const { id } = await agent.call('memory_write', fact('tides'))
    const archive = `/console/memories/${id}/archive`
    const nextOf = async (path: string): Promise<string | undefined> => {
      const { text = '' } = await owner.get(path)
      const form = new RegExp(
        `action="${archive}">(<input type="hidden" name="next" value="([^"]+)">)?<button`,
      )
      return form.exec(text)?.[2]?.replaceAll('&amp;', '&')
    }
    expect(await nextOf(`/console/memories/${id}`)).toBeUndefined()
    const next = (await nextOf(`${PAGE}/atlas?tab=memories&w=7d&item=${id}`))!
    const { headers } = await owner.post(archive, { next })
    const back = new URL(String(headers.location), house.url)
    expect(back.pathname).toBe(`${PAGE}/atlas`)
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      tab: 'memories',
      w: '7d',
      item: id,
    })
    const { status, text = '' } = await owner.get(back.pathname + back.search)
    expect([status, text.includes(`data-open="${id}"`), text.includes('<b>Archived.</b>')]).toEqual(
      [200, true, true],
    )
  })

  test('keep what is open there when it is starred without scripts', async () => {
    await using house = await openHouse()
    const agent = await worker(house)
    const owner = ownerOf(house)
    const ids = {
      memories: (await agent.call('memory_write', fact('tides'))).id as string,
      notes: (await agent.call('notes_create', { title: 'Of atlas', body: 'B' })).id as string,
    }
    for (const [tab, kind] of [
      ['memories', 'memory'],
      ['notes', 'note'],
    ] as const) {
      const id = ids[tab]
      const nextOf = ({ text = '' }: { text?: string }) =>
        new RegExp(
          `action="/console/favorites/${kind}/${id}"><input type="hidden" name="next" value="([^"]+)"`,
        )
          .exec(text)?.[1]
          ?.replaceAll('&amp;', '&')
      for (const query of [`tab=${tab}&w=7d`, `tab=${tab}&w=7d&item=${id}`]) {
        const next = nextOf(await owner.get(`${PAGE}/atlas?${query}`))!
        const { headers } = await owner.post(`/console/favorites/${kind}/${id}`, { next })
        const back = new URL(String(headers.location), house.url)
        expect(back.pathname, query).toBe(`${PAGE}/atlas`)
        expect(Object.fromEntries(back.searchParams)).toMatchObject({ tab, w: '7d', item: id })
        const { status, text } = await owner.get(back.pathname + back.search)
        expect([status, text?.includes(`data-open="${id}"`)]).toEqual([200, true])
      }
      for (const query of ['', '?peek=1', '?reader=1'])
        expect(nextOf(await owner.get(`/console/${tab}/${id}${query}`)), query).toBe(
          `/console/${tab}/${id}`,
        )
    }
  })

  test('say that there is none yet where the project has none, however full the store is', async () => {
    await using house = await openHouse()
    const agent = await worker(house)
    await agent.call('memory_write', fact('tides'))
    await agent.call('notes_create', { title: 'N', body: 'B' })
    await add(agent, 'Dredge')
    await agent.call('project_create', { slug: 'bare', name: 'Bare' })
    for (const [tab, words] of Object.entries({
      tasks: 'Nothing to do',
      sessions: 'No session yet',
      memories: 'No memories yet',
      notes: 'No notes yet',
      interactions: 'Quiet',
    })) {
      expect(within(await textOf(house, `bare?tab=${tab}`)), tab).toContain(words)
    }
  })

  test('are those of sessions, memories and notes, held to it and narrowed there', async () => {
    await using house = await openHouse()
    for (const slug of ['atlas', 'docs']) {
      const agent = await worker(house, slug)
      await agent.call('session_update', { findings: `Findings of ${slug}` })
      await agent.call('memory_write', fact(`fact-of-${slug}`))
      await agent.call('notes_create', { title: `Note of ${slug}`, body: 'B' })
    }
    const listed = async (query: string) => (await one(house, `atlas?tab=${query}`)).listed
    const sessions = await listed('sessions')
    expect(sessions.sessions).toMatchObject([{ project: 'atlas', findings: 'Findings of atlas' }])
    expect(sessions.counts).toMatchObject({ live: 1, idle: 0, completed: 0, expired: 0 })
    expect((await listed('sessions&status=completed')).sessions).toEqual([])
    expect(await listed('memories')).toMatchObject({
      ...{ activeCount: 1, inactiveCount: 0, inactive: [] },
      groups: [{ project: 'atlas', kinds: [{ memories: [{ name: 'fact-of-atlas' }] }] }],
    })
    expect((await listed('memories&q=no-such')).groups).toEqual([])
    expect(await listed('notes')).toMatchObject({
      ...{ count: 1, groups: [{ project: 'atlas', notes: [{ title: 'Note of atlas' }] }] },
    })
    for (const tab of ['sessions', 'memories', 'notes']) {
      const main = within(await textOf(house, `atlas?tab=${tab}`))
      expect(main, tab).not.toContain('of docs')
      expect(main, tab).not.toContain('of-docs')
      expect(main, tab).not.toContain('id="menu-project"')
    }
    // What narrows a list stays on the page of the project.
    const main = within(await textOf(house, 'atlas?tab=sessions&status=active'))
    expect(main).toContain('href="/console/projects/atlas?tab=sessions&amp;status=completed"')
    expect(main).not.toContain('<th scope="col">Project</th>')
  })

  test('show an item beside its rail, and those that are believed no longer behind the others', async () => {
    await using house = await openHouse()
    const agent = await worker(house)
    const { id } = await agent.call('memory_write', fact('tides'))
    await agent.call('memory_write', { ...fact('tides-2'), supersedes: 'tides' })
    const { id: note } = await agent.call('notes_create', { title: 'How to moor', body: 'Slowly.' })
    const { listed } = await one(house, 'atlas?tab=memories')
    expect(listed.inactive).toMatchObject([{ id, status: 'superseded', replacedBy: 'tides-2' }])
    const memories = await textOf(house, `atlas?tab=memories&item=${id}`)
    expect(memories).toMatch(new RegExp(`id="item-${id}"[^>]*aria-current="true"`))
    expect(memories).toContain(`data-shown="/console/projects/atlas?tab=memories&amp;item=${id}"`)
    const notes = await textOf(house, `atlas?tab=notes&item=${note}`)
    expect(notes).toContain('<p>Slowly.</p>')
    expect(notes).toContain('href="/console/projects/atlas?tab=notes"')
  })

  test('of memories end with what it inherits from its parent', async () => {
    await using house = await openHouse()
    const atlas = await worker(house)
    await atlas.call('memory_write', fact('tides'))
    await (await worker(house, 'web')).call('memory_write', fact('sails'))
    await setParent(house.app.kernel, 'web', 'atlas')
    const { listed } = await one(house, 'web?tab=memories')
    expect(listed.groups.map(({ project }: any) => project)).toEqual(['web', 'atlas'])
    expect(listed.activeCount).toBe(1)
    expect(await textOf(house, 'web?tab=memories')).toContain('inherited by web')
    // They are believed: who asks for others is shown none of them.
    for (const [status, projects] of [
      ['active', ['web', 'atlas']],
      ['superseded', []],
      ['archived', []],
    ] as const) {
      const found = (await one(house, `web?tab=memories&status=${status}`)).listed
      expect(
        found.groups.map(({ project }: any) => project),
        status,
      ).toEqual(projects)
    }
    // One that has none of its own shows what it is told all the same.
    await worker(house, 'app')
    await setParent(house.app.kernel, 'app', 'atlas')
    const app = await textOf(house, 'app?tab=memories')
    expect(app).toContain('inherited by app')
    expect(app).toContain('What tides says')
    expect(app).toMatch(/class="rail-item"[^>]*aria-current="true"/)
  })

  test('lead from inherited memories that do not fit to those of the parent', async () => {
    await using house = await openHouse()
    const { kernel } = house.app
    const atlas = await worker(house)
    await atlas.call('memory_write', fact('tides'))
    await worker(house, 'web')
    await setParent(kernel, 'web', 'atlas')
    await sql`insert into memories (id, project, kind, name, description, body, path, content_hash, valid_from,
        created_at, updated_at, heading)
      select 'M' || lpad(n::text, 25, '0'), 'atlas', 'gotcha', 'm-' || n, '', '', 'memory/atlas/m-' || n || '.md', '',
        loam_now(), loam_now(), loam_now(), ''
      from generate_series(1, 205) n`.execute(kernel.db)
    const text = await textOf(house, 'web?tab=memories&w=7d')
    expect(text).toContain(
      '200 of 206 · <a href="/console/projects/atlas?tab=memories&amp;w=7d&amp;status=active">all of atlas</a>',
    )
  })
})

describe('the tables of a project', () => {
  test('are saved as CSV by the names that their rows have in the JSON', async () => {
    await using house = await openHouse()
    const agent = await worker(house)
    await agent.call('memory_write', fact('tides'))
    await add(agent, 'Dredge')
    const paths = ['projects', 'projects?group=flat', 'tasks', 'sessions']
    for (const path of [...paths, ...TABS.map((tab) => `projects/atlas?tab=${tab}`)]) {
      const owner = ownerOf(house)
      const { body } = await owner.json(`/console/${path}`)
      const { text } = await owner.get(`/console/${path}`)
      for (const [, names] of text.matchAll(/data-csv="([^"]+)"/g)) {
        for (const name of names!.split(' ')) {
          const at = (found: any, key: string) => [found].flat().flatMap((one) => one?.[key])
          const rows: any = name.split('.').reduce(at, body)
          expect([path, name, rows.includes(undefined)]).toEqual([path, name, false])
        }
      }
    }
  })
})

describe('the interactions of a project', () => {
  test('are its newest forty rows, and as many are counted as the feed has rows of it', async () => {
    await using house = await openHouse()
    const agent = await worker(house)
    const other = await worker(house, 'docs')
    await agent.call('memory_write', fact('tides'))
    for (let n = 0; n < 45; n++) await agent.call('tasks_list', { limit: n + 1 })
    // One that finds something records that beside its call, and one that finds nothing that as well.
    await agent.call('recall', { query: 'tides' })
    await agent.call('recall', { query: 'zzz' })
    await other.call('recall', { query: 'elsewhere' })
    const { rows, volume } = await one(house, 'atlas?tab=interactions')
    expect(rows).toHaveLength(40)
    expect(rows.every(({ sessionId }: any) => sessionId === agent.session)).toBe(true)
    expect(rows[0]).toMatchObject({ label: expect.stringContaining('recall'), project: 'atlas' })
    expect(volume).toHaveLength(40)
    const feed = (await ownerOf(house).json('/console/interactions?history=3600')).body.rows
    const own = feed.filter(({ project }: any) => project === 'atlas')
    const total = volume.reduce((sum: number, { n }: any) => sum + n, 0)
    expect([total, own.filter(({ kind }: any) => kind === 'tool.call').length]).toEqual([
      own.length,
      volume.reduce((sum: number, { tool = 0 }: any) => sum + tool, 0),
    ])
    const main = within(await textOf(house, 'atlas?tab=interactions'))
    expect(main.match(/<tr class="row/g)).toHaveLength(40)
    expect(main).not.toContain('elsewhere')
    expect(main).toContain(`<b>${total}</b> events`)
  })

  test('are shown however long ago they were, and whoever did something in the project', async () => {
    await using house = await openHouse()
    const atlas = await worker(house)
    const docs = await worker(house, 'docs')
    await docs.call('memory_write', { ...fact('tides'), project: 'atlas' })
    const { db } = house.app.kernel
    await atlas.call('tasks_list', {})
    await house.app.kernel.telemetry.flush()
    // Of agents that work elsewhere.
    await db
      .updateTable('events')
      .set({ session_id: docs.session })
      .where('session_id', '=', atlas.session)
      .execute()
    await sql`insert into events (id, ts, kind, transport, project, payload)
      select '7' || lpad(n::text, 25, '0'), loam_now() + n * interval '1 ms', 'note.written', false, 'docs', '{}'
      from generate_series(1, 600) n`.execute(db)
    const { rows } = await one(house, 'atlas?tab=interactions')
    expect(rows.map(({ sessionId }: any) => sessionId)).toContain(docs.session)
    expect(await textOf(house, 'atlas?tab=interactions')).not.toContain('Quiet')
    expect((await one(house, 'atlas')).recent).toMatchObject([{ kind: 'memory.written' }])
  })

  test('are those of a stretch where a bar leads', async () => {
    await using house = await openHouse()
    const agent = await worker(house)
    await agent.call('tasks_list', { limit: 1 })
    await house.moveClock('3 hours')
    await agent.call('tasks_list', { limit: 2 })
    await (await worker(house, 'docs')).call('tasks_list', { limit: 3 })
    const text = within(await textOf(house, 'atlas?tab=interactions'))
    const bars = [
      ...text.matchAll(/<a href="([^"]*afterTs[^"]*)" tabindex="-1"><title>[^<]*: (\d+)/g),
    ]
    expect(bars).toHaveLength(40)
    expect(text).not.toContain('href="/console/interactions?')
    const busy = bars
      .filter(([, , n]) => n !== '0')
      .map(([, href, n]) => [href!.replaceAll('&amp;', '&'), n])
    expect(busy).toHaveLength(2)
    for (const [href, n] of busy) {
      const { body } = await ownerOf(house).json(href!)
      expect(body.rows).toHaveLength(Number(n))
      const page = within((await ownerOf(house).get(href!)).text)
      expect(page).toMatch(/class="chip" href="\/console\/projects\/atlas\?tab=interactions"/)
      expect(page).toContain('The last rows of this stretch.')
    }
    const empty = bars.find(([, , n]) => n === '0')![1]!.replaceAll('&amp;', '&')
    expect((await ownerOf(house).get(empty)).text).toContain('Nothing happened then.')
    for (const query of [
      'afterTs=2026-01-01T00:00:00Z',
      'afterTs=soon&beforeTs=2026-01-01T00:00:00Z',
    ])
      expect((await ownerOf(house).json(`${PAGE}/atlas?tab=interactions&${query}`)).status).toBe(
        400,
      )
  })
})

describe('the context of a project', () => {
  test('goes on over pages where many are told something, and says how many follow', async () => {
    await using house = await openHouse()
    const { db } = house.app.kernel
    await worker(house)
    await db
      .insertInto('projects')
      .values(
        Array.from({ length: 70 }, (_, n) => `c-${String(n).padStart(2, '0')}`).map((slug) => ({
          ...{ id: slug, slug, name: slug, parent_slug: 'atlas' },
        })),
      )
      .execute()
    const first = await one(house, 'atlas?tab=context')
    expect([first.context.length, first.more]).toEqual([60, 12])
    const last = await one(house, 'atlas?tab=context&page=2')
    expect([last.context.length, last.more]).toEqual([12, undefined])
    expect(await textOf(house, 'atlas?tab=context&w=7d')).toContain(
      'href="/console/projects/atlas?tab=context&amp;w=7d&amp;page=2" rel="next">12 more</a>',
    )
    expect(await textOf(house, 'atlas?tab=context&page=2')).toContain(
      'href="/console/projects/atlas?tab=context&amp;page=1" rel="prev"',
    )
  })

  test('is that of the page Context, focused on it', async () => {
    await using house = await openHouse()
    const atlas = await worker(house)
    await atlas.call('memory_write', fact('never-on-friday', 'constraint'))
    await worker(house, 'web')
    await setParent(house.app.kernel, 'web', 'atlas')
    const { context, preview } = await one(house, 'web?tab=context')
    const focused = await ownerOf(house).json('/console/context?scope=project&project=web')
    expect(context).toEqual(focused.body.projects)
    expect(preview.start.tokens).toBe(focused.body.preview.start.tokens)
    const text = await textOf(house, 'web?tab=context')
    expect(text).toContain('Who is told what of whom')
    expect(text).toContain('atlas/never-on-friday')
  })
})
