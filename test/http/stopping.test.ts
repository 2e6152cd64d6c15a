import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import { defineTool } from '../../src/mcp/tool.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { headersWith, openWire } from '../helpers/wire.ts'

/** Waits until the test has it go on. */
function waitingTool() {
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const tool = defineTool({
    name: 'wait',
    title: 'Wait',
    description: 'Waits.',
    input: Type.Object({}),
    output: Type.Object({}),
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    async run() {
      begun.resolve()
      await released.promise
      return {}
    },
  })
  return { tool, begun: begun.promise, release: released.resolve }
}

/** A request of which the service has one line when it is told to stop, and the rest when it stops. */
async function beginRequest({ url }: House, line: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8')
  let text = ''
  socket.on('data', (part: string) => (text += part))
  await once(socket, 'connect')
  socket.write(`${line} HTTP/1.1\r\n`)
  return async (headers: Record<string, string>) => {
    const lines = Object.entries({ host: '127.0.0.1', ...headers })
    socket.write(`${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
    await once(socket, 'close')
    const [head = '', body = ''] = text.split('\r\n\r\n')
    return { head: head.toLowerCase(), body }
  }
}

describe('a service that stops', () => {
  test('answers what comes late in the shape of its edge: it was not carried out, and try again', async () => {
    // Of its own, for it is closed.
    await using house = await openHouse({ tools: [] })
    const headers = headersWith(house.key)
    const empty = { ...headers, 'content-length': '0' }
    const [mcp, hook, page, health] = await Promise.all(
      ['POST /api/mcp', 'POST /api/hooks/stop', 'GET /console/notes', 'GET /healthz'].map((line) =>
        beginRequest(house, line),
      ),
    )
    // The sockets have arrived, and their first lines.
    await new Promise((resolve) => setTimeout(resolve, 200))
    const closed = house.app.close()
    await new Promise((resolve) => setTimeout(resolve, 200))
    const asked = { ...headers, accept: 'text/html' }
    const [called, hooked, shown, well] = await Promise.all([
      mcp!(empty),
      hook!(empty),
      page!(asked),
      health!({}),
    ])
    await closed

    for (const { head } of [called, hooked, shown]) {
      expect(head).toMatch(/^http\/1\.1 503 /)
      expect(head).toContain('\r\nretry-after: 3\r\n')
      expect(head).toContain('\r\nconnection: close')
    }
    const words = 'the service is stopping, so this was not carried out; try again in a few seconds'
    const error = { code: -32603, message: words }
    expect(JSON.parse(called.body)).toEqual({ jsonrpc: '2.0', id: null, error })
    expect(JSON.parse(hooked.body)).toEqual({ error: words })
    expect(shown.head).toContain('content-type: text/html')
    expect(shown.body).toContain(words)
    expect(well.head).toMatch(/^http\/1\.1 503 /)
    expect(JSON.parse(well.body)).toMatchObject({ status: 'stopping' })
  })

  test('is gone with its last answer, also where its client would keep the connection', async () => {
    const { tool, begun, release } = waitingTool()
    await using house = await openHouse({ tools: [tool] })
    const wire = await openWire(house)
    const agent = new Agent({ keepAlive: true })
    const headers = { ...headersWith(house.key), 'mcp-session-id': wire.id }
    const call = { method: 'tools/call', params: { name: 'wait', arguments: {} } }
    const asking = request(`${house.url}/api/mcp`, { method: 'POST', agent, headers })
    asking.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...call }))
    await begun

    const closed = house.app.close()
    await new Promise((resolve) => setTimeout(resolve, 200))
    release()
    const [answer] = await once(asking, 'response')
    answer.resume()
    const before = performance.now()
    await closed
    expect(performance.now() - before).toBeLessThan(3_000)
    expect([answer.statusCode, answer.headers.connection]).toEqual([200, 'close'])
    agent.destroy()
  })
})
