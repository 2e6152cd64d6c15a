import assert from 'node:assert/strict'
import { featuresWithExtras, sectionsWithSheets } from '../../src/console/bundles.ts'
import { send, type Reply } from '../helpers/wire.ts'
import { defineAttack, none } from './attack.ts'
import { openInProcess } from './in-process.ts'

const isPublic = (status: number): boolean => [200, 304].includes(status)

/**
 * What answers without a key, and with what. Everything else is 401 or, after many tries, 429; a
 * page of the console sends a browser to the login.
 */
const OPEN: Record<string, (status: number, text: string) => boolean> = {
  '/console/static/console.css': isPublic,
  '/console/static/interactions.js': isPublic,
  '/console/static/search.js': isPublic,
  '/console/static/favicon.svg': isPublic,
  ...Object.fromEntries(
    [
      ...[...sectionsWithSheets, ...featuresWithExtras].map((name) => `${name}.css`),
      ...featuresWithExtras.map((name) => `${name}.js`),
    ].map((name) => [`/console/static/${name}`, isPublic]),
  ),
  // The form, or after a wrong key the way back to it.
  '/console/login': (status, text) =>
    [303, 429].includes(status) || (status === 200 && !/badge|class="host"/.test(text)),
  '/healthz': (status, text) => status === 200 && !/canary/.test(text),
  '/.well-known/x': (status, text) => status === 404 && text === '',
}

const UNKNOWN = ['/not/there', '/console/not/there', '/console/notes/x/y', '/consoles'].map(
  (path) => ({ method: 'GET', path }),
)

const CREDENTIALS: Record<string, string>[] = [
  {},
  { authorization: 'Bearer' },
  { authorization: 'Bearer ' },
  { authorization: 'Bearer wrong-key-of-some-length' },
  { authorization: 'Basic eDp5' },
  { cookie: 'loam_console=wrong' },
  { 'x-api-key': 'wrong' },
]

export const routesWithoutKey = defineAttack({
  id: 'S8',
  title: 'no route but those on the list answers without the key',
  rounds: 1,
  once: true,
  quick: true,

  async run({ log }) {
    await using product = await openInProcess()
    const { routes } = product
    assert.ok(routes.some(({ path }) => path === '/api/mcp'))
    const opened: unknown[] = []
    for (const { method, path } of [...routes, ...UNKNOWN]) {
      for (const headers of CREDENTIALS) {
        const answer = await send(product.url, { method, path, headers })
        const { status, text } = answer
        const allowed =
          OPEN[path]?.(status, text) ?? (isSentToLogin(path, answer) || [401, 429].includes(status))
        if (!allowed || answer.headers['set-cookie']) opened.push({ method, path, headers, status })
      }
    }
    assert.ok(routes.some(({ path }) => path === '/console/notes/x'))
    log(`${routes.length} routes`)
    none(opened, 'a route that answers without the key')
  },
})

/** Sent on with nothing but where one wanted to go. */
const isSentToLogin = (path: string, { status, headers, text }: Reply): boolean =>
  /^\/console(\/|$)/.test(path) &&
  status === 303 &&
  text === '' &&
  (headers.location ?? '').startsWith('/console/login')
