import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openHouse, type House } from '../helpers/house.ts'
import { send } from '../helpers/wire.ts'
import { ownerOf, PAGE, type Owner } from './owner.ts'

const UNKNOWN = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

interface World {
  house: House
  owner: Owner
  note: string
  event: string
}

/** A house with one note in it. */
async function furnish(house: House): Promise<World> {
  const alice = await house.connect()
  const { id } = await alice.call('notes_create', {
    title: 'Deploy window',
    body: 'Monday to Thursday.',
    project: 'atlas',
  })
  const [event] = await house.events('note.written')
  return { house, owner: ownerOf(house), note: id as string, event: event!.id }
}

/** `page`, `fragment` or `json`, by what came. */
const kindOf = ({ text, headers }: Awaited<ReturnType<Owner['get']>>): string => {
  if (headers['content-type'] === 'application/json; charset=utf-8') return 'json'
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
  return text.includes('<!doctype html>') ? 'page' : 'fragment'
}

describe('every page answers in the shape that is asked for', () => {
  test('by parameter and by Accept, JSON before peek before reader before the page', async () => {
    await using house = await openHouse()
    const { owner, note, event } = await furnish(house)
    const json = { accept: 'application/json' }
    const both = { accept: 'application/json, text/html' }
    for (const path of [`/console/notes/${note}`, `/console/events/${event}`]) {
      const seen = async (query: string, headers = {}) =>
        kindOf(await owner.get(`${path}${query}`, headers))
      expect(await seen('')).toBe('page')
      expect(await seen('?format=json')).toBe('json')
      expect(await seen('', json)).toBe('json')
      expect(await seen('', both)).toBe('page')
      expect(await seen('', { accept: '*/*' })).toBe('page')
      expect(await seen('', { accept: undefined })).toBe('page')
      expect(await seen('?peek=1')).toBe('fragment')
      expect(await seen('?reader=1')).toBe('fragment')
      expect(await seen('?peek=1&reader=1')).toBe('fragment')
      expect(await seen('?peek=1&reader=1&format=json')).toBe('json')
      expect(await seen('?reader=1', json)).toBe('json')
      expect(await seen('?format=&peek=&reader=')).toBe('page')
    }
    const fragment = await owner.get(`/console/notes/${note}?reader=1`)
    expect(fragment.text).toMatch(/<h2 class="sheet-title"[^>]*>Deploy window<\/h2>/)
    expect(fragment.text).not.toContain('<nav')
  })

  test.each(['notes', 'sessions', 'search', 'search?q=deploy'])(
    'but the list %s has no fragment, and says so',
    async (path) => {
      await using house = await openHouse()
      const { owner } = await furnish(house)
      for (const shape of ['peek', 'reader']) {
        const joint = path.includes('?') ? '&' : '?'
        const { status, text } = await owner.get(`/console/${path}${joint}${shape}=1`)
        expect({ shape, status }).toEqual({ shape, status: 400 })
        expect(text).toContain(`this page has no ${shape}: only the page of one item may have one`)
        expect(text).not.toContain('<!doctype html>')
      }
    },
  )

  test('and says which formats there are', async () => {
    await using house = await openHouse()
    const { owner, note, event } = await furnish(house)
    const paths = ['notes', `notes/${note}`, `events/${event}`, 'search', 'search?q=deploy']
    for (const path of paths) {
      const joint = path.includes('?') ? '&' : '?'
      const { status, text } = await owner.get(`/console/${path}${joint}format=xml`)
      expect({ path, status }).toEqual({ path, status: 400 })
      expect(text).toContain('invalid format &#34;xml&#34;: valid values are json')
    }
  })

  test('and every page leads to its own JSON', async () => {
    await using house = await openHouse()
    const { owner, note } = await furnish(house)
    for (const path of ['/console/notes?q=deploy&notice=x', `/console/notes/${note}`]) {
      const { text } = await owner.get(path)
      const [, href = ''] = /<link rel="alternate" type="application\/json" href="([^"]+)">/.exec(
        text,
      )!
      expect(href).not.toContain('notice')
      const { headers } = await owner.get(href.replaceAll('&amp;', '&'))
      expect(headers['content-type']).toBe('application/json; charset=utf-8')
    }
  })
})

