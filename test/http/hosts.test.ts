import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allowedNames, isAllowedHost, isAllowedOrigin } from '../../src/http/hosts.ts'
import { KEY, openEdge, type Edge } from '../helpers/edge.ts'
import { send } from '../helpers/wire.ts'

const names = allowedNames({
  base_url: 'https://Loam.Example.org:8443/',
  allowed_hosts: ['loam-2', '[fd00::7]'],
})

describe('a host', () => {
  test.each([
    'localhost',
    'localhost:8420',
    'LocalHost:1',
    '127.0.0.1',
    '127.0.0.1:65535',
    '[::1]',
    '[::1]:8420',
    'loam.example.org',
    'loam.example.org:1',
    'LOAM-2:80',
    '[fd00::7]:8420',
  ])('%s is ours', (host) => {
    expect(isAllowedHost(names, host)).toBe(true)
    expect(isAllowedOrigin(names, `http://${host}`)).toBe(true)
    expect(isAllowedOrigin(names, `https://${host}`)).toBe(true)
  })

  test.each([
    '',
    'evil.example',
    'localhost.evil.example',
    'evil.example:8420',
    'localhost@evil.example',
    'evil.example#localhost',
    'localhost, evil.example',
    'localhost evil.example',
    'localhost:',
    'localhost:123456',
    'localhost:8420:1',
    'localhost/',
    '127.0.0.1.evil.example',
    '0.0.0.0',
    '[::]',
    '::1',
    '[::1]evil',
    '169.254.169.254',
    'xloam.example.org',
    'loam.example.org.',
  ])('%j is foreign', (host) => {
    expect(isAllowedHost(names, host)).toBe(false)
    expect(isAllowedOrigin(names, `http://${host}`)).toBe(false)
  })

  test('that is missing is refused; an origin that is missing comes from no page', () => {
    expect(isAllowedHost(names, undefined)).toBe(false)
    expect(isAllowedOrigin(names, undefined)).toBe(true)
  })

  test.each([
    'null',
    'file://',
    'localhost',
    'chrome-extension://localhost',
    'http://localhost/x',
    'http://u@localhost',
  ])('%s is no origin of ours', (origin) => {
    expect(isAllowedOrigin(names, origin)).toBe(false)
  })
})

describe('every route', () => {
  let edge: Edge
  beforeAll(async () => {
    edge = await openEdge({ env: { LOAM_ALLOWED_HOSTS: 'loam-2' } })
  })
  afterAll(() => edge.close())

  test.each(['/healthz', '/api/mcp', '/nope', '/.well-known/oauth-protected-resource'])(
    '%s answers a foreign host or origin with 403, with the key or without',
    async (path) => {
      for (const authorization of [undefined, `Bearer ${KEY}`]) {
        const key = authorization === undefined ? {} : { authorization }
        for (const foreign of [{ host: 'evil.example' }, { origin: 'http://evil.example' }]) {
          const reply = await send(edge.url, { path, headers: { ...key, ...foreign } })
          expect(reply.status).toBe(403)
          expect(reply.headers['access-control-allow-origin']).toBeUndefined()
        }
      }
    },
  )

  test('answers a host that was allowed', async () => {
    const headers = { host: 'loam-2:9', origin: 'https://loam-2' }
    expect((await send(edge.url, { path: '/healthz', headers })).status).toBe(200)
  })
})
