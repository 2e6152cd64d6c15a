/**
 * The model, played: one server that speaks what the clients speak and says what a script says. A
 * prompt that holds `[[name]]` is answered with the script of that name, turn by turn; every other
 * request (a title, a summary) with two words.
 */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { anthropic } from './anthropic.ts'
import { chat } from './chat.ts'
import { gemini } from './gemini.ts'
import { responses } from './responses.ts'
import type { Answer, Protocol, Talk, Turn } from './turns.ts'

export type { ScriptedCall, Turn } from './turns.ts'

/** What was asked of the model. */
export interface Asked {
  path: string
  body: Record<string, unknown>
  talk: Talk
}

export interface Model extends AsyncDisposable {
  url: string
  /** What the model answers to a prompt that holds `[[name]]`. */
  play(name: string, turns: Turn[]): void
  asked: Asked[]
}

interface Wishes {
  /** Awaited before each turn of a script, so that several clients can be made to take turns. */
  before?: (script: string, turn: number) => Promise<void>
}

export async function openModel({ before }: Wishes = {}): Promise<Model> {
  const scripts = new Map<string, Turn[]>()
  const asked: Asked[] = []

  async function answerTo({ talk, body }: Asked): Promise<Answer> {
    for (const { text, callsAfter } of talk.said.toReversed()) {
      const name = [...text.matchAll(/\[\[([\w-]+)\]\]/g)].at(-1)?.[1]
      const turns = name === undefined ? undefined : scripts.get(name)
      if (name === undefined || !turns) continue
      let passed = 0
      for (const [index, turn] of turns.entries()) {
        const isNext = 'text' in turn || passed >= callsAfter
        if (isNext) await before?.(name, index)
        if ('text' in turn) return turn
        if (isNext) return callsOf(turn, talk, JSON.stringify(body))
        passed += turn.calls.length
      }
      return { text: 'Done.' }
    }
    return { text: 'All well.' }
  }

  const server = createServer((request, response) => {
    void (async () => {
      const path = request.url ?? ''
      const protocol = protocolOf(path)
      const text = await textOf(request)
      if (!protocol || request.method !== 'POST') {
        response.writeHead(path.endsWith('/models') ? 200 : 404, {
          'content-type': 'application/json',
        })
        return response.end('{"object":"list","data":[],"models":[]}')
      }
      if (/count_?tokens/i.test(path)) {
        response.writeHead(200, { 'content-type': 'application/json' })
        return response.end('{"input_tokens":10,"totalTokens":10}')
      }
      const body = JSON.parse(text) as Record<string, unknown>
      const talk = protocol.read(body, path)
      const question = { path, body, talk }
      asked.push(question)
      const answer = await answerTo(question)
      const stream = body['stream'] === true || path.includes(':stream')
      const written = protocol.write(answer, { model: talk.model, stream })
      response.writeHead(200, { 'content-type': written.type })
      return response.end(written.body)
    })().catch((error: unknown) => {
      response.writeHead(500).end(JSON.stringify({ error: { message: String(error) } }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    play: (name, turns) => void scripts.set(name, turns),
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function protocolOf(path: string): Protocol | undefined {
  if (path.includes('/messages')) return anthropic
  if (path.includes('/chat/completions')) return chat
  if (path.includes('/responses')) return responses
  if (/:(?:stream)?(?:generateContent|GenerateContent|countTokens)/.test(path)) return gemini
  return undefined
}

/**
 * The calls under the names that the client offers. One that it holds back is looked up first, where
 * the client wants that, or called through the tool that calls hidden ones.
 */
function callsOf(
  { calls }: Extract<Turn, { calls: unknown }>,
  { tools }: Talk,
  asked: string,
): Answer {
  const found = calls.map(({ tool, arguments: given }) => {
    const input = typeof given === 'function' ? given(asked) : given
    const name = tools.find(
      (each) =>
        each === tool || (/[_\0]/.test(each.at(-tool.length - 1) ?? '') && each.endsWith(tool)),
    )
    return { id: randomBytes(8).toString('hex'), name, tool, arguments: input }
  })
  const hidden = found
    .filter(({ name }) => name === undefined)
    .map(({ tool }) => `mcp__loam__${tool}`)
  const named = found.map(({ id, name, tool, arguments: input }) =>
    name === undefined
      ? { id, name: 'tool_call', arguments: { name: `mcp__loam__${tool}`, arguments: input } }
      : { id, name, arguments: input },
  )
  if (hidden.length === 0 || tools.includes('tool_call')) return { calls: named }
  if (!tools.includes('ToolSearch'))
    return { text: `No tool ${hidden} among ${tools}.`.replaceAll('\0', '.') }
  const query = `select:${hidden}`
  const search = { name: 'ToolSearch', arguments: { query, max_results: 20 } }
  return { calls: [{ id: randomBytes(8).toString('hex'), ...search }] }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}
