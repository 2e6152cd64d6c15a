import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { CLIENTS } from '../../src/hooks/clients.ts'
import { callHook, CODEX, fixture } from '../helpers/call-hook.ts'
import { openHouse, type House } from '../helpers/house.ts'

const ALL = [
  'session-start',
  'user-prompt-submit',
  'subagent-start',
  'subagent-stop',
  'session-end',
  'stop',
  'post-tool-use',
  'permission-request',
]
const WITH_CONTEXT: Record<string, string> = {
  'session-start': 'SessionStart',
  'user-prompt-submit': 'UserPromptSubmit',
  'subagent-start': 'SubagentStart',
}

/** What a client gets that told nothing. */
const silence = (name: string): object => ({
  continue: true,
  suppressOutput: true,
  ...(WITH_CONTEXT[name] && {
    hookSpecificOutput: { hookEventName: WITH_CONTEXT[name], additionalContext: '' },
  }),
})

describe.each(ALL)('%s', (name) => {
  test('needs the key', async () => {
    await using house = await openHouse()
    for (const key of ['wrong', '']) {
      const { status, body } = await callHook({ url: house.url, key }, name, {})
      expect(status).toBe(401)
      expect(body.error).toMatch(/^unauthorized/)
    }
    const lower = { authorization: `bEaReR ${house.key}` }
    expect((await callHook(house, name, {}, { headers: lower })).status).toBe(200)
  })

  test('refuses a client that is unknown, empty or given twice, and names the valid ones', async () => {
    await using house = await openHouse()
    for (const query of [
      '?client=',
      '?client=emacs',
      '?client=claude-code&client=codex',
      '?client=codex&client=codex',
      '?client=Codex',
    ]) {
      const { status, body } = await callHook(house, name, {}, { query })
      expect({ query, status, error: body.error }).toEqual({
        query,
        status: 400,
        error: `client must be one of ${CLIENTS.join(', ')}, once`,
      })
    }
  })

  test('answers an empty payload with nothing, for every client', async () => {
    await using house = await openHouse()
    for (const query of ['', ...CLIENTS.map((client) => `?client=${client}`), '?other=1']) {
      const { status, body } = await callHook(house, name, {}, { query })
      expect({ status, body }).toEqual({ status: 200, body: silence(name) })
    }
  })

  test('reads a body that it cannot understand as an empty payload', async () => {
    await using house = await openHouse()
    for (const sent of [
      '',
      'not json',
      '{"session_id":"s',
      '[{"session_id":"s"}]',
      '"session_id"',
      'null',
      '{"session_id":7,"cwd":{},"prompt":[],"tool_input":3,"tokens":"x"}',
      '{"process":"0123","gone":[7,{"client":"emacs","session_id":"s"},{"client":"codex"}]}',
      '{"__proto__":{"session_id":"s"},"constructor":1}',
    ]) {
      const { status, body } = await callHook(house, name, sent)
      expect({ sent, status, body }).toEqual({ sent, status: 200, body: silence(name) })
    }
    expect(await sessions(house)).toEqual([])
    expect(await house.events('hook.error')).toEqual([])
  })

  test('answers with any content type', async () => {
    await using house = await openHouse()
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'a/b; c', 'garbage']) {
      const headers = { 'content-type': type }
      const { status } = await callHook(house, name, { cwd: '/' }, { ...CODEX, headers })
      expect({ type, status }).toEqual({ type, status: 200 })
    }
  })
})

const sessions = ({ app }: House) => app.kernel.db.selectFrom('sessions').select('id').execute()

describe('a body', () => {
  test('over 8 MiB counts as empty, and one just below is read', async () => {
    await using house = await openHouse()
    const sized = (size: number): string => {
      const start = JSON.stringify({ ...fixture('codex/session-start'), filler: '' })
      return start.replace('"filler":""', `"filler":"${'x'.repeat(size - start.length)}"`)
    }
    const limit = 8 * 1024 * 1024
    const over = await callHook(house, 'session-start', sized(limit + 1), CODEX)
    expect(over).toMatchObject({ status: 200, context: '' })
    expect(await sessions(house)).toEqual([])
    const just = await callHook(house, 'session-start', sized(limit), CODEX)
    expect(just.status).toBe(200)
    expect(await sessions(house)).toHaveLength(1)
  })

  test.each([
    ['nearly 100,000 values is read', '1,'.repeat(99_000), 1],
    ['millions of values counts as empty', '{},'.repeat(2_000_000), 0],
    ['millions of levels counts as empty', '['.repeat(4_000_000), 0],
    ['millions of brackets and commas in a text is read', `"${'\\",[{'.repeat(1_000_000)}",`, 1],
  ])('of %s', async (_, filler, read) => {
    await using house = await openHouse()
    const start = JSON.stringify({ ...fixture('codex/session-start'), filler: [0] })
    const close = ']'.repeat(filler.startsWith('[') ? filler.length : 0)
    const body = start.replace('"filler":[0]', `"filler":[${filler}0${close}]`)
    const { status } = await callHook(house, 'session-start', body, CODEX)
    expect(status).toBe(200)
    expect(await sessions(house)).toHaveLength(read)
  })

  test('with a byte order mark is understood', async () => {
    await using house = await openHouse()
    await callHook(
      house,
      'session-start',
      `\ufeff${JSON.stringify(fixture('codex/session-start'))}`,
    )
    expect(await sessions(house)).toHaveLength(1)
  })

  test('that breaks off does the service no harm', async () => {
    await using house = await openHouse()
    const { hostname, port } = new URL(house.url)
    const socket = connect(Number(port), hostname)
    await new Promise<void>((resolve) => socket.once('connect', resolve))
    socket.write(
      `POST /api/hooks/stop HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${house.key}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"session',
    )
    socket.destroy()
    expect((await callHook(house, 'stop', {})).status).toBe(200)
  })
})

test('an unknown hook is not found, and the list is closed', async () => {
  await using house = await openHouse()
  expect((await callHook(house, 'pre-tool-use', {})).status).toBe(404)
  expect((await callHook(house, '', {})).status).toBe(404)
})
