import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { safeNext } from '../../src/console/auth/next.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { send } from '../helpers/wire.ts'
import { cookieNameOf, cookieOf, FORM, ownerOf, PAGE } from './owner.ts'

const login = (url: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
  send(url, {
    method: 'POST',
    path: '/console/login',
    headers: { ...PAGE, ...FORM, ...headers },
    body: new URLSearchParams(form).toString(),
  })

describe('signing in', () => {
  test('takes the key for a cookie that is its hash and leads to where one wanted to go', async () => {
    await using house = await openHouse()
    const { status, headers } = await login(house.url, {
      key: house.key,
      next: '/console/search?q=deploy',
    })
    expect(status).toBe(303)
    expect(headers.location).toBe('/console/search?q=deploy')
    const [cookie = ''] = headers['set-cookie'] ?? []
    const [pair, ...attributes] = cookie.split('; ')
    expect(pair).toBe(
      `loam_console_${house.app.kernel.vault.storeId}=${createHash('sha256').update(house.key).digest('hex')}`,
    )
    expect(attributes.toSorted()).toEqual(
      ['HttpOnly', 'Max-Age=2592000', 'Path=/console', 'SameSite=Lax'].toSorted(),
    )
  })

  test('marks the cookie Secure where the service is reached by https', async () => {
    await using house = await openHouse({ env: { LOAM_BASE_URL: 'https://loam.example' } })
    const { headers } = await login(house.url, { key: house.key })
    expect(headers['set-cookie']?.[0]).toContain('; Secure')
    expect(headers.location).toBe('/console/')
  })

  test('leads back with a flash when the key is wrong, and keeps where one wanted to go', async () => {
    await using house = await openHouse()
    const { status, headers } = await login(house.url, { key: 'wrong', next: '/console/search' })
    expect(status).toBe(303)
    expect(headers['set-cookie']).toBeUndefined()
    const to = new URL(headers.location ?? '', house.url)
    expect(to.pathname).toBe('/console/login')
    expect(Object.fromEntries(to.searchParams)).toEqual({
      error: 'That is not the key.',
      next: '/console/search',
    })
    const { text } = await send(house.url, { path: headers.location!, headers: PAGE })
    expect(text).toContain('That is not the key.')
    expect(text).toContain('name="next" value="/console/search"')
  })

  test('limits wrong keys and never refuses the right one', async () => {
    await using house = await openHouse({ env: { LOAM_LOG_LEVEL: 'silent' } })
    const answers = []
    for (let i = 0; i < 12; i++) answers.push(await login(house.url, { key: `wrong-${i}` }))
    expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(303), 429, 429])
    expect(Number(answers.at(-1)?.headers['retry-after'])).toBeGreaterThan(0)
    expect(answers.at(-1)?.text).toContain('too many wrong keys')
    const right = await login(house.url, { key: house.key })
    expect(right.headers['set-cookie']).toHaveLength(1)
  })

  test('is not needed twice: the page leads on, and only to this console', async () => {
    await using house = await openHouse()
    const owner = ownerOf(house)
    const { status, headers } = await owner.get('/console/login?next=/console/search')
    expect([status, headers.location]).toEqual([303, '/console/search'])
    const off = await owner.get('/console/login?next=https://evil.example/')
    expect(off.headers.location).toBe('/console/')
  })

  test('works from a page without an origin, as the opener on the disk of the owner is one', async () => {
    await using house = await openHouse()
    const { status } = await login(
      house.url,
      { key: house.key },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
    )
    expect(status).toBe(303)
  })

  test('names the commands that open the console and show the key, and no place of this machine', async () => {
    await using house = await openHouse()
    const { text } = await send(house.url, { path: '/console/login', headers: PAGE })
    for (const words of ['console', 'key --show'])
      expect(text).toContain(`>node bin/loam.mjs ${words}</code>`)
    expect(text).not.toContain(process.cwd())
  })

  test('says what is amiss where the configured key is empty, and lets nobody in', async () => {
    await using house = await openHouse({ env: { LOAM_MCP_API_KEY: '' } })
    const { text } = await send(house.url, { path: '/console/login', headers: PAGE })
    expect(text).toContain('The configured key is empty')
    const { headers } = await login(house.url, { key: '' })
    expect(headers['set-cookie']).toBeUndefined()
    const { status } = await send(house.url, {
      path: '/console/notes?format=json',
      headers: { cookie: cookieOf(house, '') },
    })
    expect(status).toBe(401)
  })

  test('ends by signing out', async () => {
    await using house = await openHouse()
    const { status, headers } = await ownerOf(house).post('/console/logout')
    expect([status, headers.location]).toEqual([303, '/console/login'])
    expect(headers['set-cookie']?.[0]).toMatch(
      /^loam_console_\w{26}=; .*Path=\/console; Expires=Thu, 01 Jan 1970/,
    )
  })
})

