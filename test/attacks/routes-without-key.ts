import assert from 'node:assert/strict'
import { send } from '../helpers/wire.ts'
import { defineAttack, none } from './attack.ts'
import { openInProcess } from './in-process.ts'

/** What answers without a key, and with what. Everything else is 401 or, after many tries, 429. */
const OPEN: Record<string, (status: number, text: string) => boolean> = {
  '/healthz': (status, text) => status === 200 && !/canary/.test(text),
  '/.well-known/x': (status, text) => status === 404 && text === '',
}

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

  async run({ log }) {
    await using product = await openInProcess()
    const { routes } = product
    assert.ok(routes.some(({ path }) => path === '/api/mcp'))
    const opened: unknown[] = []
    for (const { method, path } of [...routes, { method: 'GET', path: '/not/there' }]) {
      for (const headers of CREDENTIALS) {
        const { status, text } = await send(product.url, { method, path, headers })
        const allowed = OPEN[path]?.(status, text) ?? [401, 429].includes(status)
        if (!allowed) opened.push({ method, path, headers, status })
      }
    }
    log(`${routes.length} routes`)
    none(opened, 'a route that answers without the key')
  },
})
