/**
 * The tools as MCP sees them: one SDK server for all connections, and the layers that every call
 * passes on its way to a tool: feature gate, record of the call, arguments, scope, run.
 */
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  type CallToolResult,
} from '@modelcontextprotocol/sdk/types.js'
import type { Build } from '../kernel/build.ts'
import { NOBODY, type Actor, type Kernel } from '../kernel/kernel.ts'
import { asRefusal } from '../kernel/trouble.ts'
import { scopesFor } from '../projects/projects.ts'
import { bindConnection, speakFor, type BoundSession, type CallContext } from './bindings.ts'
import { prepareCatalog, type Offer, type Ready } from './catalog.ts'
import { Exchange } from './exchange.ts'
import { instructions } from './instructions.ts'
import { recordCall } from './record-call.ts'
import type { Tool } from './tool.ts'

/** What a handler needs beside the message: who calls, and the arguments exactly as they were sent. */
export interface Asked {
  /** Still on its way while the message is read. */
  call: Promise<CallContext> | null
  sent?: unknown
}

/** The wire to the tools. Ask it with a method, its params and who calls. */
export async function serveTools(
  kernel: Kernel,
  tools: readonly Tool[],
  build: Build,
): Promise<Exchange<Asked>> {
  const offerFor = prepareCatalog(tools)
  const exchange = new Exchange<Asked>()
  const server = new Server(
    { name: 'loam', version: build.version },
    { capabilities: { tools: { listChanged: false } }, instructions },
  )
  async function asked(
    id: string | number,
  ): Promise<{ call: CallContext; offer: Offer; sent: unknown }> {
    const { call: coming, sent } = exchange.contextOf(id)
    const call = await coming
    if (!call) throw new Error('a tool request without its context')
    return { call, sent, offer: offerFor(call.features) }
  }

  server.setRequestHandler(ListToolsRequestSchema, async (_request, { requestId }) => ({
    tools: (await asked(requestId)).offer.listed,
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { requestId }) => {
    const { call, offer, sent } = await asked(requestId)
    const ready = offer.tools.get(params.name)
    if (!ready) throw unknownTool(params.name)
    return callTool(kernel, ready, call, sent)
  })
  await server.connect(exchange)
  return exchange
}

/** The same words for a tool that is hidden and for one that never was. */
function unknownTool(name: string): Error {
  const shown = JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name)
  return Object.assign(new Error(`tool ${shown} not found`), { code: ErrorCode.InvalidParams })
}

async function callTool(
  kernel: Kernel,
  ready: Ready,
  context: CallContext,
  sent: unknown,
): Promise<CallToolResult> {
  const { tool } = ready
  const started = performance.now()
  const run = await runTool(kernel, ready, context, sent)
  await recordCall(kernel, {
    tool,
    session: run.session,
    actor: run.actor,
    sent,
    milliseconds: performance.now() - started,
    text: run.text,
    failed: run.result === null,
  })
  const content = [{ type: 'text' as const, text: run.text }]
  return run.result ? { content, structuredContent: run.result } : { content, isError: true }
}

interface Run {
  /** Null: the call failed, and the text says why. */
  result: Record<string, unknown> | null
  text: string
  session: BoundSession | null
  actor: Actor
}

async function runTool(
  kernel: Kernel,
  { tool, read }: Ready,
  context: CallContext,
  sent: unknown,
): Promise<Run> {
  let { session } = context
  let actor: Actor = session ? { session: session.id, model: session.model } : NOBODY
  const attribute = (to: BoundSession): void => {
    session = to
    actor = { session: to.id, model: to.model }
  }
  try {
    const { session: named, ...input } = read(sent)
    if (typeof named === 'string' && named.trim() !== '') {
      session = await speakFor(kernel, session, named.trim(), tool.target === 'session')
    }
    const scopes = scopesFor(kernel, { session, ambients: context.ambients })
    actor = scopes.actor
    const answer = await tool.run(input as never, {
      kernel,
      actor,
      scopes,
      session,
      connection: context.connection.id,
      lab: context.lab,
      async bind(to) {
        await bindConnection(kernel.db, context.connection.id, to.id)
        attribute(to)
      },
      attribute,
    })
    await kernel.failpoint('before-answer')
    const result = answer as Record<string, unknown>
    return { result, text: JSON.stringify(result), session, actor }
  } catch (error) {
    return { result: null, text: `${tool.name}: ${reasonOf(kernel, tool, error)}`, session, actor }
  }
}

/** A refusal's own words; of anything else nothing is shown, and the log has the cause. */
function reasonOf(kernel: Kernel, { name }: Tool, error: unknown): string {
  const refusal = asRefusal(error)
  if (refusal) {
    if (refusal.cause) kernel.log.warn({ err: refusal.cause, tool: name }, refusal.message)
    return refusal.message
  }
  kernel.log.error({ err: error, tool: name }, 'a tool failed')
  return 'internal error'
}