describe('parameters are strict', () => {
  test.each([
    ['notes?sort=size', 'invalid sort "size": valid values are recent, name, starred'],
    ['notes?sort=name&sort=name', 'sort may be given once'],
    ['notes?q=a&q=b', 'q may be given once'],
    ['notes?page=0', 'invalid page "0": valid values are whole numbers from 1 to 99999'],
    ['notes?page=two', 'invalid page "two"'],
    ['notes?page=1&page=2', 'page may be given once'],
    ['notes?format=json&format=json', 'format may be given once'],
    ['notes?sort=__proto__', 'invalid sort "__proto__"'],
    ['notes?sort=constructor', 'invalid sort "constructor"'],
    ['notes?q=%00', 'invalid q: it holds a NUL character (U+0000)'],
    [
      'search?scope=trials',
      'invalid scope "trials": valid values are all, memories, notes, tasks, plans, projects, sessions',
    ],
    ['search?fast=yes', 'invalid fast "yes": valid values are 1'],
    [
      'search?query=deploy',
      'unknown parameter "query": valid ones are q, scope, sort, w, fav, fast, format',
    ],
    ['events?feed=all', 'invalid feed "all": valid values are interactions'],
  ])('%s is a 400 that says what is valid', async (path, message) => {
    await using house = await openHouse()
    const { status, body } = await ownerOf(house).json(`/console/${path}`)
    expect({ status, body }).toEqual({
      status: 400,
      body: { error: expect.stringContaining(message) },
    })
  })

  test.each([
    'notes?sort=&q=&page=',
    'notes?sort=recency',
    'notes?sort=title',
    'notes?sort=favorites',
    'notes?utm_source=x',
    'search?q=&scope=&fast=',
  ])('%s is taken', async (path) => {
    await using house = await openHouse()
    expect((await ownerOf(house).json(`/console/${path}`)).status).toBe(200)
  })
})

describe('when the answer is no', () => {
  test.each([
    [`notes/${UNKNOWN}`, `no note ${UNKNOWN}`],
    ['notes/nonsense', 'no note nonsense'],
    ['notes/%00', 'no note \u0000'],
    [`notes/${'x'.repeat(300)}`, `no note ${'x'.repeat(300)}`],
    [`events/${UNKNOWN}`, `no event ${UNKNOWN}`],
    ['events/nonsense', 'no event nonsense'],
    ['notes/100%', 'no note 100%'],
    ['notes/%zz%20', 'no note %zz%20'],
    ['notes/%ff', 'no note %ff'],
    ['nowhere', 'nothing is served at /console/nowhere'],
    ['no%where', 'nothing is served at /console/no%where'],
    ['notes/', 'no note ""'],
  ])('%s is a 404 that names what was asked for', async (path, message) => {
    await using house = await openHouse()
    const owner = ownerOf(house)
    const { status, body } = await owner.json(`/console/${path}`)
    expect({ status, body }).toEqual({ status: 404, body: { error: message } })
    const page = await owner.get(`/console/${path}`)
    expect([page.status, kindOf(page)]).toEqual([404, 'page'])
    expect(page.text).toContain('<a class="button" href="/console/">')
    for (const shape of ['peek', 'reader']) {
      const fragment = await owner.get(`/console/${path}?${shape}=1`)
      expect([fragment.status, kindOf(fragment)]).toEqual([404, 'fragment'])
    }
  })

  test('a name in an address is shown and never executed', async () => {
    await using house = await openHouse()
    const { text } = await ownerOf(house).get('/console/notes/%3Cscript%3Ealert(1)%3C%2Fscript%3E')
    expect(text).toContain('no note &lt;script&gt;alert(1)&lt;/script&gt;')
    expect(text).not.toContain('<script>alert')
  })

  test('an address that nothing decodes is behind the same door as every other', async () => {
    await using house = await openHouse()
    const asked = await Promise.all(
      ['/console/notes/%zz', '/api/mcp/%zz', '/%zz'].map((path) => send(house.url, { path })),
    )
    expect(asked.map(({ status }) => status)).toEqual([303, 401, 401])
  })

  test('our own bug is a 500 that says nothing, in every shape', async () => {
    await using house = await openHouse({ env: { LOAM_LOG_LEVEL: 'silent' } })
    const { owner, note } = await furnish(house)
    const { kernel } = house.app
    const read = kernel.vault.read.bind(kernel.vault)
    kernel.vault.read = async () => {
      throw new TypeError('secret /srv/loam select * from notes')
    }
    const path = `/console/notes/${note}`
    const answers = [
      await owner.get(path),
      await owner.get(`${path}?peek=1`),
      await owner.get(`${path}?format=json`),
    ]
    kernel.vault.read = read
    expect(answers.map(({ status }) => status)).toEqual([500, 500, 500])
    expect(answers.map(kindOf)).toEqual(['page', 'fragment', 'json'])
    for (const { text } of answers) {
      expect(text).toContain('internal error')
      expect(text).not.toMatch(/secret|srv|select|TypeError|\.ts/)
    }
    expect(answers[2]!.body).toEqual({ error: 'internal error' })
  })

  test('a method that an address does not know is a 405 that names those it does', async () => {
    await using house = await openHouse()
    const { owner, note } = await furnish(house)
    const asking = (method: string, path: string) =>
      send(house.url, {
        method,
        path,
        headers: {
          cookie: owner.cookie,
          'sec-fetch-site': 'same-origin',
          accept: 'application/json',
        },
      })
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const { status, headers } = await asking(method, `/console/notes/${note}?q=x`)
      expect({ method, status, allow: headers.allow }).toEqual({
        method,
        status: 405,
        allow: 'GET, HEAD',
      })
    }
    expect((await asking('GET', '/console/logout')).headers.allow).toBe('POST')
    expect((await asking('DELETE', '/console/login')).headers.allow).toBe('GET, HEAD, POST')
    expect((await asking('DELETE', '/console/nowhere')).status).toBe(404)
  })

  test('who is not signed in is shown no frame: no counts and no host', async () => {
    await using house = await openHouse()
    await furnish(house)
    const { status, text } = await send(house.url, {
      method: 'POST',
      path: '/console/logout',
      headers: PAGE,
    })
    expect(status).toBe(401)
    expect(text).toContain('Sign in first')
    expect(text).not.toMatch(/badge|class="host"|<nav/)
    const foreign = await send(house.url, {
      path: '/console/notes',
      headers: { ...PAGE, host: 'evil.example' },
    })
    expect(foreign.status).toBe(403)
    expect(foreign.text).not.toMatch(/badge|class="host"|<nav/)
  })
})

