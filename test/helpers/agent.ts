import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import type { JsonSchemaValidator, jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation'
import type { FastifyInstance } from 'fastify'
import { Within } from './within.ts'

/** An answer, as a test reads it: what it expects of a field is the test's own business. */
export type Answer = Record<string, any>

/** A coding agent, as the SDK's client has it. */
export interface Agent extends AsyncDisposable {
  /** The Mcp-Session-Id of its connection. */
  id: string
  client: Client
  /** `structuredContent` of the answer; throws an Error with the text of a tool error. */
  call(
    tool: string,
    args?: Record<string, unknown>,
    meta?: Record<string, unknown>,
  ): Promise<Answer>
  /** The answer as it came, errors of the tool included. */
  raw(
    tool: string,
    args?: Record<string, unknown>,
    meta?: Record<string, unknown>,
  ): Promise<CallToolResult>
  /** The tools, as listed. */
  tools(): Promise<Tool[]>
  close(): Promise<void>
}

/** The SDK's own, shared: to compile the schemas of the same tools anew is most of a connection. */
const validators: jsonSchemaValidator = {
  getValidator<T>(schema: Parameters<jsonSchemaValidator['getValidator']>[0]) {
    const text = JSON.stringify(schema)
    const known = compiled.get(text) ?? ajv.getValidator(schema)
    compiled.set(text, known)
    return known as JsonSchemaValidator<T>
  },
}
const ajv = new AjvJsonSchemaValidator()
const compiled = new Map<string, JsonSchemaValidator<unknown>>()

/**
 * Connects with nothing but the address and the key, as any client does.
 *
 * The tools are listed at once: from then on the SDK validates every `structuredContent` against
 * the tool's `outputSchema`, and throws where it does not fit.
 */
export async function connect({
  url,
  key,
  name = 'alice',
  headers = {},
  within,
}: {
  /** Of the service, without `/api/mcp`. */
  url: string
  key: string
  name?: string
  /** What the client sends with every request beside the key. */
  headers?: Record<string, string>
  /** Without a socket, and without a look at the tools. */
  within?: FastifyInstance | undefined
}): Promise<Agent> {
  const own = { ...headers, authorization: `Bearer ${key}` }
  const transport = within
    ? new Within(within, own)
    : new StreamableHTTPClientTransport(new URL('/api/mcp', url), { requestInit: { headers: own } })
  const client = new Client({ name, version: '1.0.0' }, { jsonSchemaValidator: validators })
  await client.connect(transport as Transport)
  if (!within) await client.listTools()
  const raw: Agent['raw'] = async (tool, args = {}, meta) =>
    (await client.callTool({
      name: tool,
      arguments: args,
      ...(meta && { _meta: meta }),
    })) as CallToolResult

  return {
    id: transport.sessionId ?? '',
    client,
    raw,
    async call(tool, args, meta) {
      const { isError, content, structuredContent } = await raw(tool, args, meta)
      const [part] = content
      const text = part?.type === 'text' ? part.text : ''
      if (isError) throw new Error(text)
      return (structuredContent ?? JSON.parse(text)) as Answer
    },
    tools: async () => (await client.listTools()).tools,
    close: () => client.close(),
    [Symbol.asyncDispose]: () => client.close(),
  }
}
