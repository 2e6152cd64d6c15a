/** The owner's console: one plugin under /console, and the list of the rooms' pages. */
import { fastifyCookie } from '@fastify/cookie'
import { fastifyFormbody } from '@fastify/formbody'
import { fastifyView } from '@fastify/view'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { httpError } from '../http/errors.ts'
import type { WrongKeys } from '../http/wrong-keys.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { notesConsole } from './notes/notes.ts'
import { serveAssets } from './assets.ts'
import { answerConsoleErrors } from './errors.ts'
import { eventsConsole } from './events/events.ts'
import { frameOf } from './frame.ts'
import { openLiquid, VIEWS } from './liquid.ts'
import { loginConsole } from './login/login.ts'
import { decoratePages, type ConsoleRoutes } from './page.ts'
import { searchConsole } from './search/search.ts'
import { sessionsConsole } from './sessions/sessions.ts'
import { streamConsole } from './stream.ts'
import { tasksConsole } from './tasks/tasks.ts'

const PAGES: readonly ConsoleRoutes[] = [
  sessionsConsole,
  notesConsole,
  searchConsole,
  eventsConsole,
  streamConsole,
  tasksConsole,
]

const FORM_LIMIT = 64 * 1024

/** Registers every console route. Who may come in is the root hook's and `consoleDoor`'s business. */
export async function ownerConsole(
  app: FastifyInstance,
  { kernel, wrongKeys, dev }: { kernel: Kernel; wrongKeys: WrongKeys; dev: boolean },
): Promise<void> {
  await app.register(
    async (app) => {
      app.decorate('kernel', kernel)
      await app.register(fastifyCookie)
      await takeForms(app)
      await app.register(fastifyView, {
        engine: { liquid: openLiquid({ cache: !dev }) },
        root: VIEWS,
        viewExt: 'liquid',
        propertyName: 'view',
        asyncPropertyName: 'viewAsync',
      })
      const assets = serveAssets(app)
      const frame = (request: FastifyRequest, title: string, section: string) =>
        frameOf(kernel, assets, request, title, section)
      decoratePages(app, frame)
      answerConsoleErrors(app, assets, frame)
      app.addHook('onRequest', async (_request, reply) => void reply.headers(HEADERS))
      app.addHook('onSend', async (_request, reply) => {
        // Again for those who were turned away before the first of this house's hooks.
        void reply.headers(HEADERS)
        // What the owner sees is kept by no cache on the way, and not by the one in the browser.
        if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store')
      })

      // The overview is not there yet; the library is where the owner begins.
      app.get('/', { prefixTrailingSlash: 'slash' }, (request, reply) =>
        reply.redirect(`/console/notes${request.url.slice('/console/'.length)}`, 302),
      )
      await app.register(loginConsole, { wrongKeys, assets })
      for (const page of PAGES) await app.register(page)
    },
    { prefix: '/console' },
  )
  app.get('/console', (request, reply) => {
    const query = request.url.slice('/console'.length)
    return reply.redirect(`/console/${query}`, 308)
  })
}

/** The console's pages send forms; a body of any other type is none of theirs. */
async function takeForms(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers()
  await app.register(fastifyFormbody, { bodyLimit: FORM_LIMIT })
  app.addContentTypeParser('*', (_request, _body, done) =>
    done(httpError(400, 'a form is taken here: application/x-www-form-urlencoded')),
  )
}

/** Nothing from elsewhere, no inline script or style, no frame around us, and no word of us to others. */
const HEADERS = {
  'content-security-policy':
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}
