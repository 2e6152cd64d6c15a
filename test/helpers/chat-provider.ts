/** A small chat provider over real HTTP, in all three protocols. It says what a test tells it to say. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the provider does instead of answering well. */
export interface ChatFault {
  status?: number
  headers?: Record<string, string>
  /** Milliseconds before the answer. */
  delay?: number
  /** Sent as it is. */
  body?: string
  /** The tokens are used up. */
  cut?: boolean
  /** Only so many requests meet the fault, from now on. */
  times?: number
}

export interface FakeChatProvider extends AsyncDisposable {
  /** Without a path. */
  origin: string
  /** The variables of a house that uses it by the protocol of OpenAI. */
  env: Record<string, string>
  /** The text of every answer. */
  text: string
  fault: ChatFault | undefined
  /** Every request so far. */
  requests: { path: string; headers: IncomingHttpHeaders; body: Record<string, any> }[]
  close(): Promise<void>
}

export async function openChatProvider(text = 'Well said.'): Promise<FakeChatProvider> {
  const requests: FakeChatProvider['requests'] = []
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const path = request.url ?? ''
    const body = JSON.parse(Buffer.concat(parts).toString()) as Record<string, any>
    requests.push({ path, headers: request.headers, body })
    const fault = takeFault()
    if (fault?.delay) await new Promise((resolve) => setTimeout(resolve, fault.delay))
    const headers = { 'content-type': 'application/json', ...fault?.headers }
    response.writeHead(fault?.status ?? 200, headers)
    if (fault?.body !== undefined) return void response.end(fault.body)
    if (fault?.status) return void response.end('{"error":{"message":"Incorrect key: sk-leaked"}}')
    response.end(JSON.stringify(said(path, provider.text, fault?.cut ?? false)))
  }

  function takeFault(): ChatFault | undefined {
    const { fault } = provider
    if (fault?.times === undefined) return fault
    if (fault.times === 0) return undefined
    fault.times--
    return fault
  }

  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  const provider: FakeChatProvider = {
    origin,
    env: {
      LOAM_LLM_OPENAI_BASE_URL: `${origin}/v1`,
      LOAM_LLM_OPENAI_CHAT_MODEL: 'gpt-test',
      // They would be asked of the same address.
      LOAM_EMBEDDINGS_PROVIDER: 'off',
    },
    text,
    fault: undefined,
    requests,
    close,
    [Symbol.asyncDispose]: close,
  }
  return provider
}

function said(path: string, text: string, cut: boolean): object {
  if (path === '/api/chat') {
    return { message: { role: 'assistant', content: text }, done_reason: cut ? 'length' : 'stop' }
  }
  if (path === '/v1/messages') {
    const content = [
      { type: 'thinking', thinking: 'Hm.' },
      ...(text ? [{ type: 'text', text }] : []),
    ]
    return { content, stop_reason: cut ? 'max_tokens' : 'end_turn' }
  }
  const finish_reason = cut ? 'length' : 'stop'
  return { choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason }] }
}
