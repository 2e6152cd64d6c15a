import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TABS } from '../../src/console/projects/tabs.ts'
import { screens } from '../../src/console/screens.ts'
import { declaredPages } from './look/declared.ts'
import { ITEMS } from './look/items.ts'
import { Stores, type Asker } from './look/stores.ts'

const HERE = 'test/console'

interface Row {
  says: string
  file: string
  name: string
}

interface Part {
  title: string
  rows: Row[]
}

/** The parts of rows.md, each with the rows of its table. */
function readParts(): Part[] {
  const parts: Part[] = []
  for (const line of readFileSync(`${HERE}/rows.md`, 'utf8').split('\n')) {
    const [, title] = /^##+ (.+)$/.exec(line) ?? []
    if (title !== undefined) parts.push({ title, rows: [] })
    if (!line.startsWith('| ') || /^\| (?:Promise|Fields) \|/.test(line)) continue
    const [says = '', proof = ''] = line.slice(2, -2).split(' | ')
    const [file = '', ...name] = proof.split(': ')
    parts.at(-1)!.rows.push({ says, file, name: name.join(': ') })
  }
  return parts
}

const parts = readParts()

test('every promise of a page names a test that there is', () => {
  expect(parts.flatMap(({ rows }) => rows).length).toBeGreaterThan(100)
  for (const { says, file, name } of parts.flatMap(({ rows }) => rows)) {
    const path = join(HERE, file)
    expect(file.endsWith('.test.ts') && existsSync(path), `${says}: ${file}`).toBe(true)
    const text = readFileSync(path, 'utf8')
    const isThere = ["'", '`', '"'].some((quote) => text.includes(`${quote}${name}${quote}`))
    expect(name !== '' && isThere, `${says}: ${file}: ${name}`).toBe(true)
  }
})

describe('the JSON of each page', () => {
  let stores: Stores
  /** With and without what optional features add. */
  let askers: Asker[]
  beforeAll(async () => {
    stores = new Stores(0.15)
    askers = [(await stores.open('full')).ask, (await stores.open('features')).ask]
  })
  afterAll(() => stores[Symbol.asyncDispose]())

  const named = parts.flatMap(({ title, rows }) => {
    const [, url] = /^JSON of `(.+)`$/.exec(title) ?? []
    const fields = rows.flatMap(({ says }) =>
      [...says.matchAll(/`([^`]+)`/g)].map(([, field]) => field!),
    )
    return url === undefined ? [] : [{ url, fields }]
  })

  test.each(named)(
    'of $url has the fields that are named, and no others',
    async ({ url, fields }) => {
      const names = fields.map((field) => field.replace('?', ''))
      expect(new Set(names).size, 'each once').toBe(names.length)
      const found = new Set<string>()
      for (const ask of askers) {
        for (const path of await pathsOf(url, ask)) {
          for (const field of fieldsOf(await ask.json(path))) found.add(field)
        }
      }
      // An empty list says nothing of what it may hold.
      const isEmptyOf = (field: string) => (other: string) => other.startsWith(`${field}.`)
      const told = [...found].filter((field) => ![...names, ...found].some(isEmptyOf(field)))
      expect(told.filter((field) => !names.includes(field))).toEqual([])
      const wanted = fields.filter((field) => !field.endsWith('?'))
      expect(wanted.filter((field) => !found.has(field))).toEqual([])
    },
  )

  test('is told for every page that the console serves', async () => {
    const pages = (await declaredPages(screens)).map(({ url }) => url)
    const others = pages.filter((url) => !named.some((one) => one.url === url))
    // The one shows the parts of pages, the other leads on to another page.
    expect(others).toEqual(['/console/relations', '/console/parts'])
  })
})

/** Where a page is asked for so that each of its fields is there at least once. */
async function pathsOf(url: string, ask: Asker): Promise<string[]> {
  const find = ITEMS[url]
  const asked = ASKED[url] ?? []
  if (!find) return [url, ...asked]
  const ids = Object.values(await find(ask)).filter((id) => id !== undefined)
  return [...ids.map((id) => url.replace(/:\w+/, encodeURIComponent(id))), ...asked]
}

const ASKED: Record<string, readonly string[]> = {
  '/console/interactions': ['/console/interactions?history=86400&volume=86400'],
  '/console/now': ['/console/now?scope=atlas'],
  '/console/sessions': ['/console/sessions?w=all', '/console/sessions?day=2026-11-18'],
  '/console/search': ['/console/search?q=deploy'],
  '/console/projects': ['/console/projects?group=flat'],
  '/console/projects/:slug': [
    ...TABS.flatMap((tab) =>
      ['atlas', 'atlas-web'].map((slug) => `/console/projects/${slug}?tab=${tab}`),
    ),
  ],
  '/console/context': [
    '/console/context?scope=project&project=atlas-web&prompt=deploy+the+import+of+parcels+without+downtime',
    '/console/context?scope=project&project=atlas&client=codex',
  ],
}

/** The path of each value: `groups[].notes[].id`. */
function fieldsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) {
    if (value.length === 0) return [`${path}[]`]
    return value.flatMap((one) => fieldsOf(one, `${path}[]`))
  }
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([name, one]) =>
    fieldsOf(one, path === '' ? name : `${path}.${name}`),
  )
}
