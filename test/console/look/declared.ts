/** What the screens declare: their pages, and what each can be asked for. */
import { fastify, type FastifyInstance, type RouteOptions } from 'fastify'
import type { TObject } from 'typebox'
import { addressOf } from '../../../src/console/address.ts'
import type { Screen } from '../../../src/console/screen.ts'

export interface DeclaredPage {
  section: string
  /** As it is registered: `/console/notes/:id`. */
  url: string
  ofItem: boolean
  /** The parameters of its address by name, each with the values that change it; none when it is free. */
  parameters: Record<string, readonly string[] | undefined>
  screen: Screen
}

/** Returns every page of these screens, in their order. */
export async function declaredPages(screens: readonly Screen[]): Promise<DeclaredPage[]> {
  const pages: DeclaredPage[] = []
  for (const screen of screens) {
    if (!screen.routes) continue
    const app = fastify() as unknown as FastifyInstance
    app.addHook('onRoute', (route) => {
      if (isPage(route)) pages.push(pageOf(screen, route))
    })
    app.setValidatorCompiler(() => () => true)
    const prefix = addressOf(screen).replace(/\/$/, '')
    await app.register(async (app) => {
      // What routes are registered with before they answer anything.
      for (const name of ['kernel', 'owner', 'links', 'screens', 'unknown']) app.decorate(name, {})
      await app.register(screen.routes!, { prefix })
    })
    await app.ready()
    await app.close()
  }
  return pages
}

const isPage = ({ method, url }: RouteOptions): boolean =>
  [method].flat().includes('GET') && !url.endsWith('/*')

function pageOf(screen: Screen, { url, schema }: RouteOptions): DeclaredPage {
  const query = (schema?.querystring ?? { properties: {} }) as TObject
  const parameters = Object.entries(query.properties).map(([name, property]) => {
    const { enum: values, default: usual } = property as { enum?: string[]; default?: string }
    return [name, values?.filter((value) => value !== usual)]
  })
  return {
    section: screen.section,
    url,
    ofItem: url.includes('/:'),
    parameters: Object.fromEntries(parameters),
    screen,
  }
}