describe('every answer', () => {
  test('HEAD is answered as GET, without a body', async () => {
    await using house = await openHouse()
    const { owner, note, event } = await furnish(house)
    for (const path of [
      'notes',
      `notes/${note}`,
      `events/${event}`,
      'search',
      'static/console.css',
      'login',
    ]) {
      const ask = (method: string) =>
        send(house.url, {
          method,
          path: `/console/${path}`,
          headers: { ...PAGE, cookie: owner.cookie },
        })
      const [got, headed] = [await ask('GET'), await ask('HEAD')]
      expect({ path, status: headed.status, text: headed.text }).toEqual({
        path,
        status: got.status,
        text: '',
      })
      expect(headed.headers['content-type']).toBe(got.headers['content-type'])
    }
  })

  test('forbids frames, foreign sources, guesses of type, referrers and caches', async () => {
    await using house = await openHouse()
    const { owner, note } = await furnish(house)
    const answers = [
      await owner.get(`/console/notes/${note}`),
      await owner.get(`/console/notes/${note}?peek=1`),
      await owner.get(`/console/notes/${UNKNOWN}`),
      await owner.json('/console/notes'),
      await owner.get('/console/static/console.css'),
      await owner.post('/console/logout'),
      await send(house.url, { path: '/console/login', headers: PAGE }),
      await send(house.url, { path: '/console/notes', headers: PAGE }),
      await send(house.url, {
        path: '/console/notes',
        headers: { origin: 'https://evil.example' },
      }),
    ]
    for (const { headers } of answers) {
      expect(headers).toMatchObject({
        'content-security-policy':
          "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cache-control': expect.any(String),
      })
      const cors = Object.keys(headers).filter((name) => name.startsWith('access-control'))
      expect(cors).toEqual([])
    }
    const kept = answers.filter(({ headers }) => headers['cache-control'] !== 'no-store')
    expect(kept).toHaveLength(1)
  })

  test('holds no inline script or style, and nothing from elsewhere', async () => {
    await using house = await openHouse()
    const { owner, note, event } = await furnish(house)
    for (const path of [
      'notes',
      `notes/${note}`,
      `events/${event}`,
      'search?q=deploy',
      'nowhere',
      'login?error=x',
    ]) {
      const { text } = await owner.get(
        `/console/${path}`,
        path.startsWith('login') ? { cookie: '' } : {},
      )
      expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?! src="\/console\/static\/)/i)
      expect(text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
    }
  })

  test('/console leads for ever to /console/, and what was asked goes along', async () => {
    await using house = await openHouse()
    const owner = ownerOf(house)
    const slash = await owner.get('/console?notice=Done')
    expect([slash.status, slash.headers.location]).toEqual([308, '/console/?notice=Done'])
    const home = await owner.get('/console/?notice=Done')
    expect(home.status).toBe(200)
    expect(home.text).toContain('Done</p>')
  })
})

describe('a flash', () => {
  test('is text of 300 characters at most, and said in its role', async () => {
    await using house = await openHouse()
    const owner = ownerOf(house)
    const query = new URLSearchParams({
      notice: `<img src=x onerror=alert(1)>${'n'.repeat(400)}`,
      error: `${'🜁'.repeat(400)}`,
    })
    const { text } = await owner.get(`/console/notes?${query.toString()}`)
    const [, notice = ''] = /role="status">.*?<\/svg>([^<]*)</s.exec(
      text.slice(text.indexOf('flashes')),
    )!
    expect(notice.startsWith('&lt;img src=x onerror=alert(1)&gt;')).toBe(true)
    expect(notice.match(/n/g)!.length).toBeLessThan(300)
    expect(text).toMatch(/role="alert">.*[^🜁]🜁{300}</u)
  })

  test('is no part of fragments and JSON', async () => {
    await using house = await openHouse()
    const { owner, note } = await furnish(house)
    for (const shape of ['peek=1', 'format=json']) {
      const { text } = await owner.get(`/console/notes/${note}?${shape}&notice=hello`)
      expect(text).not.toContain('hello')
    }
  })
})

describe('the public files', () => {
  test('are four, open, hashed and kept', async () => {
    await using house = await openHouse()
    const { text } = await send(house.url, { path: '/console/login', headers: PAGE })
    const linked = [...text.matchAll(/"(\/console\/static\/[^"]+)"/g)].map(([, path]) => path!)
    expect(new Set(linked.map((path) => path.split('?')[0]))).toEqual(
      new Set(
        ['console.css', 'interactions.js', 'favicon.svg'].map((name) => `/console/static/${name}`),
      ),
    )
    for (const path of linked) {
      expect(path).toMatch(/\?v=[0-9a-f]{16}$/)
      const { status, headers, text: body } = await send(house.url, { path })
      const hash = createHash('sha256').update(body).digest('hex').slice(0, 16)
      expect([status, headers.etag]).toEqual([200, `W/"${hash}"`])
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
      const again = await send(house.url, { path, headers: { 'if-none-match': headers.etag } })
      expect([again.status, again.text]).toEqual([304, ''])
    }
    const plain = await send(house.url, { path: '/console/static/search.js' })
    expect(plain.headers['cache-control']).toBe('public, max-age=300')
  })

  test('are light: the one stylesheet has less than 60 KB', async () => {
    await using house = await openHouse()
    const { text } = await send(house.url, { path: '/console/static/console.css' })
    expect(Buffer.byteLength(text)).toBeLessThan(60_000)
    expect(text).not.toMatch(/url\(|@import/)
  })

  test('are one sheet more on the pages of a section that has its own', async () => {
    await using house = await openHouse()
    const { cookie } = await ownerOf(house)
    const sheets = async (path: string): Promise<string[]> => {
      const { text } = await send(house.url, { path, headers: { ...PAGE, cookie } })
      return [...text.matchAll(/rel="stylesheet" href="([^"?]+)/g)].map(([, at]) => basename(at!))
    }
    const sections = readdirSync('public/css/sections')
    expect(sections).toContain('settings.css')
    for (const sheet of sections) {
      const section = basename(sheet, '.css')
      expect(await sheets(`/console/${section}`)).toEqual(['console.css', sheet])
      const { text, headers } = await send(house.url, { path: `/console/static/${sheet}` })
      expect(headers['content-type']).toBe('text/css; charset=utf-8')
      expect(Buffer.byteLength(text)).toBeLessThan(10_000)
    }
    expect(await sheets('/console/notes')).toEqual(['console.css'])
  })

  test('every colour has its name in tokens.css', () => {
    const all = readdirSync('public/css', { recursive: true, encoding: 'utf8' })
    const sheets = all.filter((name) => name.endsWith('.css') && name !== 'tokens.css')
    expect(sheets.length).toBeGreaterThan(8)
    for (const name of sheets) {
      const css = readFileSync(`public/css/${name}`, 'utf8')
      const found = css.match(/#[0-9a-f]{3,8}\b|\b(?:rgb|hsl)a?\(/gi)
      expect({ name, found }).toEqual({ name, found: null })
    }
  })
})
