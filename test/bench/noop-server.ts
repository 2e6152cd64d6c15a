/**
 * A process with one tool that does nothing, for the endpoint's bench: `noop-server.ts loam` is the
 * whole product, `noop-server.ts sdk` the SDK's own server with nothing about it. Prints its address.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import Type from 'typebox'
import * as z from 'zod'
import { pino } from 'pino'
import { buildApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'
import { catalog } from '../../src/mcp/catalog.ts'
import { defineTool } from '../../src/mcp/tool.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { openFolder } from '../helpers/folder.ts'

const noop = defineTool({
  name: 'noop',
  title: 'Nothing',
  description: 'Answers with the word it was given.',
  input: Type.Object({ word: Type.String() }),
  output: Type.Object({ word: Type.String() }),
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  run: async ({ word }) => ({ word }),
})

async function serveLoam(): Promise<string> {
  const { path } = await openFolder()
  const env = { HOME: path, LOAM_DATA_DIR: path, LOAM_MCP_API_KEY: 'noop' }
  const { config } = await loadConfig({ cwd: path, env })
  const log = pino({ level: 'warn' }, pino.destination(2))
  const house = await buildApp(config, { log, database: await openTestDatabase(), tools: [noop] })
  return house.app.listen({ host: '127.0.0.1', port: 0 })
}

/** As many tools as the product lists, so that listing compares like with like. */
async function serveSdk(): Promise<string> {
  const server = new McpServer({ name: 'sdk', version: '1.0.0' })
  const word = { word: z.string() }
  for (const { name, description } of [noop, ...catalog]) {
    server.registerTool(
      name,
      { description, inputSchema: word, outputSchema: word },
      async ({ word }) => ({
        content: [{ type: 'text', text: JSON.stringify({ word }) }],
        structuredContent: { word },
      }),
    )
  }
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => 'mcp-session-sdk',
    enableJsonResponse: true,
  })
  await server.connect(transport)
  const http = createServer((request, response) => void transport.handleRequest(request, response))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`
}

console.log(`at ${process.argv[2] === 'sdk' ? await serveSdk() : await serveLoam()}`)
