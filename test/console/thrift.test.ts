import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openHouse, type House } from '../helpers/house.ts'
import { cookieOf, FORM, PAGE, SAME_ORIGIN } from './owner.ts'

let house: House
let note: string
beforeAll(async () => {
  house = await openHouse()
  const agent = await house.connect()
  const body = 'A word and another one. '.repeat(200)
  note = String((await agent.call('notes_create', { title: 'T', body, project: 'atlas' }))['id'])
})
afterAll(() => house.close())

/** What is on the wire, which `fetch` would unpack. */
async function ask(path: string, headers: Record<string, string> = {}) {
  const { request } = await import('node:http')
  return new Promise<{ status: number; headers: Record<string, string>; bytes: Buffer }>(
    (resolve, reject) => {
      const asked = request(`${house.url}${path}`, {
        headers: { ...PAGE, cookie: cookieOf(house), ...headers },
      })
      asked.on('error', reject)
      asked.on('response', (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () =>
          resolve({
            status: answer.statusCode!,
            headers: answer.headers as Record<string, string>,
            bytes: Buffer.concat(chunks),
          }),
        )
      })
      asked.end()
    },
  )
}

/** Without the seconds that have passed between two answers. */
const ageless = (bytes: Buffer): string => bytes.toString().replaceAll(/>\d+s</g, '>an age<')

const UNPACK = { br: brotliDecompressSync, gzip: gunzipSync }

describe('what the console answers', () => {
  test.each(['br', 'gzip'] as const)('is compressed by %s where it is taken', async (encoding) => {
    for (const path of [
      `/console/notes/${note}`,
      `/console/notes/${note}?peek=1`,
      `/console/notes/${note}?format=json`,
      '/console/notes?parts=nav',
      '/console/notes/nowhere',
      '/console/static/console.css',
      '/console/static/interactions.js',
      '/console/static/interactions.js?worker=1',
    ]) {
      const plain = await ask(path)
      const small = await ask(path, { 'accept-encoding': encoding })
      expect({ path, how: small.headers['content-encoding'] }).toEqual({ path, how: encoding })
      expect(plain.headers['content-encoding']).toBeUndefined()
      expect(small.headers['vary']).toContain('accept-encoding')
      const text = ageless(UNPACK[encoding](small.bytes))
      expect({ path, text }).toEqual({ path, text: ageless(plain.bytes) })
      expect(small.bytes.length).toBeLessThan(plain.bytes.length / 1.6)
    }
  })

  test('of a first page, with its style and scripts, is 40 KB at most', async () => {
    const taken = { 'accept-encoding': 'br' }
    const page = await ask('/console/notes', taken)
    const text = brotliDecompressSync(page.bytes).toString()
    const files = new Set([...text.matchAll(/"(\/console\/static\/[^"]+)"/g)].map(([, at]) => at!))
    const sizes = await Promise.all([...files].map(async (at) => (await ask(at, taken)).bytes))
    const all = [page.bytes, ...sizes].reduce((sum, { length }) => sum + length, 0)
    expect(files.size).toBe(4)
    expect(all).toBeLessThan(40_000)
  })

  test('is as it is where nothing is taken, or another site asks', async () => {
    const callers: Record<string, string>[] = [
      { 'accept-encoding': 'identity' },
      { 'accept-encoding': 'br;q=0, gzip;q=0.0' },
      { 'accept-encoding': 'br', 'sec-fetch-site': 'cross-site' },
      { 'accept-encoding': 'br', 'sec-fetch-site': 'same-site' },
    ]
    for (const headers of callers) {
      const { headers: sent } = await ask(`/console/notes/${note}`, headers)
      expect({ headers, how: sent['content-encoding'] }).toEqual({ headers, how: undefined })
    }
  })

  test('is not sent again to who has it, as page, JSON, parts or file', async () => {
    for (const path of [
      `/console/notes/${note}?format=json`,
      '/console/search',
      '/console/notes?parts=nav',
      '/console/static/search.js',
    ]) {
      const { headers, status } = await ask(path, { 'accept-encoding': 'br' })
      expect(status).toBe(200)
      expect(headers['etag']).toMatch(/^W\/"\w{16}"$/)
      for (const known of [headers['etag']!, `"other", ${headers['etag']}`, '*']) {
        const again = await ask(path, { 'if-none-match': known })
        expect({ path, status: again.status }).toEqual({ path, status: 304 })
        expect(again.bytes.length).toBe(0)
        expect(again.headers['etag']).toBe(headers['etag'])
      }
      expect((await ask(path, { 'if-none-match': 'W/"0000000000000000"' })).status).toBe(200)
    }
  })

  test('is sent anew once something has changed', async () => {
    const { headers } = await ask('/console/notes?format=json')
    const agent = await house.connect()
    await agent.call('notes_create', { title: 'Another', body: 'b', project: 'atlas' })
    const again = await ask('/console/notes?format=json', { 'if-none-match': headers['etag']! })
    expect(again.status).toBe(200)
    expect(again.headers['etag']).not.toBe(headers['etag'])
  })

  test('has no tag where it is an error or a redirect', async () => {
    for (const path of ['/console/notes/nowhere', '/console', '/console/notes?sort=size']) {
      expect((await ask(path)).headers['etag']).toBeUndefined()
    }
  })

  test('is never told to one without the key by a tag that it has', async () => {
    const { headers } = await ask('/console/notes')
    const stranger = await ask('/console/notes', {
      cookie: '',
      'if-none-match': headers['etag']!,
      ...FORM,
      ...SAME_ORIGIN,
    })
    expect(stranger.status).toBe(303)
  })
})
