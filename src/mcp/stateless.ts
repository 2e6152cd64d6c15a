/**
 * The generation without sessions, 2026-07-28. Nothing is remembered from one request to the next, so a
 * caller names its session in the arguments.
 */
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import type { Build } from '../kernel/build.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { isObject } from '../kernel/schema/shape.ts'
import { callContext, readStateless } from './call-context.ts'
import { refused, type Asked, type Generation, type Method } from './dispatch.ts'
import { checkEnvelope, clientNameOf, VERSIONS, versionOf } from './envelope.ts'
import { CAPABILITIES, serverInfo } from './identity.ts'
import { instructions } from './instructions.ts'
import { projectNamed } from './message.ts'
import type { Answer } from './reply-stream.ts'
import { shownByHeaders, shownByMessage } from './shown.ts'
import type { ToolMethods } from './tool-methods.ts'

const SERVER = 'io.modelcontextprotocol/serverInfo'
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'

/** How long a client may keep the list of tools: a feature that is switched shows after it. */
const CACHING = { ttlMs: 60_000, cacheScope: 'private' } as const

export function statelessGeneration(
  kernel: Kernel,
  { list, call }: ToolMethods,
  build: Build,
): Generation {
  const identity = { [SERVER]: serverInfo(build) }
  const discovery = {
    supportedVersions: VERSIONS,
    capabilities: CAPABILITIES,
    instructions,
    ...CACHING,
  }
  return {
    methods: new Map<string, Method>([
      ['server/discover', () => ({ result: discovery })],
      ['tools/list', async (asked) => cacheable(await list(asked))],
      ['tools/call', call],
      ['subscriptions/listen', listen],
    ]),
    unknownMethodStatus: 404,
    async admit(message, { headers }) {
      if (message.id !== undefined) checkEnvelope(message, headers)
      return undefined
    },
    async contextOf(message, { headers }) {
      const shown = shownByMessage(shownByHeaders(headers), message.params)
      const read = await readStateless(
        kernel,
        { protocol: versionOf(message), client: clientNameOf(message) },
        shown,
        projectNamed(message.params),
      )
      return callContext(kernel, '', read, { ahead: shown, shown })
    },
    complete(result) {
      const { _meta: meta, ...rest } = result as { _meta?: object }
      return { ...rest, resultType: 'complete', _meta: { ...meta, ...identity } }
    },
  }
}

const cacheable = (answer: Answer): Answer =>
  'result' in answer ? { result: { ...answer.result, ...CACHING } } : answer

/** Acknowledges a subscription and ends it: no list ever changes, so nothing will be sent on it. */
function listen({ id, params, reply }: Asked): Answer {
  if (!isObject(params['notifications'])) {
    return refused(ErrorCode.InvalidParams, 'subscriptions/listen needs notifications')
  }
  const meta = { [SUBSCRIPTION]: id }
  reply.send({
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: {}, _meta: meta },
  })
  return { result: { _meta: meta } }
}
