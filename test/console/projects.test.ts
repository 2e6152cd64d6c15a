import { describe, expect, test } from 'vitest'
import { mapRepo, setParent, setRetired } from '../../src/projects/projects.ts'
import { callHook } from '../helpers/call-hook.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { add, worker } from '../tasks/given.ts'
import { ownerOf } from './owner.ts'

const PROJECTS = '/console/projects'
const board = async (house: House, query = ''): Promise<any> =>
  (await ownerOf(house).json(PROJECTS + query)).body
const rowOf = ({ groups, flat }: any, slug: string) =>
  (flat ?? groups.flatMap(({ rows }: any) => rows)).find((row: any) => row.slug === slug)
const slugs = ({ flat }: { flat: { slug: string }[] }) => flat.map(({ slug }) => slug)

const fact = (name: string, kind = 'gotcha') => ({
  ...{ name, kind, description: `What ${name} says`, body: 'B.' },
})

/** A parent with a memory, a child that inherits it, and a project on its own. */
async function furnish(house: House) {
  const { kernel } = house.app
  const atlas = await worker(house)
  await atlas.call('memory_write', fact('tides'))
  const web = await worker(house, 'web')
  await web.call('memory_write', fact('sails'))
  const docs = await worker(house, 'docs')
  await setParent(kernel, 'web', 'atlas')
  return { atlas, web, docs }
}

/** What an agent is told when it starts in the project. */
async function brief(house: House, project: string) {
  const cwd = `/work/${project}`
  await mapRepo(house.app.kernel, { place: cwd, project })
  await callHook(house, 'session-start', { session_id: `a-${project}`, cwd, source: 'startup' })
}