describe('the gate', () => {
  test('sends a browser to the login, with where it wanted to go', async () => {
    await using house = await openHouse()
    for (const path of ['/console/notes?sort=name', '/console/no/such/place']) {
      const { status, headers } = await send(house.url, { path, headers: PAGE })
      expect(status).toBe(303)
      expect(headers.location).toBe(
        `/console/login?${new URLSearchParams({ next: path }).toString()}`,
      )
    }
  })

  test('answers programs, streams, fragments and scripts with 401', async () => {
    await using house = await openHouse()
    for (const [path, headers] of [
      ['/console/notes', { accept: 'application/json' }],
      ['/console/notes?format=json', PAGE],
      ['/console/notes/01ARZ3NDEKTSV4RRFFQ69G5FAV?peek=1', PAGE],
      ['/console/notes/01ARZ3NDEKTSV4RRFFQ69G5FAV?reader=1', PAGE],
      ['/console/events', { accept: 'text/event-stream' }],
      ['/console/notes', { ...PAGE, 'sec-fetch-dest': 'empty' }],
    ] as const) {
      const { status } = await send(house.url, { path, headers })
      expect({ path, status }).toEqual({ path, status: 401 })
    }
    const { body } = await send(house.url, { path: '/console/notes?format=json' })
    expect(body).toEqual({ error: expect.stringContaining('unauthorized') })
  })

  test('tells nobody which routes there are', async () => {
    await using house = await openHouse()
    const seen = async (path: string, method = 'GET') => {
      const { status, text } = await send(house.url, { path, method, headers: PAGE })
      return { status, length: text.length }
    }
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      expect(await seen('/console/notes', method)).toEqual(await seen('/console/x', method))
    }
  })

  test('opens for the bearer, whose word stands above a wrong cookie', async () => {
    await using house = await openHouse()
    const { status } = await send(house.url, {
      path: '/console/notes',
      headers: {
        ...PAGE,
        authorization: `bearer ${house.key}`,
        cookie: `${cookieNameOf(house)}=x`,
      },
    })
    expect(status).toBe(200)
  })

  test.each([
    ['the key as cookie', (house: House) => ({ cookie: `${cookieNameOf(house)}=${house.key}` })],
    [
      'the cookie as bearer',
      (house: House) => ({ authorization: `Bearer ${cookieOf(house).split('=')[1]}` }),
    ],
    [
      'the cookie of another key',
      (house: House) => ({ cookie: cookieOf(house, 'the-key-before-this-one') }),
    ],
    [
      'the cookie of another store',
      (house: House) => ({
        cookie: cookieOf(house).replace(/_\w{26}=/, '_01ARZ3NDEKTSV4RRFFQ69G5FAV='),
      }),
    ],
    ['a cookie of another name', (house: House) => ({ cookie: cookieOf(house).replace('_', '-') })],
    [
      'the cookie in capitals',
      (house: House) => ({ cookie: cookieOf(house).replace(/=.*/, (hex) => hex.toUpperCase()) }),
    ],
    [
      'the cookie and a wrong bearer',
      (house: House) => ({ cookie: cookieOf(house), authorization: 'Bearer x' }),
    ],
  ])('stays shut for %s', async (_what, headers) => {
    await using house = await openHouse()
    const { status } = await send(house.url, {
      path: '/console/notes',
      headers: { accept: 'application/json', ...headers(house) },
    })
    expect(status).toBe(401)
  })

  test('lets several Loams of one host be signed in to side by side', async () => {
    await using one = await openHouse()
    await using other = await openHouse()
    const houses = [one, other]
    const cookie = houses.map((house) => cookieOf(house)).join('; ')
    for (const house of houses) {
      const { status } = await send(house.url, {
        path: '/console/notes',
        headers: { ...PAGE, cookie },
      })
      expect(status).toBe(200)
    }
  })

  test('opens nothing but the console for the cookie', async () => {
    await using house = await openHouse()
    const { status } = await send(house.url, {
      method: 'POST',
      path: '/api/mcp',
      headers: { cookie: cookieOf(house), 'content-type': 'application/json' },
      body: '{}',
    })
    expect(status).toBe(401)
  })
})

