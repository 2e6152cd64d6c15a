/**
 * The one way from a message to its answer, for both generations of the protocol.
 *
 * A generation says what it asks of a message, who calls, which methods there are and what its
 * results carry. Everything else about a request happens here.
 */
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { LimitFunction } from 'p-limit'
import type { Kernel } from '../kernel/kernel.ts'
import { isObject, type Values } from '../kernel/schema/shape.ts'
import { inTime, type CallContext } from './call-context.ts'
import { refusalInTool } from './errors.ts'
import { toolNamed, type Message } from './message.ts'
import { ReplyStream, type Answer } from './reply-stream.ts'

/** One request, as the method that answers it sees it. */
export interface Asked {
  id: string | number
  params: Values
  /** For whom the request speaks. The database is asked once, when this is called first. */
  context(): Promise<CallContext>
  /** Takes headers of the answer, and what is sent before it. */
  reply: ReplyStream
}

export type Method = (asked: Asked) => Answer | Promise<Answer>
export type Methods = ReadonlyMap<string, Method>

/** What differs from one generation to the other. */
export interface Generation {
  methods: Methods
  /** The HTTP status with which an unknown method is answered. */
  unknownMethodStatus: number
  /** Throws for a message that is not in order, or returns the answer that refuses the request. */
  admit(
    message: Message,
    request: FastifyRequest,
    context: Asked['context'],
  ): Promise<Answer | undefined>
  /** For whom the request speaks. */
  contextOf(message: Message, request: FastifyRequest): Promise<CallContext>
  /** Returns a result with what every result of the generation carries. */
  complete(result: object): object
  /** Takes what a client answers to a request of a method. Left out: nothing is asked of clients. */
  hear?(answer: Message): void
}

/** What the requests of both generations share. */
interface Shared {
  kernel: Kernel
  /** The names of the tools that only read. */
  readers: ReadonlySet<string>
  /** How many writes may ask for their context at once: reads do not wait behind hundreds of them. */
  writes: LimitFunction
}

/** Answers a message of that generation. A notification, or a client's answer, is acknowledged. */
export async function dispatch(
  { kernel, readers, writes }: Shared,
  generation: Generation,
  message: Message,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { id, method } = message
  const stream = new ReplyStream(reply)
  let known: Promise<CallContext> | undefined
  const find = (): Promise<CallContext> => generation.contextOf(message, request)
  const context = (): Promise<CallContext> =>
    (known ??= inTime(mayWrite(message, readers) ? writes(find) : find()))
  try {
    const refusal = await generation.admit(message, request, context)
    if (method === undefined) generation.hear?.(message)
    if (id === undefined || method === undefined) return reply.code(202).send()
    if (refusal) return stream.end(id, refusal)
    const run = generation.methods.get(method)
    if (!run) {
      void reply.code(generation.unknownMethodStatus)
      return stream.end(id, refused(ErrorCode.MethodNotFound, 'Method not found'))
    }
    const params = isObject(message.params) ? message.params : {}
    const answer = await run({ id, params, context, reply: stream })
    if ('error' in answer) return stream.end(id, answer)
    return stream.end(id, { result: generation.complete(answer.result) })
  } catch (error) {
    const result = generation.complete(refusalInTool(kernel, error, message))
    return stream.end(id ?? null, { result })
  }
}

export const refused = (code: number, message: string): Answer => ({ error: { code, message } })

function mayWrite(message: Message, readers: ReadonlySet<string>): boolean {
  const tool = toolNamed(message)
  return tool !== undefined && !readers.has(tool)
}
