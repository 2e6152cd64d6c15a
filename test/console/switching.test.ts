/**
 * What switching a feature changes, held to what screens and tools declare: no more, no less, in every process, and
 * nothing is deleted. A screen, tool or surface that a feature gains later is held to it without a word here.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { screens } from '../../src/console/screens.ts'
import { showsOf } from '../../src/console/settings/features.ts'
import { addressOf } from '../../src/console/address.ts'
import type { Feature } from '../../src/features/features.ts'
import { catalog } from '../../src/mcp/catalog.ts'
import { openDatabase } from '../../src/postgres/database.ts'
import { connect } from '../helpers/agent.ts'
import { buildHouse, type House } from '../helpers/build-house.ts'
import { bytesIn } from '../helpers/bytes-in.ts'
import { testDatabase } from '../helpers/database.ts'
import { startService, type Service } from '../helpers/service.ts'
import { tried } from '../helpers/research.ts'
import { declaredPages } from './look/declared.ts'
import { ITEMS } from './look/items.ts'
import type { Asker } from './look/stores.ts'
import { ownerOf, type Owner } from './owner.ts'

const server = process.env['LOAM_TEST_DATABASE_URL']
const FEATURES: Feature[] = ['research', 'momentum', 'gamification']

/** A process that serves the store. */
type At = Pick<House, 'url' | 'key'>

const programs = (at: At) => async (path: string) => {
  const answer = await fetch(`${at.url}${path}`, {
    headers: { authorization: `Bearer ${at.key}`, accept: 'application/json' },
  })
  return { status: answer.status, body: (await answer.json()) as any }
}
const pageOf = async (at: At, path: string): Promise<string> => {
  const headers = { authorization: `Bearer ${at.key}`, accept: 'text/html' }
  return (await fetch(`${at.url}${path}`, { headers })).text()
}

/** The path of each value, without numbers: `groups[].notes[].id`. */
function keysOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) {
    return [`${path}[]`, ...value.flatMap((one) => keysOf(one, `${path}[]`))]
  }
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([name, one]) =>
    keysOf(one, path === '' ? name : `${path}.${name}`),
  )
}

/** What happened last is other events each time: the switch itself is one. */
const LATELY = /^(?:wire|recent|timeline|interactions|history|attention)\b/

interface Seen {
  tools: string[]
  /** Of the navigation. */
  entries: string[]
  scopes: string[]
  /** By address: its status, and the paths of its JSON. */
  pages: Record<string, { status: number; keys: string[] }>
}

/** What one process shows at this moment. */
async function look(at: At, paths: readonly string[]): Promise<Seen> {
  await using agent = await connect({ ...at, name: 'looker' })
  const ask = programs(at)
  const front = await pageOf(at, '/console/notes')
  const { body } = await ask('/console/search?q=xx&scope=nonsense')
  const pages: Seen['pages'] = {}
  for (const path of paths) {
    const { status, body } = await ask(path)
    const keys = new Set(keysOf(body).filter((key) => !LATELY.test(key)))
    pages[path] = { status, keys: [...keys].sort() }
  }
  return {
    tools: (await agent.tools()).map(({ name }) => name).sort(),
    entries: [...front.matchAll(/class="nav-entry" href="[^"]*"[^>]*>\s*<span>([^<]+)</g)].map(
      ([, label]) => label!,
    ),
    scopes: String(body.error)
      .replace(/^.*valid values are /, '')
      .split(', '),
    pages,
  }
}

const added = (before: readonly string[], after: readonly string[]): string[] =>
  after.filter((one) => !before.includes(one))