describe('the board of projects', () => {
  test('has a row for each project, with what is strictly its own, and what it inherits', async () => {
    await using house = await openHouse()
    const { atlas, web } = await furnish(house)
    await atlas.call('notes_create', { title: 'How to moor', body: 'B' })
    const quay = await add(atlas, 'Mend the quay')
    await add(atlas, 'Paint it', { depends_on: [quay] })
    const over = await add(atlas, 'Look at it')
    await atlas.call('tasks_update', { id: over, status: 'done' })
    await web.call('session_end', {
      findings: 'F',
      tokens: { input: 10, cached: 20, cache_creation: 30, output: 40 },
    })

    const found = await board(house)
    expect(found).toMatchObject({
      ...{ group: 'family', sort: 'recent', query: '', window: '24h' },
      ...{ windowLabel: 'last 24 hours', projects: 3, families: 1, working: 2, liveScopes: 2 },
      ...{ sessions: 3, openTasks: 2, blocked: 1, memories: 2, notes: 1, tokensTotal: 100 },
      ...{ surfaced: 0, active: 2, reachRate: 0, hasReach: true },
      ...{ attention: 1, unregistered: 0, retired: 0 },
    })
    expect(rowOf(found, 'atlas')).toMatchObject({
      ...{ name: 'atlas', description: '', isolation: 'open', role: 'parent' },
      ...{ global: false, parent: true, child: false, retired: false, unregistered: false },
      ...{ working: 1, sessions: 1, openTasks: 2, blocked: 1, memories: 1, notes: 1 },
      ...{ inherited: 0, surfaced: 0, active: 1, reachRate: 0, hasReach: true, favorite: false },
      ...{ tokensTotal: 0, attention: true, lastActive: expect.any(String) },
    })
    expect(rowOf(found, 'web')).toMatchObject({
      ...{ role: 'child', parentSlug: 'atlas', child: true, working: 0, sessions: 1 },
      ...{ memories: 1, inherited: 1, tokensTotal: 100, attention: false },
    })
    expect(rowOf(found, '')).toMatchObject({ global: true, role: 'shared root', sessions: 0 })
    expect(rowOf(found, 'docs')).toMatchObject({ hasReach: false, role: 'standalone' })

    const { text } = await ownerOf(house).get(PROJECTS)
    expect(text).toContain('inherits 1 from atlas')
    expect(text).toContain('1 needs a look')
    expect(text).toContain('href="/console/projects/atlas" data-open')
    expect(text).toContain('data-peek="/console/projects/web?peek=1"')
  })

  test('counts as reached what was put before an agent in the window', async () => {
    await using house = await openHouse()
    const { atlas } = await furnish(house)
    await atlas.call('memory_write', fact('piers'))
    await brief(house, 'web')
    await house.app.kernel.telemetry.flush()
    const now = await board(house)
    expect(rowOf(now, 'atlas')).toMatchObject({ surfaced: 2, active: 2, reachRate: 100 })
    expect(now.groups).toMatchObject([
      { icon: 'root' },
      { icon: 'family', label: 'atlas', count: 2, memories: 3, reachRate: 100, hasReach: true },
      { icon: 'standalone', label: 'Standalone', count: 1, hasReach: false },
    ])
    await house.moveClock('3 days')
    await atlas.call('memory_write', fact('moles'))
    expect(rowOf(await board(house), 'atlas')).toMatchObject({ surfaced: 0, active: 3 })
    const week = await board(house, '?w=7d')
    expect(rowOf(week, 'atlas')).toMatchObject({ surfaced: 2, reachRate: 67 })
    // Of the sums, and no mean of 67 and 100.
    expect(week).toMatchObject({ surfaced: 3, active: 4, reachRate: 75, window: '7d' })
  })

  test('stands by family: what all share, parents before their children, others, and what is out of use', async () => {
    await using house = await openHouse()
    await furnish(house)
    const { kernel } = house.app
    await worker(house, 'app')
    await setParent(kernel, 'app', 'web')
    await worker(house, 'old')
    await setRetired(kernel, 'old', true)
    const { groups, retired } = await board(house)
    expect(retired).toBe(1)
    const bands = groups.map(({ icon, rows }: any) => [icon, rows.map(({ slug }: any) => slug)])
    expect(bands).toEqual([
      ['root', ['']],
      ['family', ['atlas', 'web', 'app']],
      ['standalone', ['docs']],
      ['retired', ['old']],
    ])
    expect(groups[1].rows.map(({ depth }: any) => depth)).toEqual([0, 1, 2])
    expect(groups[1]).toMatchObject({
      ...{ label: 'atlas', note: 'with what inherits from it', count: 3 },
      ...{ working: 3, sessions: 3, openTasks: 0, blocked: 0, memories: 2, notes: 0 },
      ...{ tokensTotal: 0, surfaced: 0, active: 2 },
    })
    expect(groups[3].rows[0]).toMatchObject({ retired: true, role: 'retired' })

    const flat = await board(house, '?group=flat&sort=name')
    expect(flat.groups).toBeUndefined()
    expect(slugs(flat)).toEqual(['', 'app', 'atlas', 'docs', 'old', 'web'])
  })

  test('is ordered by the last activity of anybody there', async () => {
    await using house = await openHouse()
    for (const slug of ['atlas', 'docs', 'web', 'docs']) {
      await house.session(slug)
      await house.moveClock('1 minute')
    }
    expect(slugs(await board(house, '?group=flat'))).toEqual(['docs', 'web', 'atlas', ''])
  })

  test('is ordered by reach and by name, strictly', async () => {
    await using house = await openHouse()
    await furnish(house)
    await brief(house, 'web')
    await house.app.kernel.telemetry.flush()
    expect(slugs(await board(house, '?group=flat&sort=coverage'))).toEqual([
      ...['atlas', 'web'],
      ...['', 'docs'],
    ])
    expect(slugs(await board(house, '?group=flat&sort=name'))).toEqual(['', 'atlas', 'docs', 'web'])
    // Bands go by their parent.
    const { groups } = await board(house, '?sort=name')
    expect(groups.map(({ label }: any) => label)).toEqual(['Shared by all', 'atlas', 'Standalone'])
    for (const query of ['?sort=size', '?group=tree', '?w=1h']) {
      expect((await ownerOf(house).json(PROJECTS + query)).status).toBe(400)
    }
  })

  test('is filtered by slug, name and description, and says when nothing matches', async () => {
    await using house = await openHouse()
    await furnish(house)
    const agent = await house.connect()
    const harbor = { slug: 'harbor', name: 'The Harbour', description: 'Ships that come and go' }
    await agent.call('project_create', harbor)
    for (const words of ['HARB', 'the har', 'COME and']) {
      const found = await board(house, `?group=flat&q=${encodeURIComponent(words)}`)
      expect(slugs(found)).toEqual(['harbor'])
      expect(found).toMatchObject({ projects: 1, query: words })
    }
    // A child stands below its parent even when only the child matches.
    expect((await board(house, '?q=web')).groups).toMatchObject([
      { icon: 'family', label: 'atlas', rows: [{ slug: 'web', depth: 1 }] },
    ])
    const { text } = await ownerOf(house).get(`${PROJECTS}?q=no-such`)
    expect(text).toContain('Nothing matches')
    expect(text).toContain('Search everything')
  })

  test('leads from the global row nowhere, and to the page of a project that is out of use', async () => {
    await using house = await openHouse()
    await worker(house, 'old')
    await setRetired(house.app.kernel, 'old', true)
    const { text } = await ownerOf(house).get(PROJECTS)
    expect(text).not.toContain('/console/projects/global')
    expect(text).toContain('<span>global</span>')
    expect(text).toContain('href="/console/projects/old"')
    expect(text).toContain('<span class="pill">retired</span>')
  })

  test('shows a slug that nobody registered, and asks for a look', async () => {
    await using house = await openHouse()
    await house.session('ghost')
    const found = await board(house)
    expect(found).toMatchObject({ unregistered: 1, attention: 1, projects: 1 })
    expect(rowOf(found, 'ghost')).toMatchObject({ unregistered: true, role: 'unregistered' })
    const { text } = await ownerOf(house).get(PROJECTS)
    expect(text).toContain('unregistered</span>')
    expect(text).toContain('aria-label="needs a look"')
  })

  test('keeps projects apart that are each other’s parents', async () => {
    await using house = await openHouse()
    await furnish(house)
    // No door allows it; rows may come from elsewhere.
    const { db } = house.app.kernel
    await db
      .updateTable('projects')
      .set({ parent_slug: 'web' })
      .where('slug', '=', 'atlas')
      .execute()
    const found = await board(house)
    expect(found.projects).toBe(3)
    for (const slug of ['atlas', 'web']) expect(rowOf(found, slug)).toBeDefined()
    for (const slug of ['atlas', 'web']) {
      expect((await ownerOf(house).get(`${PROJECTS}/${slug}`)).status).toBe(200)
    }
  })

  test('says in a store that is new what brings projects', async () => {
    await using house = await openHouse()
    const found = await board(house)
    expect(found).toMatchObject({ projects: 0, hasReach: false, attention: 0 })
    expect(found.groups).toMatchObject([{ icon: 'root', rows: [{ global: true }] }])
    const { text } = await ownerOf(house).get(PROJECTS)
    expect(text).toContain('A project appears with the first agent')
  })

  test('shows stars and fences at a glance', async () => {
    await using house = await openHouse()
    await worker(house, 'ledger', 'confidential')
    await worker(house)
    const owner = ownerOf(house)
    await owner.post('/console/favorites/project/atlas')
    expect(rowOf(await board(house), 'atlas').favorite).toBe(true)
    const { text } = await owner.get(PROJECTS)
    expect(text).toContain('<span class="pill">confidential</span>')
    expect(text).toMatch(/id="row-atlas"[^>]*data-starred="1"/)
  })

  test('shows families at a glance: what each holds together, its children indented below', async () => {
    await using house = await openHouse()
    await furnish(house)
    await brief(house, 'web')
    const { text } = await ownerOf(house).get(PROJECTS)
    const band = text.slice(
      text.indexOf('id="band-family-atlas"'),
      text.indexOf('id="band-standalone'),
    )
    expect(band).toContain(
      'atlas</span> <b>2</b> with what inherits from it · 2 memories, 100 % reached</td>',
    )
    expect(
      [...band.matchAll(/project-name depth-(\d)"><a href="([^"]+)"/g)].map(([, ...at]) => at),
    ).toEqual([
      ['0', '/console/projects/atlas'],
      ['1', '/console/projects/web'],
    ])
  })

  test('has its families in the order of their parents, whatever a child did last', async () => {
    await using house = await openHouse()
    for (const slug of ['atlas', 'web', 'zoo', 'ape']) await worker(house, slug)
    const { kernel } = house.app
    await setParent(kernel, 'web', 'atlas')
    await setParent(kernel, 'ape', 'zoo')
    for (const slug of ['atlas', 'zoo', 'web']) {
      await house.moveClock('1 minute')
      await house.session(slug)
    }
    const families = async (query: string) =>
      (await board(house, query)).groups
        .filter(({ icon }: any) => icon === 'family')
        .map(({ label }: any) => label)
    expect(await families('')).toEqual(['zoo', 'atlas'])
    expect(await families('?sort=name')).toEqual(['atlas', 'zoo'])
    // Where only children match, their parents order them all the same.
    expect(await families('?sort=name&q=e')).toEqual(['atlas', 'zoo'])
  })

  test('calls a project by its name, with its slug behind it where that says something else', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await agent.call('project_create', { slug: 'harbor', name: 'The Harbour' })
    await agent.call('project_create', { slug: 'the-quay', name: 'The Quay' })
    const { text } = await ownerOf(house).get(PROJECTS)
    expect(text).toContain('>The Harbour</a><small class="mono">harbor</small>')
    expect(text).toContain('>The Quay</a>')
    expect(text).not.toContain('<small class="mono">the-quay')
  })

  test('calls a family as its parent, and tells families of one name apart', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    for (const slug of ['harbor', 'port']) {
      await agent.call('project_create', { slug, name: 'The Harbour' })
      await worker(house, `${slug}-web`)
      await setParent(house.app.kernel, `${slug}-web`, slug)
    }
    const { text = '' } = await ownerOf(house).get(`${PROJECTS}?sort=name`)
    const heads = [...text.matchAll(/<tr id="head-family-([^"]+)"><td[^>]*><span[^>]*>([^<]+)</g)]
    expect(heads.map(([, ...head]) => head)).toEqual([
      ['harbor', 'The Harbour'],
      ['port', 'The Harbour'],
    ])
    const { groups } = await board(house, '?sort=name')
    expect(groups.map(({ label, slug }: any) => [label, slug])).toEqual([
      ['Shared by all', undefined],
      ['The Harbour', 'harbor'],
      ['The Harbour', 'port'],
    ])
  })

  test('offers no star where nobody registered the project', async () => {
    await using house = await openHouse()
    await house.session('ghost')
    await worker(house)
    const { text } = await ownerOf(house).get(PROJECTS)
    expect(text).toMatch(
      /id="row-atlas" data-row data-kind="project" data-item="atlas" data-starred="0"/,
    )
    expect(text).toContain('id="row-ghost" data-row data-peek=')
    for (const path of ['ghost', 'ghost?peek=1']) {
      const page = (await ownerOf(house).get(`${PROJECTS}/${path}`)).text
      expect(page, path).not.toContain('/console/favorites/project/')
      expect(page, path).not.toContain('data-starred')
    }
  })

  test('hands its window on to the page of a project', async () => {
    await using house = await openHouse()
    await worker(house)
    const owner = ownerOf(house)
    const { text } = await owner.get(`${PROJECTS}?w=7d`)
    expect(text).toContain('href="/console/projects/atlas?w=7d" data-open')
    expect(text).toContain('data-peek="/console/projects/atlas?w=7d&amp;peek=1"')
    const peek = (await owner.get(`${PROJECTS}/atlas?w=7d&peek=1`)).text
    expect(peek).toContain('class="sheet-title" dir="auto"><a href="/console/projects/atlas?w=7d"')
    const overview = (await owner.get('/console/?w=7d')).text
    expect(overview).toContain('href="/console/projects/atlas?w=7d"')
  })

  test('cuts a long board into pages that lose no project', async () => {
    await using house = await openHouse()
    const { db } = house.app.kernel
    const many = Array.from({ length: 205 }, (_, n) => `p-${String(n).padStart(3, '0')}`)
    await db
      .insertInto('projects')
      .values(many.map((slug) => ({ id: slug, slug, name: slug })))
      .execute()
    const first = await board(house, '?group=flat&sort=name')
    const last = await board(house, '?group=flat&sort=name&page=3')
    expect([first.flat.length, first.more, first.projects]).toEqual([100, 106, 205])
    expect(slugs(last)).toEqual(many.slice(-6))
    expect(last.more).toBeUndefined()
    // By family a band that is cut says so.
    const { text } = await ownerOf(house).get(`${PROJECTS}?sort=name`)
    expect(text).toContain('<b>99 of 205</b>')
  })
})
