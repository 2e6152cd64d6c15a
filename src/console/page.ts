/**
 * The socket of every console page: one answer in three shapes, flashes, and strict parameters.
 *
 * A route says which view and which data; whether that becomes a page, a fragment of it or JSON is
 * decided here. Data and template variables are snake_case; JSON is the same words in camelCase.
 */
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Kernel } from '../kernel/kernel.ts'
import { invalid } from '../kernel/refusal.ts'
import { HOME, safeNext } from './auth.ts'
import type { Frame } from './frame.ts'

declare module 'fastify' {
  interface FastifyInstance {
    kernel: Kernel
  }
  interface FastifyReply {
    /** Answers with the view: page, fragment or JSON, as the request asked. */
    page(view: string, title: string, data: PageData, only?: object): Promise<FastifyReply>
    /** Ends a POST: 303 to where it came from, with a flash that a reload does not repeat. */
    back(to: string, flash: { notice?: string; error?: string }): FastifyReply
  }
}

export type PageData = Record<string, unknown>

/** The console routes of one room, registered under /console. */
export type ConsoleRoutes = FastifyPluginAsync

export const SHAPES = ['json', 'peek', 'reader', 'page'] as const
export type Shape = (typeof SHAPES)[number]

/** JSON wins over peek, peek over reader, reader over the page. */
export function shapeOf(request: FastifyRequest): Shape {
  const query = request.query as Record<string, unknown>
  const { accept = '' } = request.headers
  const asksJson = accept.includes('application/json') && !accept.includes('text/html')
  if (query['format'] === 'json' || asksJson) return 'json'
  if (query['peek'] === '1') return 'peek'
  return query['reader'] === '1' ? 'reader' : 'page'
}

/** Where a form wants to come back to, if that is on this console. */
export function nextOf(request: FastifyRequest, otherwise: string): string {
  const next = safeNext((request.body as { next?: unknown } | undefined)?.next)
  return next === HOME ? otherwise : next
}

/** The values that a strict parameter may have, the default first. Absent and empty mean the default. */
export function choice<const Value extends string>(
  request: FastifyRequest,
  name: string,
  values: readonly Value[],
  also: Readonly<Record<string, Value>> = {},
): Value {
  const given = (request.query as Record<string, unknown>)[name]
  if (given === undefined || given === '') return values[0]!
  if (typeof given !== 'string') throw invalid(`${name} may be given once`)
  const known = values.find((value) => value === given)
  if (known !== undefined) return known
  if (Object.hasOwn(also, given)) return also[given]!
  const valid = values.filter((value) => value !== '').join(', ')
  throw invalid(`invalid ${name} ${quoted(given)}: valid values are ${valid}`)
}

/** Refuses a parameter that the page does not know, where a misspelt one would change the answer. */
export function onlyKnown(request: FastifyRequest, names: readonly string[]): void {
  const known = [...names, 'format', 'peek', 'reader', 'notice', 'error']
  const stray = Object.keys(request.query as object).find((name) => !known.includes(name))
  if (stray === undefined) return
  throw invalid(`unknown parameter ${quoted(stray)}: valid ones are ${names.join(', ')}, format`)
}

const quoted = (text: string): string => JSON.stringify(cut(text, 80))

/** The first `most` code points: a character is never cut in two. */
export const cut = (text: string, most: number): string =>
  text.length <= most ? text : [...text.slice(0, 2 * most)].slice(0, most).join('')

/** A free-text parameter; '' when absent. */
export function text(request: FastifyRequest, name: string, most = 500): string {
  const given = (request.query as Record<string, unknown>)[name]
  if (given === undefined) return ''
  if (typeof given !== 'string') throw invalid(`${name} may be given once`)
  if (given.includes('\0') || !given.isWellFormed()) {
    throw invalid(`invalid ${name}: it holds a character that no text has`)
  }
  return cut(given.trim(), most)
}

/** A page number from 1 on. */
export function pageNumber(request: FastifyRequest): number {
  const given = text(request, 'page')
  if (given === '') return 1
  if (/^[1-9]\d{0,4}$/.test(given)) return Number(given)
  throw invalid(`invalid page ${quoted(given)}: valid values are whole numbers from 1 to 99999`)
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

/** Renders a view whole before anything is sent: a template that fails is a 500, not half a page. */
export async function html(reply: FastifyReply, view: string, data: object): Promise<FastifyReply> {
  const text = (await reply.viewAsync(view, data)) as string
  return reply.type('text/html; charset=utf-8').send(text)
}

/** Gives replies their `page` and `back`. */
export function decoratePages(
  app: FastifyInstance,
  frameOf: (request: FastifyRequest, title: string, section: string) => Promise<Frame>,
): void {
  app.decorateReply(
    'page',
    async function page(
      this: FastifyReply,
      view: string,
      title: string,
      data: PageData,
      only: object = {},
    ) {
      const { request } = this
      choice(request, 'format', ['', 'json'])
      const shape = shapeOf(request)
      if (shape === 'json') {
        return this.type('application/json; charset=utf-8').send(toWire(data))
      }
      const section = view.slice(0, view.indexOf('/'))
      if (shape !== 'page') {
        return html(this, `${section}/${fragmentOf(shape, section)}`, { ...data, ...only })
      }
      const frame = await frameOf(request, title, section)
      return html(this, view, { ...data, ...only, frame })
    },
  )
  app.decorateReply(
    'back',
    function back(this: FastifyReply, to: string, flash: { notice?: string; error?: string }) {
      const [path = '', hash = ''] = to.split('#', 2)
      const query = new URLSearchParams(flash as Record<string, string>)
      const joint = path.includes('?') ? '&' : '?'
      return this.redirect(`${path}${joint}${query.toString()}${hash && `#${hash}`}`, 303)
    },
  )
}

/** A section without a reader answers its peek: a whole page inside a pane would nest the console. */
const WITHOUT_READER = ['events', 'sessions']
const fragmentOf = (shape: 'peek' | 'reader', section: string): string =>
  WITHOUT_READER.includes(section) ? 'peek' : shape
