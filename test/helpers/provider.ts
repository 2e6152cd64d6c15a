/**
 * A small embedding provider over real HTTP, in both protocols. Its vectors are of hashed words: texts
 * that share words are near to each other, the same text is the same vector in every run.
 */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the provider does instead of answering well. */
export interface Fault {
  status?: number
  retryAfter?: string
  /** Milliseconds before the answer. */
  delay?: number
  /** What happens before the answer. */
  meanwhile?: () => Promise<void>
  /** Sent as it is, with status 200. */
  body?: string
  /** Of the vectors, whatever was asked for. */
  dims?: number
  /** Only requests with such a text meet the fault. */
  when?: (texts: readonly string[]) => boolean
}

export interface FakeProvider extends AsyncDisposable {
  /** With the path of the OpenAI-compatible protocol. */
  url: string
  port: number
  /** The variables of a house that uses it. */
  env: Record<string, string>
  fault: Fault | undefined
  /** What it makes of a text instead of the sum of its words. */
  read: ((text: string) => number[]) | undefined
  /** Every request's path, headers and texts so far. */
  requests: { path: string; authorization: string; model: string; texts: string[] }[]
  close(): Promise<void>
}

export async function openProvider({ dims = 96 } = {}): Promise<FakeProvider> {
  const requests: FakeProvider['requests'] = []
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/v1`

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const asked = JSON.parse(Buffer.concat(parts).toString()) as {
      input: string[]
      model: string
      dimensions?: number
    }
    const { authorization = '' } = request.headers
    const path = request.url ?? ''
    requests.push({ path, authorization, model: asked.model, texts: asked.input })
    const fault = provider.fault?.when?.(asked.input) === false ? undefined : provider.fault
    if (fault?.delay) await new Promise((resolve) => setTimeout(resolve, fault.delay))
    await fault?.meanwhile?.()
    const after = fault?.retryAfter
    response.writeHead(fault?.status ?? 200, {
      'content-type': 'application/json',
      ...(after !== undefined && { 'retry-after': after }),
    })
    if (fault?.status) return void response.end('{"error":{"message":"Incorrect key: sk-leaked"}}')
    if (fault?.body !== undefined) return void response.end(fault.body)
    const length = fault?.dims ?? asked.dimensions ?? dims
    const vectors = asked.input.map(
      (text) => provider.read?.(text) ?? wordVector(`${asked.model} `, text, length),
    )
    const data = vectors.map((embedding, index) => ({ index, embedding }))
    response.end(
      JSON.stringify(path === '/api/embed' ? { embeddings: vectors } : { data: data.toReversed() }),
    )
  }

  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  const provider: FakeProvider = {
    url,
    port,
    env: { LOAM_EMBEDDINGS_BASE_URL: url, LOAM_EMBEDDINGS_MODEL: 'words' },
    fault: undefined,
    read: undefined,
    requests,
    close,
    [Symbol.asyncDispose]: close,
  }
  return provider
}

const directions = new Map<string, Float32Array>()

/** The sum of what the words of a text point to; each word of each model has a direction of its own. */
export function wordVector(model: string, text: string, dims: number): number[] {
  const sum = new Float32Array(dims)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const direction = directionOf(`${model}${word}`, dims)
    for (let i = 0; i < dims; i++) sum[i]! += direction[i]!
  }
  return [...sum]
}

function directionOf(word: string, dims: number): Float32Array {
  const key = `${dims} ${word}`
  const known = directions.get(key)
  if (known) return known
  let state = createHash('sha256').update(word).digest().readUInt32LE() || 1
  const next = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 31 - 1
  }
  // Two draws that are added fall off to both sides, as the numbers of real models do.
  const direction = Float32Array.from({ length: dims }, () => next() + next())
  if (directions.size > 20_000) directions.clear()
  directions.set(key, direction)
  return direction
}
