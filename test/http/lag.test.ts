import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import { pino } from 'pino'
import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import { defineScreen } from '../../src/console/screen.ts'
import { logLag } from '../../src/http/lag.ts'
import { defineTool } from '../../src/mcp/tool.ts'
import { openHouse } from '../helpers/house.ts'

/** Holds the event loop for as long. */
const held = defineTool({
  name: 'hold',
  title: 'Hold',
  description: 'Holds the event loop.',
  input: Type.Object({
    milliseconds: Type.Integer(),
    body: Type.Optional(Type.String()),
    tags: Type.Optional(Type.Array(Type.String())),
  }),
  output: Type.Object({}),
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  run: async ({ milliseconds }) => hold(milliseconds),
})

/** Waits for `release` and holds nothing. */
const waiting = defineTool({
  ...held,
  name: 'wait',
  title: 'Wait',
  input: Type.Object({}),
  async run() {
    await released
    return {}
  },
})
const { promise: released, resolve: release } = Promise.withResolvers<void>()

function hold(milliseconds: number): object {
  const started = performance.now()
  while (performance.now() - started < milliseconds);
  return {}
}

function listen() {
  const lines: Record<string, any>[] = []
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const holds = () => lines.filter(({ msg }) => msg === 'the event loop was held')
  return { log, lines, holds }
}

describe('a held event loop', () => {
  test('is logged with the tool that held it and the sizes of what it was given', async () => {
    const { log, holds } = listen()
    await using house = await openHouse({ log, tools: [held] })
    const agent = await house.connect()

    const body = 'confidential'.repeat(10)
    await agent.call('hold', { milliseconds: 400, content: body, tags: ['confidential', 'b'] })
    await sleep(50)

    // A busy machine may hold the loop as well, while the call waits.
    const lines = holds().filter(({ at_work }) => at_work.some(({ tool }: any) => tool === 'hold'))
    const line = lines.toSorted((a, b) => b['held_ms'] - a['held_ms'])[0]
    expect(line).toMatchObject({ level: 40 })
    expect(line!['held_ms']).toBeGreaterThanOrEqual(380)
    expect(line!['cpu_ms']).toBeGreaterThan(0)
    const work = line!['at_work'].find(({ tool }: any) => tool === 'hold')
    expect(work.sizes).toEqual({ milliseconds: 1, content: 120, tags: 2 })
    expect(work.body_bytes).toBeGreaterThan(120)
  })

  test('is not logged of a start, before which nobody can wait', async () => {
    const { log, holds } = listen()
    const app = Fastify()
    logLag(app, log)
    app.addHook('onReady', async () => {
      await sleep(50)
      hold(400)
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
    await sleep(100)
    const ofStart = holds().filter(({ held_ms }) => held_ms >= 380)
    await app.close()
    expect(ofStart).toEqual([])
  })

  test('is logged without anything that was sent', async () => {
    const { log, lines, holds } = listen()
    await using house = await openHouse({ log, tools: [held] })
    const agent = await house.connect()

    await agent.raw('hold', { milliseconds: 400, body: 'canary', canary: 'canary' })
    await agent.call('hold', { milliseconds: 400, body: 'canary', tags: ['canary'] })
    await sleep(50)

    expect(holds().length).toBeGreaterThan(0)
    expect(JSON.stringify(lines)).not.toContain('canary')
  })

  test('is logged with the route of what is no tool, and with whoever waited meanwhile', async () => {
    const { log, holds } = listen()
    const page = defineScreen({
      section: 'holding',
      async routes(app) {
        app.get('', async () => hold(400))
      },
    })
    await using house = await openHouse({ log, tools: [waiting], screens: [page] })
    const agent = await house.connect()
    const headers = { authorization: `Bearer ${house.key}` }

    const answer = agent.call('wait')
    await sleep(100)
    await fetch(`${house.url}/console/holding?q=canary`, { headers })
    release()
    await answer
    await sleep(50)

    const named = holds().flatMap(({ at_work }) => at_work)
    expect(named).toContainEqual(expect.objectContaining({ route: 'GET /console/holding' }))
    expect(named).toContainEqual(expect.objectContaining({ tool: 'wait', sizes: {} }))
    expect(JSON.stringify(named)).not.toContain('canary')
  })
})
