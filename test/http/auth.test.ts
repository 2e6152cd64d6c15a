import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bearerOf, isKey } from '../../src/http/auth.ts'
import { WrongKeys } from '../../src/http/wrong-keys.ts'
import { KEY, openEdge, type Edge } from '../helpers/edge.ts'
import { headersWith, send, type Reply } from '../helpers/wire.ts'

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }

describe('the key', () => {
  let edge: Edge
  let now: number
  beforeEach(async () => {
    now = 1_000_000
    edge = await openEdge({ now: () => now })
  })
  afterEach(() => edge.close())

  const post = (key: string): Promise<Reply> =>
    send(edge.url, { method: 'POST', path: '/api/mcp', headers: headersWith(key), body: PING })

  test('opens every address, known or not; without it none says what is there', async () => {
    for (const path of [
      '/',
      '/nope',
      '/api',
      '/api/hooks/x',
      '/console',
      '/healthz/',
      '/metrics',
    ]) {
      const closed = await send(edge.url, { path })
      expect([path, closed.status]).toEqual([path, 401])
      expect(closed.headers['www-authenticate']).toBe('Bearer')
      expect((await send(edge.url, { path, headers: headersWith(KEY) })).status).toBe(404)
    }
  })

  test('is limited when it is wrong: ten a minute per address', async () => {
    const statuses: number[] = []
    for (let tried = 0; tried < 12; tried++) statuses.push((await post(`wrong ${tried}`)).status)
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429])

    now += 20_000
    const reply = await post('wrong')
    expect([reply.status, reply.headers['retry-after']]).toEqual([429, '40'])
    expect(reply.body.error.code).toBe(-32000)

    now += 40_001
    expect((await post('wrong')).status).toBe(401)
  })

  test('is never refused when it is right, however many wrong ones came before', async () => {
    for (let tried = 0; tried < 30; tried++) await post('wrong')
    expect((await post(KEY)).status).toBe(400)
  })

  test('that is missing is no guess', async () => {
    for (let tried = 0; tried < 20; tried++) {
      expect((await send(edge.url, { path: '/api/mcp' })).status).toBe(401)
    }
  })

  test('lets nobody in when it is empty', async () => {
    await using shut = await openEdge({ key: '' })
    for (const authorization of ['Bearer ', 'Bearer', '', `Bearer ${KEY}`]) {
      const reply = await send(shut.url, { path: '/nope', headers: { authorization } })
      expect(reply.status).toBe(401)
    }
  })

  test('is read from the header as it stands, but for the case of the scheme', () => {
    const of = (authorization: string) => bearerOf({ headers: { authorization } })
    expect(of('Bearer abc')).toBe('abc')
    expect(of('bEARER  abc ')).toBe(' abc ')
    expect(of('Basic abc')).toBeUndefined()
    expect(of('Bearerabc')).toBeUndefined()
    expect(of('')).toBeUndefined()
    expect(isKey('abc', 'abc')).toBe(true)
    expect(isKey('abc', 'abcd')).toBe(false)
    expect(isKey('', '')).toBe(false)
  })
})

test('sixty wrong keys a minute are enough from everyone together', () => {
  let now = 0
  const wrong = new WrongKeys(() => now)
  for (let host = 0; host < 60; host++) expect(wrong.count(`10.0.0.${host}`)).toBe(0)
  expect(wrong.count('10.0.1.1')).toBe(60)
  now = 60_000
  expect(wrong.count('10.0.1.1')).toBe(0)
})
