/** Refusals of the endpoint: which JSON-RPC code they carry, and which of them an agent reads. */
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { sayError } from '../http/errors.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { asRefusal } from '../kernel/trouble.ts'
import { toolNamed, type Message } from './message.ts'
import { sendAnswer } from './reply-stream.ts'
import type { RpcError } from './rpc-error.ts'

const HTTP_ERROR = -32_000
const NO_SESSION = -32_001
/** The JSON-RPC code of a refusal by its HTTP status. */
const CODES: Record<number, number> = {
  404: NO_SESSION,
  413: ErrorCode.InvalidRequest,
  415: ErrorCode.InvalidRequest,
  500: ErrorCode.InternalError,
  503: ErrorCode.InternalError,
}

/** Our words for errors of Fastify itself. */
const FASTIFY_WORDS: Record<string, string> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'the body is over 1 MiB',
}

/** The error handler of the endpoint: whatever went wrong, the body is one JSON-RPC object. */
export function answerError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { status, message, headers, ours } = sayError(error)
  if (ours) request.log.error({ err: error }, 'a request failed')
  const { rpcCode: code = CODES[status] ?? HTTP_ERROR, rpcData: data } = error as Partial<RpcError>
  const words = FASTIFY_WORDS[error.code] ?? message
  return sendAnswer(reply.code(status).headers(headers), request.rpcId ?? null, {
    error: { code, message: words, ...(data !== undefined && { data }) },
  })
}

/**
 * Returns the tool error for a refusal that kept a tool call from its tool, and throws any other error
 * again. An agent reads the answer of its tool; an error of the transport only its client sees.
 */
export function refusalInTool(kernel: Kernel, error: unknown, message: Message): object {
  const tool = toolNamed(message)
  const refusal = tool === undefined ? undefined : asRefusal(error)
  if (!refusal) throw error
  kernel.log.warn({ err: refusal.cause, tool }, refusal.message)
  return { content: [{ type: 'text', text: `${tool}: ${refusal.message}` }], isError: true }
}