/** Something of all that pages show. Answers the addresses of its items. */
async function furnish(house: House, owner: Owner): Promise<string[]> {
  for (const feature of FEATURES)
    await owner.post('/console/settings/features', { [`feature_${feature}`]: '1' })
  await owner.post(
    '/console/settings/features',
    Object.fromEntries(FEATURES.map((one) => [`feature_${one}`, '1'])),
  )
  const agent = await house.connect()
  await agent.call('session_start', { name: 'one', project: 'atlas' })
  await agent.call('memory_write', { name: 'tides', kind: 'gotcha', description: 'd', body: 'b' })
  await agent.call('notes_create', { title: 'T', body: 'b' })
  for (const title of ['first', 'second']) await tried(agent, title)
  const steps: string[] = []
  for (const title of ['A', 'B', 'C', 'D', 'E'])
    steps.push(String((await agent.call('tasks_add', { title, plan: 'launch' }))['id']))
  for (const id of steps.slice(0, 4)) await agent.call('tasks_update', { id, status: 'done' })
  await agent.call('tasks_claim', { id: steps[4] })
  const { id } = await agent.call('tasks_add', { title: 'Only', plan: 'shipped' })
  await agent.call('tasks_update', { id, status: 'done' })
  const other = await house.connect('bob')
  await other.call('session_start', { name: 'two', project: 'atlas' })
  await other.call('memory_read', { name: 'tides' })
  await house.app.kernel.telemetry.flush()
  const json = programs(house)
  const ask: Asker = {
    json: async (path) => (await json(path)).body,
    text: (path) => pageOf(house, path),
  }
  const found: string[] = []
  for (const { url, ofItem, parameters } of await declaredPages(screens)) {
    if (!ofItem) found.push(url === '/console' ? '/console/' : url)
    else {
      const ids = Object.values((await ITEMS[url]?.(ask)) ?? {}).filter((one) => one !== undefined)
      const pages = ids.slice(0, 2).map((one) => url.replace(/:\w+/, encodeURIComponent(one)))
      const parts = (parameters['tab'] ?? []).map((tab) => `?tab=${tab}`)
      found.push(...pages.flatMap((page) => ['', ...parts].map((part) => page + part)))
    }
  }
  return [...new Set(found)]
}

/** What an owner would miss: every row of knowledge and work, and every file. */
async function kept({ app, dir }: House) {
  const { db } = app.kernel
  await app.kernel.telemetry.flush()
  const rows: Record<string, string[]> = {}
  for (const table of ['memories', 'notes', 'tasks', 'trials', 'moments', 'sessions', 'projects']) {
    const volatile = table === 'sessions' ? '{updated_at,announced_at}' : '{}'
    const { rows: found } = await sql<{ all: string }>`
      select (to_jsonb(t) - ${volatile}::text[])::text as all from ${sql.table(table)} t`.execute(
      db,
    )
    rows[table] = found.map(({ all }) => all)
  }
  return { rows, files: { ...(await bytesIn(dir, 'memory')), ...(await bytesIn(dir, 'notes')) } }
}

