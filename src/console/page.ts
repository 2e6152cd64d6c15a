/** One answer in several shapes: a route says which view and which data, and the request says the shape. */
import { relative } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { invalid } from '../kernel/refusal.ts'
import { quote } from '../kernel/schema/words.ts'
import { html } from './html.ts'
import { namesIn, VIEWS, type ViewEngine } from './liquid.ts'
import { EVERY_ACT } from './live/concerns.ts'
import type { Fragment, Page, PageData, Screen } from './screen.ts'
import { shapeOf } from './shape.ts'
import { withSurfaces } from './surfaces.ts'

/** The part that every page has: the navigation with its badges. */
const NAV = 'nav'

/** Gives replies their `page`. */
export function decoratePages(app: FastifyInstance, liquid: ViewEngine): void {
  app.decorateReply('page', page)

  async function page(this: FastifyReply, view: string, whole: Page): Promise<FastifyReply> {
    const { request } = this
    const screen = request.routeOptions.config.screen!
    const page = await withSurfaces(app.kernel, screen, whole)
    const shape = shapeOf(request)
    if (shape === 'json') {
      return this.type('application/json; charset=utf-8').send(toWire(await read(page.data)))
    }
    const looked = app.clock.look()
    if (shape === 'parts') return parts(this, screen, page, looked)
    const values = { ...page.data, ...page.only }
    if (shape !== 'page') {
      const fragment = viewOf(screen, fragmentOf(screen, shape))
      const [shown] = await Promise.all([read(wantedBy(fragment, values)), looked])
      return html(this, fragment, shown)
    }
    const shownBy = viewOf(screen, view)
    const frame = () => app.frameOf(request, page.title, page.live ?? EVERY_ACT)
    const wanted = wantedBy(shownBy, { ...values, frame })
    const [shown, around] = await Promise.all([read(wanted), page.around?.(), looked])
    return html(this, shownBy, { ...shown, ...around })
  }

  /** Without what costs something and is not named by the view. */
  function wantedBy(view: string, values: PageData): PageData {
    const names = new Set(namesIn(liquid, view))
    const wanted = Object.entries(values).filter(
      ([name, value]) => typeof value !== 'function' || names.has(name),
    )
    return Object.fromEntries(wanted)
  }

  /** The title, and then the elements of the parts that are asked for. Only what they name is read. */
  async function parts(
    reply: FastifyReply,
    screen: Screen,
    page: Page,
    looked: Promise<void>,
  ): Promise<FastifyReply> {
    const { title, live } = page
    const asked = partsAsked(reply.request, [...Object.keys(live?.parts ?? {}), NAV])
    const views = asked.map((name) => (name === NAV ? 'partials/nav' : viewOf(screen, name)))
    const frame = () => app.frameOf(reply.request, title, live)
    const values: PageData = { ...page.data, ...page.only, frame }
    const names = new Set(views.flatMap((view) => namesIn(liquid, view)))
    const around = [...names].some((name) => !Object.hasOwn(values, name))
      ? await page.around?.()
      : {}
    const wanted = Object.entries(values).filter(([name]) => names.has(name))
    const shown = { ...(await read(Object.fromEntries(wanted))), ...around }
    await looked
    const texts = await Promise.all(
      views.map((view) => reply.viewAsync(view, shown) as Promise<string>),
    )
    const head = (await reply.viewAsync('partials/title', { title })) as string
    return reply.type('text/html; charset=utf-8').send([head, ...texts].join('\n'))
  }
}

/** Without a reader the peek is answered: a whole page inside a pane would nest the console. */
const fragmentOf = ({ item }: Screen, shape: Fragment): Fragment =>
  item?.fragments.includes(shape) ? shape : 'peek'

const viewOf = ({ section, views = VIEWS }: Screen, view: string): string =>
  `${relative(VIEWS, views) || '.'}/${section}/${view}`

/** @throws on a part that the page does not have */
function partsAsked({ query }: FastifyRequest, there: readonly string[]): string[] {
  const asked = String((query as PageData)['parts']).split(',')
  const stray = asked.find((name) => !there.includes(name))
  if (stray === undefined) return [...new Set(asked)]
  throw invalid(`invalid parts ${quote(stray)}: valid values are ${there.join(', ')}`)
}

/** Calls the values that are functions, all at once. */
async function read(values: PageData): Promise<PageData> {
  const wanted = Object.entries(values).map(async ([name, value]) => [
    name,
    typeof value === 'function' ? await (value as () => unknown)() : value,
  ])
  return Object.fromEntries(await Promise.all(wanted)) as PageData
}

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
