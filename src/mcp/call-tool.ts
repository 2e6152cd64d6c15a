/**
 * The layers that every tool call passes, whichever generation of the protocol it comes by:
 * arguments, guard, session, scope, run, record.
 */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { honest } from '../kernel/catch-up.ts'
import { NOBODY, type Actor, type Kernel } from '../kernel/kernel.ts'
import type { RefusalKind } from '../kernel/refusal.ts'
import { asRefusal } from '../kernel/trouble.ts'
import { scopesFor, type Meant } from '../projects/projects.ts'
import { agentsAtWork } from '../sessions/sessions.ts'
import { namedSession, reviveBound, type BoundSession } from './bound-session.ts'
import type { CallContext } from './call-context.ts'
import { bindConnection, keepLab } from './connections.ts'
import { guardTexts } from './guard.ts'
import { speaker, speakerHeartbeat } from './heartbeat.ts'
import type { Ready } from './offers.ts'
import { recordCall } from './record-call.ts'
import { withoutShown } from './shown.ts'
import type { Tool } from './tool.ts'

/** Calls a tool with the arguments exactly as they were sent. What goes wrong in it is a result, too. */
export async function callTool(
  kernel: Kernel,
  ready: Ready,
  context: CallContext,
  sent: unknown,
  { tellsMeant }: { tellsMeant: boolean },
): Promise<CallToolResult> {
  const started = performance.now()
  const own = withoutShown(sent)
  const run = await runTool(kernel, ready, context, own)
  const { id: connection } = context.connection
  if (run.session && connection !== '') {
    kernel.telemetry.seen(speakerHeartbeat, speaker(connection, run.session.id))
  }
  await recordCall(kernel, {
    tool: ready.tool,
    session: run.session,
    actor: run.actor,
    sent: own,
    milliseconds: performance.now() - started,
    text: run.text,
    failed: run.result === null,
    refused: run.refused,
  })
  const content = [{ type: 'text' as const, text: run.text }]
  if (!run.result) return { content, isError: true }
  const told = tellsMeant && run.meant ? { _meta: { [MEANT]: run.meant } } : {}
  return { content, structuredContent: run.result, ...told }
}

/** What a caller puts into `_meta` to be told which project was meant, and where the answer stands. */
export const MEANT = 'loam/meant'

interface Run {
  /** Null: the call failed, and the text says why. */
  result: Record<string, unknown> | null
  text: string
  session: BoundSession | null
  actor: Actor
  meant?: Meant | undefined
  /** Why it failed, when that was an expected "no". */
  refused?: RefusalKind | undefined
}

async function runTool(
  kernel: Kernel,
  { tool, read }: Ready,
  context: CallContext,
  own: unknown,
): Promise<Run> {
  const began = performance.now()
  let { session } = context
  const actorOf = ({ id, model }: BoundSession): Actor => ({
    session: id,
    model: context.shown.model || model,
  })
  let actor: Actor = session ? actorOf(session) : NOBODY
  const attribute = (to: BoundSession): void => {
    session = to
    actor = actorOf(to)
  }
  try {
    if (session) await reviveBound(kernel, session)
    const { session: named, ...input } = read(own)
    const secret = await guardTexts(kernel, tool, input)
    if (typeof named === 'string' && named.trim() !== '') {
      const bound = context.isBound ? session : null
      attribute(await namedSession(kernel, bound, named.trim(), tool.target === 'session'))
    }
    const scopes = scopesFor(kernel, {
      session,
      model: context.shown.model,
      verdict: session === context.session ? context.verdict : null,
      guess: context.guess,
      listAgents: () => agentsAtWork(kernel),
    })
    actor = scopes.actor
    const answer = await tool.run(input as never, {
      kernel,
      actor,
      scopes,
      session,
      client: context.shown.client,
      connection: context.connection.id,
      lab: context.lab,
      features: context.features,
      began: context.began,
      keepLab: (lab) => keepLab(kernel.db, session?.id ?? '', context.connection.id, lab),
      async bind(to) {
        const { id } = context.connection
        if (id !== '') await bindConnection(kernel.db, id, to.id)
        attribute(to)
      },
      attribute,
    })
    await kernel.failpoint('before-answer')
    const result: Record<string, unknown> = { ...answer, ...scopes.created, ...secret }
    return { result, text: JSON.stringify(result), session, actor, meant: scopes.meant }
  } catch (thrown) {
    const error = await honest(kernel, thrown, began)
    const text = `${tool.name}: ${reasonOf(kernel, tool, error)}`
    return { result: null, text, session, actor, refused: asRefusal(error)?.kind }
  }
}

/** Returns a refusal's own words. Any other error is our bug: the log has it, and nothing of it is shown. */
function reasonOf(kernel: Kernel, { name }: Tool, error: unknown): string {
  const refusal = asRefusal(error)
  if (refusal) {
    if (refusal.cause) kernel.log.warn({ err: refusal.cause, tool: name }, refusal.message)
    return refusal.message
  }
  kernel.log.error({ err: error, tool: name }, 'a tool failed')
  return 'internal error'
}
