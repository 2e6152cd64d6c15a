import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js'
import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../config/client.ts'
import { readBuild } from '../../kernel/build.ts'
import { forbidden, invalid, unavailable } from '../../kernel/refusal.ts'
import { ANSWER_MS, noAnswer, notLoam } from './json-answer.ts'
import { WRONG_KEY } from './plain-client.ts'

/** How long a tool may take: a page that is captured comes from elsewhere. */
const TOOL_MS = 60_000
/** For telling the service that the command is done. */
const LEAVE_MS = 1_000

/** The service's tools, as a command uses them. */
export interface Tools extends AsyncDisposable {
  /** Returns the answer of a tool. Refuses in the tool's own words. */
  call(tool: string, input: Record<string, unknown>): Promise<Record<string, unknown>>
  /** Returns the names of the tools that the service offers now. */
  list(): Promise<string[]>
}

/** Which project the service took to be meant. */
export interface Meant {
  /** '' is the global scope. */
  project: string
  by: 'session' | 'place' | 'nothing'
}

/** As `src/mcp/call-tool.ts` spells it. */
const MEANT = 'loam/meant'

/**
 * Calls one tool and returns its answer. Options that were not given are not sent.
 *
 * @param headers what says where the caller works
 * @param tell is told which project was meant, when the call named none
 */
export async function callTool(
  client: Client,
  name: string,
  input: Record<string, unknown>,
  { headers, tell }: { headers: Record<string, string>; tell(meant: Meant): void },
): Promise<Record<string, unknown>> {
  await using tools = await openTools(client, { headers, tell })
  const given = Object.entries(input).filter(([, value]) => value !== undefined)
  // Awaited here: at the end of this function the connection ends.
  return await tools.call(name, Object.fromEntries(given))
}

/** Opens a connection that ends with the command. */
export async function openTools(
  client: Client,
  { headers, tell }: { headers?: Record<string, string>; tell?(meant: Meant): void } = {},
): Promise<Tools> {
  const transport = new StreamableHTTPClientTransport(new URL(`${client.url}/api/mcp`), {
    requestInit: { headers: { ...headers, authorization: `Bearer ${await client.key()}` } },
  })
  const mcp = new McpClient({ name: 'loam', version: readBuild().version })
  // The types of the library forbid what its own transport has under exact optional properties.
  const ours = transport as Parameters<typeof mcp.connect>[0]
  await mcp.connect(ours, { timeout: ANSWER_MS }).catch((error: unknown) => {
    throw cannotReach(client.url, error as Error)
  })
  return {
    async call(tool, input) {
      const asked = { name: tool, arguments: input, ...(tell && { _meta: { [MEANT]: true } }) }
      const { content, structuredContent, isError, _meta } = await mcp
        .callTool(asked, undefined, { timeout: TOOL_MS })
        .catch((error: unknown) => {
          throw wentWrong(client.url, tool, error)
        })
      const meant = _meta?.[MEANT] as Meant | undefined
      if (meant) tell?.(meant)
      const [part] = content as { text?: string }[]
      if (isError) throw invalid(part?.text ?? `${tool} failed`)
      return (structuredContent ?? {}) as Record<string, unknown>
    },
    async list() {
      const { tools } = await mcp
        .listTools(undefined, { timeout: ANSWER_MS })
        .catch((error: unknown) => {
          throw wentWrong(client.url, 'tools/list', error)
        })
      return tools.map(({ name }) => name)
    },
    async [Symbol.asyncDispose]() {
      const left = transport.terminateSession().catch(() => {})
      await Promise.race([left, sleep(LEAVE_MS, undefined, { ref: false })])
      await mcp.close()
    },
  }
}

/** As the library numbers an answer of another content type. */
const NO_MCP = -1

function cannotReach(url: string, error: Error & { code?: unknown }): Error {
  if (error.code === 401) return forbidden(`${url}: ${WRONG_KEY}`)
  if (error.code === NO_MCP) return notLoam(url)
  if (error.code === 404 || error.code === 405) return notLoam(url, error.code)
  if (error.code === ErrorCode.RequestTimeout) return noAnswer(url, error)
  const { code = '' } = (error.cause ?? {}) as { code?: string }
  return unavailable(`${url}: the service cannot be reached${code && ` (${code})`}`, error)
}

/** Why a call behind a good connection got no answer of its tool. */
function wentWrong(url: string, asked: string, error: unknown): Error {
  const unsure = `whether ${asked} took effect is not known`
  if (error instanceof StreamableHTTPError) {
    if (error.code === 401) return cannotReach(url, error)
    return unavailable(`${url}: the service answered ${error.code} to ${asked}`, error)
  }
  if (!(error instanceof McpError))
    return unavailable(`${url}: the connection was lost; ${unsure}`, error)
  if (error.code === ErrorCode.RequestTimeout)
    return unavailable(`${url}: no answer came within ${TOOL_MS / 1000} s; ${unsure}`, error)
  return invalid(error.message.replace(/^MCP error -?\d+: /, ''))
}
