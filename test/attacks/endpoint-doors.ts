import { headersWith, openWire, send } from '../helpers/wire.ts'
import { defineAttack, none } from './attack.ts'
import { startProduct } from './product.ts'

const OURS = ['localhost', 'localhost:1', '127.0.0.1', '127.0.0.1:8420', '[::1]:8420', 'LOCALHOST']
const FOREIGN = [
  'evil.example',
  'localhost.evil.example',
  'localhost@evil.example',
  '127.0.0.1.nip.io',
  '0.0.0.0',
  '[::ffff:127.0.0.1]',
  '2130706433',
  '0x7f000001',
  '127.1',
  'localhost.',
  'localhost:',
  'localhost, evil.example',
]
const PATHS = [
  '/api/mcp/',
  '//api/mcp',
  '/api//mcp',
  '/API/MCP',
  '/api/mcp;x',
  '/api/mcp%00',
  '/api/mcp%2f',
  '/api%2fmcp',
  '/%61pi/mcp',
  '/api/./mcp',
  '/api/x/../mcp',
  '/healthz/../api/mcp',
  '/healthz%2f..%2fapi/mcp',
  '/.well-known/../api/mcp',
  '/.well-known/..%2fapi/mcp',
  'http://127.0.0.1/api/mcp',
  '*',
]
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }

export const endpointDoors = defineAttack({
  id: 'S7',
  title: 'no host, origin, method or spelling of the path is a way around the key',
  rounds: 1,
  once: true,

  async run({ log }) {
    await using product = await startProduct()
    const wire = await openWire(product)
    const wrong: unknown[] = []
    let tried = 0
    const expectStatus = async (
      what: object,
      wanted: (status: number) => boolean,
      sending: Parameters<typeof send>[1],
    ): Promise<void> => {
      tried++
      const { status, headers } = await send(product.url, sending)
      const cors = Object.keys(headers).some((name) => name.startsWith('access-control-'))
      if (!wanted(status) || cors) wrong.push({ ...what, status, cors })
    }

    for (const host of [...OURS, ...FOREIGN]) {
      for (const from of [
        undefined,
        'null',
        ...[...OURS, ...FOREIGN].map((name) => `http://${name}`),
      ]) {
        const good = OURS.includes(host) && (!from || OURS.includes(from.slice('http://'.length)))
        const headers = { ...headersWith(product.key), 'mcp-session-id': wire.id, host }
        await expectStatus({ host, origin: from }, (status) => status === (good ? 200 : 403), {
          method: 'POST',
          path: '/api/mcp',
          headers: { ...headers, ...(from && { origin: from }) },
          body: PING,
        })
      }
    }
    for (const path of PATHS) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH']) {
        const closed = (status: number): boolean => status >= 400 && status < 500
        for (const headers of [
          {},
          { cookie: `loam_console=${product.key}` },
          { 'x-forwarded-for': '127.0.0.1' },
        ]) {
          await expectStatus({ path, method, headers }, closed, {
            path,
            method,
            headers,
            body: PING,
          })
        }
      }
    }
    log(`${tried} requests`)
    none(wrong, 'a request that was not refused, or refused for the wrong reason')
  },
})
