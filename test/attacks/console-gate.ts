import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { safeNext } from '../../src/console/auth/next.ts'
import { send } from '../helpers/wire.ts'
import { defineAttack, inParallel, none, type Random } from './attack.ts'
import { openInProcess, type InProcess } from './in-process.ts'

const HOST = 'http://loam.example'
const PARTS = [
  ...['/', '//', '/console', '/console/', 'console', '..', '.', '%2e', '%2e%2e', '%2f', '%5c'],
  ...[
    '\\',
    '@',
    ':',
    ';',
    '?',
    '#',
    '&',
    '=',
    'http:',
    'https:',
    'javascript:',
    'data:',
    '//evil.example',
  ],
  ...[
    'evil.example',
    '\t',
    '\n',
    '\r',
    '\0',
    '\u0085',
    '\u2028',
    '\u3002',
    '\uff0f',
    '\ud800',
    ' ',
    'login',
  ],
  ...['logout', 'notes', '%00', '%09', '%0d%0a', '[::1]', '127.0.0.1', 'a'],
]

/** A browser that follows the address from the login page. */
export const nextStays = defineAttack({
  id: 'S3',
  title: 'where the login leads is below /console/ of this site, whatever was asked for',
  rounds: 200_000,
  once: true,
  quick: true,

  async run({ rounds, random }) {
    const left: unknown[] = []
    for (let round = 0; round < rounds; round++) {
      const next = oddAddress(random)
      const to = safeNext(next)
      const { origin, pathname } = new URL(to, `${HOST}/console/login`)
      const stays = origin === HOST && pathname.startsWith('/console/')
      // Only what a header may carry, and the same again when it is judged again.
      if (!stays || !/^[\x21-\x7e]+$/.test(to) || safeNext(to) !== to) left.push({ next, to })
    }
    none(left, 'an address that leaves the console')
  },
})

function oddAddress(random: Random): string {
  const parts = Array.from({ length: 1 + random.int(6) }, () => random.pick(PARTS))
  const tail = random.int(4) === 0 ? random.text(6) : ''
  return `${random.int(2) === 0 ? '/console/' : ''}${parts.join('')}${tail}`
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

/** What the cookie of this store is called. */
const nameOf = ({ app }: InProcess): string => `loam_console_${app.kernel.vault.storeId}`

const SITES = [
  undefined,
  'same-origin',
  'none',
  'same-site',
  'cross-site',
  'Same-Origin',
  '',
] as const

export const foreignWrites = defineAttack({
  id: 'S7',
  title: 'no page of elsewhere writes with the owner’s cookie, another port of this host included',
  rounds: 1,
  once: true,
  quick: true,

  async run({ log }) {
    await using product = await openInProcess()
    const cookie = `${nameOf(product)}=${hash(product.key)}`
    const own = new URL(product.url)
    const origins = [
      ...[undefined, 'null', own.origin, `http://127.0.0.1:1`, `http://localhost:${own.port}`],
      ...[`https://${own.host}`, `http://${own.host}.evil.example`, 'http://evil.example'],
      ...[`http://evil.example:${own.port}`, `http://${own.host}@evil.example`, 'file://', ''],
    ]
    const through: unknown[] = []
    let tried = 0
    for (const { method, path } of writesOf(product)) {
      for (const site of SITES) {
        for (const origin of origins) {
          tried++
          const headers = { cookie, 'sec-fetch-site': site, origin }
          const { status } = await send(product.url, { method, path, headers })
          const trusted = site === undefined ? isOwn(origin, own.host) : isOurs(site)
          const mayCome = trusted && comesFromKnown(origin, site, own)
          if ((status !== 403 && !mayCome) || (status === 403 && mayCome)) {
            through.push({ method, path, site, origin, status })
          }
        }
      }
    }
    log(`${tried} requests`)
    none(through, 'a write that was judged wrongly')
  },
})

const isOurs = (site: string): boolean => site === 'same-origin' || site === 'none'
const isOwn = (origin: string | undefined, host: string): boolean =>
  /^https?:\/\/[^/@]+$/.test(origin ?? '') && URL.parse(origin!)?.host === host

/** What the check of host names lets pass before the cookie is looked at. */
function comesFromKnown(origin: string | undefined, site: string | undefined, own: URL): boolean {
  if (origin === undefined) return true
  if (origin === 'null') return site === 'same-origin'
  const host = /^https?:\/\/[^/@]+$/.test(origin) ? URL.parse(origin)?.hostname : undefined
  return host === 'localhost' || host === own.hostname
}

/** Everything under the console that may change something; the login is open to every page. */
const writesOf = ({ routes }: InProcess): InProcess['routes'] =>
  routes.filter(
    ({ method, path }) =>
      path.startsWith('/console/') &&
      !['GET', 'HEAD'].includes(method) &&
      path !== '/console/login',
  )

export const stolenCookies = defineAttack({
  id: 'S10',
  title: 'a cookie opens the console of its own key, and nothing else opens anything in its place',
  rounds: 2_000,
  once: true,
  quick: true,

  async run({ rounds, random }) {
    await using product = await openInProcess()
    const { key, url } = product
    const name = nameOf(product)
    const good = hash(key)
    const ask = (headers: Record<string, string | undefined>, path = '/console/notes') =>
      send(url, { path, headers: { accept: 'application/json', ...headers } })
    assert.equal((await ask({ cookie: `${name}=${good}` })).status, 200)
    const opened: unknown[] = []
    await inParallel(rounds, 8, async () => {
      const forged = forge(good, random)
      if (forged === good) return
      const { status } = await ask({ cookie: `${name}=${forged}` })
      if (status !== 401) opened.push({ forged, status })
    })
    for (const headers of [
      { cookie: `${name}=${key}` },
      { cookie: `${name}=${hash('the key before')}` },
      { cookie: `${name}=${hash('')}` },
      { authorization: `Bearer ${good}` },
      { authorization: `Bearer ${name}=${good}` },
    ]) {
      const { status } = await ask(headers)
      if (status !== 401 && status !== 429) opened.push({ headers, status })
    }
    const elsewhere = await send(url, {
      method: 'POST',
      path: '/api/mcp',
      headers: { cookie: `${name}=${good}` },
      body: {},
    })
    if (elsewhere.status !== 401) opened.push({ elsewhere: elsewhere.status })
    none(opened, 'a forged credential that was taken')
  },
})

function forge(good: string, random: Random): string {
  const at = random.int(good.length)
  return random.pick([
    () => good.slice(0, at),
    () => good.slice(0, at) + random.pick([...'0123456789abcdef']) + good.slice(at + 1),
    () => good + random.pick([...'0123456789abcdef"%']),
    () => good.slice(at) + good.slice(0, at),
    () => `"${good}"`,
    () => good.toUpperCase(),
    () => `${good}, ${good}`,
  ])()
}
