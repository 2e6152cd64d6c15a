/**
 * The hooks: what an agent's client tells by itself, and what its agent is told unasked.
 *
 * After key and client name the answer is always 200. A hook never stops an agent: what fails or takes
 * too long is logged, recorded as `hook.error`, and answered with nothing; the user reads the cause.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sayError } from '../http/errors.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { maskSecrets } from '../text/secrets.ts'
import { asRefusal } from '../kernel/trouble.ts'
import { clientOf, cutFor, type Client } from './clients.ts'
import { hookError } from './events.ts'
import type { Hook, Outcome } from './hook.ts'
import { readPayload } from './payload.ts'
import { permissionRequest, postToolUse } from './plan-events.ts'
import { recordInjection } from './record.ts'
import { sessionEnd } from './session-end.ts'
import { sessionStart } from './session-start.ts'
import { stop } from './stop.ts'
import { subagentStart } from './subagent-start.ts'
import { subagentStop } from './subagent-stop.ts'
import { userPromptSubmit } from './user-prompt-submit.ts'

export { hookError, hookPrompt } from './events.ts'

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

/** Of a body; what is larger counts as empty. */
export const BODY_LIMIT = 8 * 1024 * 1024

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls a hook; judged before the body is read. */
    hookClient: Client | undefined
  }
}

/**
 * Registers the eight endpoints. The key and the host names are checked by the app's own hooks.
 * `patience` multiplies every deadline.
 */
export async function hookEndpoints(
  app: FastifyInstance,
  { kernel, patience = 1 }: { kernel: Kernel; patience?: number | undefined },
): Promise<void> {
  await app.register(
    async (app) => {
      app.decorateRequest('hookClient', undefined)
      app.removeAllContentTypeParsers()
      app.addContentTypeParser('*', (_request: FastifyRequest, stream: NodeJS.ReadableStream) =>
        readBody(stream),
      )
      for (const each of HOOKS) {
        const hook = { ...each, deadline: each.deadline * patience }
        const answer = async (request: FastifyRequest, reply: FastifyReply) =>
          reply.send(await answerHook(kernel, hook, request.hookClient!, request.body))
        app.post(
          `/${hook.name}`,
          {
            onRequest: async (request) => {
              request.hookClient = clientOf(request.url)
            },
            // A body that cannot even be received is an empty one.
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

/** Everything that is sent, and nothing when that is too much. */
async function readBody(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of stream) {
    const bytes = Buffer.from(part)
    size += bytes.length
    if (size <= BODY_LIMIT) parts.push(bytes)
    else parts.length = 0
  }
  return size <= BODY_LIMIT ? Buffer.concat(parts) : Buffer.alloc(0)
}

/** The answer's body, in the form that every client understands. */
interface Answer {
  continue: true
  suppressOutput: true
  /** Shown to the user, not to the agent. */
  systemMessage?: string
  hookSpecificOutput?: { hookEventName: string; additionalContext: string }
}

async function answerHook(
  kernel: Kernel,
  hook: Hook,
  client: Client,
  body: unknown,
): Promise<Answer> {
  const troubles: string[] = []
  const trouble = (stage: string, error: unknown): void => {
    troubles.push(tellTrouble(kernel, client, stage, error))
  }
  let context = ''
  try {
    const payload = readPayload(body)
    const outcome = await within(hook, hook.run(kernel, { client, payload, trouble }), trouble)
    context = emit(kernel, hook, client, payload.session_id, outcome)
  } catch (error) {
    trouble(hook.name, error)
  }
  const [cause] = troubles
  const told = context !== '' || hook.answers === 'context'
  return {
    continue: true,
    suppressOutput: true,
    ...(cause !== undefined && { systemMessage: `Loam ${hook.name}: ${cause}` }),
    ...(told &&
      hook.answers !== 'nothing' && {
        hookSpecificOutput: { hookEventName: hook.event, additionalContext: context },
      }),
  }
}

const LATE = Symbol('late')

/** What the work has come to; undefined when it takes too long. It goes on, and nobody hears of it. */
async function within(
  { name, deadline }: Hook,
  work: Promise<Outcome | undefined>,
  trouble: (stage: string, error: unknown) => void,
): Promise<Outcome | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<typeof LATE>()
  const timer = setTimeout(resolve, deadline, LATE)
  // Whatever becomes of late work, it must not end the process.
  work.catch(() => {})
  try {
    const outcome = await Promise.race([work, late])
    if (outcome !== LATE) return outcome
    trouble(`${name}.deadline`, new Late(`no answer within ${deadline / 1000} s`))
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

class Late extends Error {}

/** Cuts what is told to what the client hands on, and records exactly that. */
function emit(
  kernel: Kernel,
  { name }: Hook,
  client: Client,
  external_id: string,
  outcome: Outcome | undefined,
): string {
  if (!outcome) return ''
  const { injection } = outcome
  const content = injection ? cutFor(client, injection.text, injection.keep ?? 0) : ''
  recordInjection(kernel, { hook: name, client, external_id, content, outcome })
  return content
}

/** Logged and recorded; answers the words for the user. */
function tellTrouble(kernel: Kernel, client: Client, stage: string, error: unknown): string {
  const refusal = asRefusal(error)
  const said = error instanceof Late ? error.message : (refusal?.message ?? 'internal error')
  if (refusal || error instanceof Late) kernel.log.warn({ err: error, stage }, 'a hook failed')
  else kernel.log.error({ err: error, stage }, 'a hook failed')
  const [first = ''] = String(error instanceof Error ? error.message : error).split('\n', 1)
  const payload = { stage, error: maskSecrets(first).slice(0, 500), client }
  kernel.telemetry
    .push(hookError, { by: { session: '', model: '' }, project: null, item: null, payload })
    .catch((err: unknown) => kernel.log.warn({ err }, 'a failed hook was not recorded'))
  return said.split('\n', 1)[0]!
}
