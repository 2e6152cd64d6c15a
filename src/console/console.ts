/** The owner's console: one plugin under /console that serves the declared screens. */
import { fastifyCookie } from '@fastify/cookie'
import { fastifyFormbody } from '@fastify/formbody'
import { fastifyView } from '@fastify/view'
import type { FastifyInstance } from 'fastify'
import { httpError } from '../http/errors.ts'
import type { WrongKeys } from '../http/wrong-keys.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { ownerScope } from '../projects/projects.ts'
import { addressOf } from './address.ts'
import { serveAssets } from './assets.ts'
import { loginConsole } from './auth/login.ts'
import { pageClock } from './clock.ts'
import { answerConsoleErrors } from './errors.ts'
import { decorateFrame } from './frame.ts'
import { linkTable } from './links.ts'
import { openLiquid, VIEWS, type ViewEngine } from './liquid.ts'
import { streamConsole } from './live/stream.ts'
import { mountScreen } from './mount.ts'
import { decoratePages } from './page.ts'
import type { Screen } from './screen.ts'
import type { Service } from './service.ts'
import { answerThriftily } from './thrift.ts'

const FORM_BYTES = 64 * 1024

export interface ConsoleOptions {
  kernel: Kernel
  screens: readonly Screen[]
  wrongKeys: WrongKeys
  /** Templates are read anew for every page. */
  dev: boolean
  service: Service
}

/** Registers every console route. The root hook and `consoleGate` decide who may come in. */
export async function ownerConsole(
  app: FastifyInstance,
  { kernel, screens, wrongKeys, dev, service }: ConsoleOptions,
): Promise<void> {
  await app.register(
    async (app) => {
      const links = linkTable()
      const clock = pageClock(kernel)
      app.decorate('kernel', kernel)
      app.decorate('owner', ownerScope())
      app.decorate('links', links)
      app.decorate('clock', clock)
      app.decorate('screens', screens)
      app.decorate('service', service)
      await app.register(fastifyCookie)
      await takeForms(app)
      const { timezone: zone } = kernel.config.console
      const folders = foldersOf(screens)
      const liquid = openLiquid({ cache: !dev, folders, links, zone, now: clock.now })
      await takeViews(app, liquid)
      const assets = serveAssets(app)
      decorateFrame(app, assets)
      decoratePages(app, liquid)
      answerConsoleErrors(app, assets)
      sendHeaders(app)
      answerThriftily(app, clock)
      leadToFront(app)
      await app.register(loginConsole, { wrongKeys, assets })
      for (const screen of screens) await mountScreen(app, screen, links)
      await app.register(streamConsole)
    },
    { prefix: '/console' },
  )
  app.get('/console', (request, reply) => {
    const query = request.url.slice('/console'.length)
    return reply.redirect(`/console/${query}`, 308)
  })
}

/** The console's pages send forms, so it refuses a body of any other type. */
async function takeForms(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers()
  await app.register(fastifyFormbody, { bodyLimit: FORM_BYTES })
  app.addContentTypeParser('*', (_request, _body, done) =>
    done(httpError(400, 'a form is taken here: application/x-www-form-urlencoded')),
  )
}

const foldersOf = (screens: readonly Screen[]): string[] =>
  screens.flatMap(({ views }) => views ?? [])

async function takeViews(app: FastifyInstance, liquid: ViewEngine): Promise<void> {
  await app.register(fastifyView, {
    engine: { liquid },
    root: VIEWS,
    viewExt: 'liquid',
    propertyName: 'view',
    asyncPropertyName: 'viewAsync',
  })
}

/** No source from elsewhere, no inline script or style, no embedding, no referrer. */
const HEADERS = {
  'content-security-policy':
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

function sendHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', async (_request, reply) => void reply.headers(HEADERS))
  app.addHook('onSend', async (_request, reply) => {
    // Once more for requests that the gate refused before the hook above ran.
    void reply.headers(HEADERS)
    // No cache keeps what the owner sees, not even the browser's.
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store')
  })
}

/** `/console/` leads to the front screen, unless that is served there. */
function leadToFront(app: FastifyInstance): void {
  const front = app.screens.find((screen) => screen.front)
  if (!front || front.path === '') return
  app.get('/', { prefixTrailingSlash: 'slash' }, (request, reply) =>
    reply.redirect(`${addressOf(front)}${request.url.slice('/console/'.length)}`, 302),
  )
}