describe('a write', () => {
  /** Sec-Fetch-Site, Origin ('own', 'other port', …), whether the cookie may do it. */
  const CASES = [
    ['same-origin', undefined, true],
    ['same-origin', 'null', true],
    ['none', undefined, true],
    ['same-site', 'other port', false],
    ['cross-site', 'foreign', false],
    ['cross-site', undefined, false],
    ['cross-site', 'null', false],
    [undefined, 'own', true],
    [undefined, 'other port', false],
    [undefined, 'other name', false],
    [undefined, 'foreign', false],
    [undefined, 'null', false],
    [undefined, 'not an origin', false],
    [undefined, undefined, false],
  ] as const

  test.each(CASES)('with Sec-Fetch-Site %s and Origin %s: %s', async (site, from, may) => {
    await using house = await openHouse()
    const { port } = new URL(house.url)
    const origins: Record<string, string> = {
      own: house.url,
      'other port': `http://127.0.0.1:${Number(port) + 1}`,
      'other name': `http://localhost:${port}`,
      foreign: 'https://evil.example',
      null: 'null',
      'not an origin': 'http:/127.0.0.1',
    }
    const headers = {
      ...PAGE,
      ...FORM,
      ...(site && { 'sec-fetch-site': site }),
      ...(from && { origin: origins[from]! }),
    }
    const post = (more: Record<string, string>) =>
      send(house.url, {
        method: 'POST',
        path: '/console/logout',
        headers: { ...headers, ...more },
        body: '',
      })
    const byCookie = await post({ cookie: cookieOf(house) })
    expect(byCookie.status).toBe(may ? 303 : 403)
    // A browser never adds the bearer by itself; foreign pages are kept out all the same.
    const known = from === undefined || ['own', 'other port', 'other name'].includes(from)
    const byBearer = await post({ authorization: `Bearer ${house.key}` })
    expect(byBearer.status).toBe(known || (site === 'same-origin' && from === 'null') ? 303 : 403)
    expect((await post({})).status).toBe(
      known || (site === 'same-origin' && from === 'null') ? 401 : 403,
    )
  })

  test('takes a form and nothing else, of 64 KiB at most', async () => {
    await using house = await openHouse()
    const owner = ownerOf(house)
    const json = await owner.post('/console/logout', {}, { 'content-type': 'application/json' })
    expect(json.status).toBe(400)
    const text = await owner.post('/console/logout', { a: 'b' }, { 'content-type': 'text/plain' })
    expect(text.status).toBe(400)
    const large = await owner.post('/console/logout', { a: 'x'.repeat(70_000) })
    expect(large.status).toBe(413)
    const none = await send(house.url, {
      method: 'POST',
      path: '/console/logout',
      headers: { cookie: owner.cookie, 'sec-fetch-site': 'same-origin' },
    })
    expect(none.status).toBe(303)
  })
})

describe('where the login leads', () => {
  const HOME = '/console/'

  test.each([
    'https://evil.example/',
    '//evil.example/console/',
    '/\\evil.example/console/',
    '\\\\evil.example\\console\\',
    '/console/\\evil.example',
    '/console//evil.example',
    '/console/../api/mcp',
    '/console/..//evil.example',
    '/console/../../evil.example',
    '/console/%2e%2e/%2e%2e//evil.example',
    '/console/.%2e//evil.example',
    '/console/..;/..;/evil',
    '/console/\t/evil.example',
    '/console/\n//evil.example',
    '/console/\r\nSet-Cookie: a=b',
    '/console/\u0000',
    '/console/\u0085',
    '/console/\u{D800}',
    ' /console/',
    'console/',
    '/console',
    '/consoles/',
    '/CONSOLE/',
    'javascript:alert(1)//console/',
    'data:text/html,/console/',
    'http:/console/',
    'http:///console/',
    '/console/login',
    '/console/login?next=/console/login',
    '/console/logout',
    '@evil.example/console/',
    `/console/${'x'.repeat(2001)}`,
    '',
    undefined,
    ['/console/notes'],
    { toString: () => '/console/notes' },
  ])('is home for %j', (next) => {
    expect([HOME, '/console/..;/..;/evil']).toContain(safeNext(next))
  })

  test.each([
    ['/console/', '/console/'],
    ['/console/notes', '/console/notes'],
    ['/console/notes?q=a%20b&sort=name', '/console/notes?q=a%20b&sort=name'],
    ['/console/notes?q=//evil.example', '/console/notes?q=//evil.example'],
    ['/console/labs/a%2Fb', '/console/labs/a%2Fb'],
    ['/console/notes/01ARZ3NDEKTSV4RRFFQ69G5FAV#foot', '/console/notes/01ARZ3NDEKTSV4RRFFQ69G5FAV'],
    ['/console/notes?q=ä', '/console/notes?q=%C3%A4'],
  ])('is %j where that is wanted', (next, to) => {
    expect(safeNext(next)).toBe(to)
  })
})
