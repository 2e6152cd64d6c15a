/** Serves what a screen declares: its pages and writes below its own address. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { invalid, notFound } from '../kernel/refusal.ts'
import { addressOf } from './address.ts'
import { guardFeature } from './feature.ts'
import type { LinkTable } from './links.ts'
import { schemaCompiler, checkFormat } from './parameters.ts'
import type { Screen } from './screen.ts'
import { shapeOf } from './shape.ts'
import { serveWrite } from './write.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whose route it is. */
    screen?: Screen
    /** Whether its address ends at one item. */
    ofItem?: boolean
  }
}

export async function mountScreen(
  app: FastifyInstance,
  screen: Screen,
  links: LinkTable,
): Promise<void> {
  const { item, routes, writes = [] } = screen
  const prefix = addressOf(screen).slice('/console'.length).replace(/\/$/, '')
  const register = async (app: FastifyInstance): Promise<void> => {
    const unknown = (id: string) => notFound(`${item?.kind ?? screen.section} ${id}`)
    app.decorate('unknown', unknown)
    app.setValidatorCompiler(schemaCompiler(unknown))
    app.addHook('onRoute', (route) => {
      const ofItem = /\/[:*]/.test(route.url)
      route.config = { ...route.config, screen, ofItem }
      if (item && ofItem && route.method === 'GET') links.add(item, addressOf(screen))
    })
    guardFeature(app, screen)
    app.addHook('preValidation', async (request) => refuseShape(request))
    // A page counts everything that happened before it was asked for.
    app.addHook('preHandler', async (request) => {
      if (request.method !== 'GET') return
      await app.kernel.telemetry.flush()
      if (shapeOf(request) === 'page') app.beginFrame(request)
    })
    if (routes) await app.register(routes)
    for (const write of writes) serveWrite(app, write)
  }
  await app.register(register, { prefix })
}

/** Refuses a fragment of a list: only the page of one item has fragments. */
function refuseShape(request: FastifyRequest): void {
  if (request.method === 'POST') return
  checkFormat(request.query)
  const shape = shapeOf(request)
  if (shape !== 'peek' && shape !== 'reader') return
  const { screen, ofItem } = request.routeOptions.config
  if (ofItem && screen?.item && screen.item.fragments.length > 0) return
  throw invalid(`this page has no ${shape}: only the page of one item may have one`)
}
