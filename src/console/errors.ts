/** How the console refuses: in the shape that the request asked for. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { honest } from '../kernel/catch-up.ts'
import { httpError, sayError } from '../http/errors.ts'
import { addressOf } from './address.ts'
import type { Assets } from './assets.ts'
import { doorOf, isOwner } from './auth/gate.ts'
import { html } from './html.ts'
import { shapeOf } from './shape.ts'

const HEADINGS: Record<number, string> = {
  400: 'That does not work',
  401: 'Sign in first',
  403: 'Not from here',
  404: 'Nothing here',
  405: 'Not in this way',
  409: 'It has changed meanwhile',
  413: 'Too large',
  429: 'Too many tries',
  503: 'Not available',
}

/** Page, fragment or `{ error }`. Our own bugs go to the log, and the page says nothing about them. */
export function answerConsoleErrors(app: FastifyInstance, assets: Assets): void {
  const door = doorOf(app.kernel)
  app.setErrorHandler(async (thrown, request, reply) => {
    const error = await honest(app.kernel, thrown, performance.now() - reply.elapsedTime)
    const { status, message, headers, ours } = sayError(error)
    if (ours) request.log.error({ err: error }, 'a page failed')
    void reply.code(status).headers(headers).header('cache-control', 'no-store')
    return answer(request, reply, status, message)
  })
  const methodsAt = rememberRoutes(app)
  app.setNotFoundHandler((request) => {
    const [path = ''] = request.originalUrl.split('?', 1)
    const methods = methodsAt(path)
    if (methods.length > 0 && !methods.includes(request.method)) {
      const allow = methods.join(', ')
      throw httpError(405, `${request.method} is not served here, only ${allow}`, { Allow: allow })
    }
    throw httpError(404, `nothing is served at ${path}`)
  })

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    message: string,
  ): Promise<FastifyReply> {
    const shape = shapeOf(request)
    if (shape === 'json' || request.headers.accept?.includes('text/event-stream')) {
      return reply.type('application/json; charset=utf-8').send({ error: message })
    }
    const heading = HEADINGS[status] ?? (status < 500 ? 'That does not work' : 'Something broke')
    const data = { status, heading, message }
    if (shape !== 'page') return html(reply, 'error/peek', data)
    // The frame says how much there is, which is for the owner alone.
    if (!isOwner(door, request)) return html(reply, 'error/bare', { ...data, assets: assets.urls })
    const frame = await app.frameOf(request, heading)
    return html(reply, 'error/page', { ...data, frame, list: listOf(request) })
  }

  /** Returns the list that the address lies below, as a way back. */
  function listOf({ url }: FastifyRequest): { href: string; label: string } | null {
    const lists = app.screens.flatMap((screen) =>
      screen.nav ? { href: addressOf(screen), label: screen.nav.label } : [],
    )
    return lists.find(({ href }) => url.startsWith(`${href}/`)) ?? null
  }
}

/** Notes every route that is added from now on. Returns the methods that a path knows. */
function rememberRoutes(app: FastifyInstance): (path: string) => string[] {
  const routes: { pattern: RegExp; method: string }[] = []
  app.addHook('onRoute', ({ url, method }) => {
    const source = url.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/:\w+/g, '[^/]+')
    const pattern = new RegExp(`^${source}$`)
    for (const each of [method].flat()) routes.push({ pattern, method: each })
  })
  return (path) => [
    ...new Set(routes.filter(({ pattern }) => pattern.test(path)).map((route) => route.method)),
  ]
}
