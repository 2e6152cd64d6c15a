/** One answer in three shapes: a route says which view and which data, and the request says the shape. */
import { relative } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { html } from './html.ts'
import { VIEWS } from './liquid.ts'
import type { Fragment, Page, Screen } from './screen.ts'
import { shapeOf } from './shape.ts'

/** Gives replies their `page`. */
export function decoratePages(app: FastifyInstance): void {
  app.decorateReply('page', page)

  async function page(
    this: FastifyReply,
    view: string,
    { title, data, only, around }: Page,
  ): Promise<FastifyReply> {
    const { request } = this
    const screen = request.routeOptions.config.screen!
    const shape = shapeOf(request)
    if (shape === 'json') {
      return this.type('application/json; charset=utf-8').send(toWire(data))
    }
    const shown = { ...data, ...only }
    if (shape !== 'page') return html(this, viewOf(screen, fragmentOf(screen, shape)), shown)
    const [frame, rest] = await Promise.all([app.frameOf(request, title), around?.()])
    return html(this, viewOf(screen, view), { ...shown, ...rest, frame })
  }
}

/** Without a reader the peek is answered: a whole page inside a pane would nest the console. */
const fragmentOf = ({ item }: Screen, shape: Fragment): Fragment =>
  item?.fragments.includes(shape) ? shape : 'peek'

const viewOf = ({ section, views = VIEWS }: Screen, view: string): string =>
  `${relative(VIEWS, views) || '.'}/${section}/${view}`

/** The same words in the spelling of JSON: keys in camelCase, times as RFC 3339. */
export function toWire(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(toWire)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined && inner !== null)
      .map(([key, inner]) => [camel(key), key === 'payload' ? inner : toWire(inner)]),
  )
}

const camel = (key: string): string =>
  key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
