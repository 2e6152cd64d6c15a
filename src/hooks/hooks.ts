/**
 * The hooks: what an agent's client reports by itself, and what is injected into the agent's context.
 *
 * Once the key and the client's name are accepted, the answer is always 200: a hook never stops an agent.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sayError } from '../http/errors.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { answerHook } from './answer.ts'
import { clientOf, type Client } from './clients.ts'
import type { Hook } from './hook.ts'
import { permissionRequest, postToolUse } from './plan-events.ts'
import { sessionEnd } from './session-end.ts'
import { sessionStart } from './session-start.ts'
import { stop } from './stop.ts'
import { subagentStart } from './subagent-start.ts'
import { subagentStop } from './subagent-stop.ts'
import { userPromptSubmit } from './user-prompt-submit.ts'

export { hookError, hookPrompt } from './events.ts'
export { listHookAnswers, type HookAnswer } from './heard.ts'

export const PREFIX = '/api/hooks'

export const HOOKS: readonly Hook[] = [
  sessionStart,
  userPromptSubmit,
  subagentStart,
  subagentStop,
  sessionEnd,
  stop,
  postToolUse,
  permissionRequest,
]

/** A larger body counts as empty. */
export const BODY_LIMIT_BYTES = 8 * 1024 * 1024

declare module 'fastify' {
  interface FastifyRequest {
    /** The client that calls a hook, known before the body is read. */
    hookClient: Client | undefined
  }
}

/**
 * Registers the eight endpoints. The app's own hooks check the key and the host names.
 * `deadlineFactor` multiplies every deadline.
 */
export async function hookEndpoints(
  app: FastifyInstance,
  { kernel, deadlineFactor = 1 }: { kernel: Kernel; deadlineFactor?: number | undefined },
): Promise<void> {
  await app.register(
    async (app) => {
      app.decorateRequest('hookClient', undefined)
      app.removeAllContentTypeParsers()
      app.addContentTypeParser('*', (_request: FastifyRequest, stream: NodeJS.ReadableStream) =>
        readBody(stream),
      )
      for (const each of HOOKS) {
        const hook = { ...each, deadlineMs: each.deadlineMs * deadlineFactor }
        const answer = async ({ hookClient, body }: FastifyRequest, reply: FastifyReply) =>
          reply.send(await kernel.pace.answer(() => answerHook(kernel, hook, hookClient!, body)))
        app.post(
          `/${hook.name}`,
          {
            onRequest: async (request) => {
              request.hookClient = clientOf(request.url)
            },
            // A body that cannot be received counts as empty.
            errorHandler: async (error, request, reply) => {
              if (request.hookClient !== undefined) return answer(request, reply.code(200))
              const { status, message, headers } = sayError(error)
              return reply.code(status).headers(headers).send({ error: message })
            },
          },
          answer,
        )
      }
    },
    { prefix: PREFIX },
  )
}

/** Returns the whole body, or an empty one when it is too large. */
async function readBody(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of stream) {
    const bytes = Buffer.from(part)
    size += bytes.length
    if (size <= BODY_LIMIT_BYTES) parts.push(bytes)
    else parts.length = 0
  }
  return size <= BODY_LIMIT_BYTES ? Buffer.concat(parts) : Buffer.alloc(0)
}
