/**
 * Tells the log when something held the event loop, and what was at work meanwhile: names that are ours
 * and sizes, never what was sent.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'

const TICK_MS = 20
/** Nobody is answered for as long. */
const HELD_MS = 200
/** As many requests are named. */
const MOST_NAMED = 10

/** A request from its first header to the end of its answer. */
interface Work {
  request: FastifyRequest
  reply: FastifyReply
  since: number
  /** What an edge knows better than its route. */
  told?: Told
}

/** Made only when it is logged. */
type Told = () => { tool: string; sizes: Record<string, number> }

declare module 'fastify' {
  interface FastifyRequest {
    work: Work | null
  }
}

/** Watches the loop from the time it listens until the app is closed. Register it before all that shall be named. */
export function logLag(app: FastifyInstance, log: Logger): void {
  const atWork = new Set<Work>()
  // Who held the loop may have been answered before the tick that finds out.
  let ended: Work[] = []
  app.decorateRequest('work', null)
  app.addHook('onRequest', async (request, reply) => {
    request.work = { request, reply, since: performance.now() }
    atWork.add(request.work)
  })
  app.addHook('onResponse', async ({ work }) => {
    if (work && atWork.delete(work)) ended.push(work)
  })

  let [last, processor] = [performance.now(), process.threadCpuUsage()]
  const tick = (): void => {
    const held = performance.now() - last
    if (held > HELD_MS) {
      const { user, system } = process.threadCpuUsage(processor)
      const seen = [...ended, ...[...atWork].filter(isBusy)]
      const named = seen.toSorted((a, b) => a.since - b.since).slice(0, MOST_NAMED)
      // Held without use of the processor: the machine was busy elsewhere, or asleep.
      const times = { held_ms: Math.round(held), cpu_ms: Math.round((user + system) / 1_000) }
      log.warn(
        { ...times, requests: seen.length, at_work: named.map(say) },
        'the event loop was held',
      )
    }
    ended = []
    ;[last, processor] = [performance.now(), process.threadCpuUsage()]
  }
  let ticking: NodeJS.Timeout | undefined
  // A start lays a hundred routes in one turn, before which nobody can wait.
  app.addHook('onListen', () => {
    ;[last, processor] = [performance.now(), process.threadCpuUsage()]
    ticking = setInterval(tick, TICK_MS).unref()
  })
  app.addHook('onClose', async () => clearInterval(ticking))
}

/** Lets the log name a tool and the sizes of its arguments where it would name the route alone. */
export function tellWork({ work }: FastifyRequest, told: Told): void {
  if (work) work.told = told
}

/** A stream is open for hours, and does nothing most of the time. */
const isBusy = ({ told, reply }: Work): boolean => told !== undefined || !reply.raw.headersSent

function say({ request, since, told }: Work) {
  const { method, headers, routeOptions, url } = request
  return {
    ...(told ? told() : { route: `${method} ${routeOptions.url ?? ''}` }),
    for_ms: Math.round(performance.now() - since),
    url_bytes: url.length,
    body_bytes: Number(headers['content-length'] ?? 0),
  }
}