describe('switching a feature', () => {
  let house: House
  let owner: Owner
  let second: Service | undefined
  let folder: string
  let paths: string[]
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'loam-switching-'))
    const to = await testDatabase()
    const database = server
      ? await openDatabase({ ...to, log: pino({ level: 'silent' }) })
      : undefined
    house = await buildHouse(database ? { database } : {})
    owner = ownerOf(house)
    paths = await furnish(house, owner)
    if (!server) return
    second = await startService({
      ...{ folder, fresh: true },
      env: {
        ...{ LOAM_DATABASE_URL: to.url!, LOAM_DATA_DIR: house.dir, LOAM_MCP_API_KEY: house.key },
        ...{ LOAM_GARDENER_ENABLED: 'false', LOAM_DATABASE_POOL: '4' },
      },
    })
  })
  afterAll(async () => {
    await second?.[Symbol.asyncDispose]()
    await house.close()
    await rm(folder, { recursive: true, force: true })
  })

  beforeEach(async () => void (await owner.post('/console/settings/features')))

  const ats = (): At[] => [house, ...(second ? [{ url: second.url, key: house.key }] : [])]

  test.each(FEATURES)(
    '%s changes what it declares, in every process, and deletes nothing',
    async (feature) => {
      const shows = showsOf({ screens, service: { tools: catalog } } as never, feature)
      const own = screens.filter((screen) => screen.feature === feature)
      const ownScopes = own.flatMap(({ search }) => search?.scope ?? [])
      const before = await kept(house)
      const off: Seen[] = []
      for (const at of ats()) off.push(await look(at, paths))

      await owner.post('/console/settings/features', { [`feature_${feature}`]: '1' })
      for (const [nth, at] of ats().entries()) {
        const [was, now] = [off[nth]!, await look(at, paths)]
        expect(added(was.tools, now.tools)).toEqual(shows.tools)
        expect(added(was.entries, now.entries)).toEqual(shows.screens)
        expect(added(was.scopes, now.scopes)).toEqual(ownScopes)
        for (const [less, more] of [
          [now.tools, was.tools],
          [now.entries, was.entries],
          [now.scopes, was.scopes],
        ]) {
          expect(added(less!, more!)).toEqual([])
        }
        const shown = new Set<string>()
        for (const path of paths) {
          const [page, then] = [now.pages[path]!, was.pages[path]!]
          const by = screenOf(path)?.feature
          const statuses = by === undefined ? [200, 200] : [403, by === feature ? 200 : 403]
          expect([path, then.status, page.status]).toEqual([path, ...statuses])
          if (by !== undefined) continue
          expect(added(page.keys, then.keys), path).toEqual([])
          const fresh = added(then.keys, page.keys)
          expect(
            fresh.filter((key) => ownersOf(feature, path, key).length === 0),
            path,
          ).toEqual([])
          for (const key of fresh)
            for (const label of ownersOf(feature, path, key)) shown.add(label)
        }
        const declared = screens
          .flatMap(({ surfaces = [] }) => surfaces)
          .filter((surface) => surface.feature === feature && surface.owns.length > 0)
        expect([...shown].sort()).toEqual(declared.map(({ label }) => label).sort())
      }
      for (const at of ats())
        for (const path of own.filter(({ nav }) => nav).map(addressOf))
          expect(await pageOf(at, path)).not.toContain('is switched off')

      await owner.post('/console/settings/features')
      for (const [nth, at] of ats().entries()) expect(await look(at, paths)).toEqual(off[nth])
      for (const at of ats()) {
        for (const path of own.filter(({ nav }) => nav).map(addressOf)) {
          const text = await pageOf(at, path)
          expect(text).toContain('is switched off</h1>')
          expect(text).toContain('href="/console/settings#features"')
        }
        await using agent = await connect({ ...at, name: 'caller' })
        for (const tool of shows.tools)
          await expect(agent.raw(tool, {}), tool).rejects.toMatchObject({ code: -32602 })
      }
      const { rows, files } = await kept(house)
      expect(files).toEqual(before.files)
      // What is minted while a feature is on comes to them, and stays.
      for (const [table, all] of Object.entries(before.rows))
        expect(rows[table], table).toEqual(expect.arrayContaining(all))
    },
  )

  test('research shows labs and trials: their tools, their scope of the search, what sessions left of them', () => {
    const { tools, scopes, surfaces } = showsOf(
      { screens, service: { tools: catalog } } as never,
      'research',
    )
    expect(tools).toEqual(['lab_open', 'trial_query', 'trial_record'])
    expect(scopes).toContain('Trials')
    expect(surfaces).toContain('Trials among what a session left')
  })

  test('momentum and gamification own no screen, no tool and no scope of the search', () => {
    for (const feature of ['momentum', 'gamification'] as const) {
      const {
        screens: own,
        scopes,
        tools,
      } = showsOf({ screens, service: { tools: catalog } } as never, feature)
      expect([own, scopes, tools], feature).toEqual([[], [], []])
    }
  })

  test('the settings tell the same, and that it is kept', async () => {
    const { body } = await owner.json('/console/settings')
    for (const { key, tools, whenOff, dataKept } of body.features) {
      const shows = showsOf({ screens, service: { tools: catalog } } as never, key)
      expect(tools).toEqual(shows.tools)
      for (const name of [...shows.tools, ...shows.screens, ...shows.scopes])
        expect(whenOff).toContain(name)
      expect(dataKept).toMatch(/^[\d,]+ \w+/)
    }
  })
})

/** The screen whose page it is. */
const screenOf = (path: string) =>
  screens
    .filter((one) => {
      const address = addressOf(one)
      return path === address || path.startsWith(address.endsWith('/') ? address : `${address}/`)
    })
    .toSorted((a, b) => addressOf(b).length - addressOf(a).length)
    .at(0)

/** The surfaces that declare the value, by their labels: those of the screen whose page it is. */
function ownersOf(feature: Feature, path: string, key: string): string[] {
  const isOf = (name: string): boolean =>
    key === name || key.startsWith(`${name}.`) || key.startsWith(`${name}[]`)
  return (screenOf(path)?.surfaces ?? [])
    .filter((surface) => surface.feature === feature && surface.owns.map(camel).some(isOf))
    .map(({ label }) => label)
}

const camel = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
