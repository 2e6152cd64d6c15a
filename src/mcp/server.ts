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
import {
  bindConnection,
  keepLab,
  speakFor,
  type BoundSession,
  type CallContext,
} from './bindings.ts'
import { prepareCatalog, type Listed, type Ready } from './catalog.ts'
import { Exchange, type Answer } from './exchange.ts'
import { instructions } from './instructions.ts'
import { recordCall } from './record-call.ts'
import type { Tool } from './tool.ts'

/** What a handler needs beside the message: who calls, and the arguments exactly as they were sent. */
export interface Asked {
  /** Still on its way while the message is read. */
  call: Promise<CallContext> | null
  sent?: unknown
}

/** The tools, as both generations of the protocol reach them. */
export interface Served {
  /** The wire of the generation with sessions. Ask it with a method, its params and who calls. */
  exchange: Exchange<Asked>
  /** The names of the tools that only read. */
  readers: ReadonlySet<string>
  /** The tools that exist for this caller. */
  list(call: CallContext): Listed[]
  /** Calls a tool with the arguments exactly as they were sent. */
  call(
    call: CallContext,
    name: string,
    sent: unknown,
  ): Promise<{ result: CallToolResult } | Extract<Answer, { error: object }>>
}

/** Gives the server of the generation with sessions more than tools, before it is connected. */
export type Extend = (server: Server) => void

export const SERVER_NAME = 'loam'

export async function serveTools(
  kernel: Kernel,
  tools: readonly Tool[],
  build: Build,
  extend?: Extend,
): Promise<Served> {
  const offerFor = prepareCatalog(tools)
  const list: Served['list'] = ({ features }) => offerFor(features).listed
  const call: Served['call'] = async (context, name, sent) => {
    const ready = offerFor(context.features).tools.get(name)
    if (!ready) return { error: { code: ErrorCode.InvalidParams, message: unknownTool(name) } }
    return { result: await callTool(kernel, ready, context, sent) }
  }

  const exchange = new Exchange<Asked>()
  const server = new Server(
    { name: SERVER_NAME, version: build.version },
    { capabilities: { tools: { listChanged: false } }, instructions },
  )
  async function asked(id: string | number): Promise<{ context: CallContext; sent: unknown }> {
    const { call: coming, sent } = exchange.contextOf(id)
    const context = await coming
    if (!context) throw new Error('a tool request without its context')
    return { context, sent }
  }
  server.setRequestHandler(ListToolsRequestSchema, async (_request, { requestId }) => ({
    tools: list((await asked(requestId)).context),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { requestId }) => {
    const { context, sent } = await asked(requestId)
    const answer = await call(context, params.name, sent)
    if ('result' in answer) return answer.result
    const { code, message } = answer.error
    throw Object.assign(new Error(message), { code })
  })
  extend?.(server)
  await server.connect(exchange)
  const readers = new Set(tools.filter(({ hints }) => hints.readOnly).map(({ name }) => name))
  return { exchange, readers, list, call }
}

/** The same words for a tool that is hidden and for one that never was. */
const unknownTool = (name: string): string =>
  `tool ${JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name)} not found`

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
      features: context.features,
      keepLab: (lab) => keepLab(kernel.db, session?.id ?? '', context.connection.id, lab),
      async bind(to) {
        const { id } = context.connection
        if (id !== '') await bindConnection(kernel.db, id, to.id)
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
