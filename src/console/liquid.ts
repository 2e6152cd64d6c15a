/** The template engine: it escapes everything, refuses misspelt names and reads only our own files. */
import { fileURLToPath } from 'node:url'
import { Liquid } from 'liquidjs'
import { renderMarkdown } from './markdown.ts'
import type { Links } from './screen.ts'

export const VIEWS = fileURLToPath(new URL('../../views/', import.meta.url))

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

export interface ViewOptions {
  cache: boolean
  /** Further folders of templates, after the console's own. */
  folders: readonly string[]
  links: Links
}

export type ViewEngine = Liquid

/** Returns the values that a view, and every view that it renders, takes from its page. */
export async function namesIn(engine: ViewEngine, view: string): Promise<string[]> {
  return engine.globalVariables(await engine.parseFile(view))
}

export function openLiquid({ cache, folders, links }: ViewOptions): Liquid {
  const engine = new Liquid({
    root: [VIEWS, ...folders],
    extname: '.liquid',
    cache,
    strictVariables: true,
    strictFilters: true,
    lenientIf: true,
    ownPropertyOnly: true,
    dynamicPartials: false,
    outputEscape: 'escape',
  })
  const handler = (text: string, whole?: string): Promise<string> => renderMarkdown(text, whole)
  engine.registerFilter('markdown', { raw: true, handler })
  engine.registerFilter('ago', ago)
  engine.registerFilter('utc', utc)
  engine.registerFilter('iso', (time: Date) => time.toISOString())
  engine.registerFilter('project', (slug: string) => slug || 'global')
  engine.registerFilter('segment', (text: string) => encodeURIComponent(text))
  engine.registerFilter('tail', (id: string) => id.slice(-8))
  engine.registerFilter('pretty', (value: unknown) => JSON.stringify(value, null, 2))
  engine.registerFilter('count', (n: number) => n.toLocaleString('en-US'))
  engine.registerFilter('link', (id: string, kind: string) => links.to(kind, id))
  return engine
}

/** `just now`, minutes, hours, days up to 29, then months and years. */
export function ago(time: Date | null, now = Date.now()): string {
  if (time === null) return '–'
  const passed = now - time.getTime()
  if (passed < 0) return 'now'
  if (passed < MINUTE_MS) return 'just now'
  if (passed < HOUR_MS) return `${Math.floor(passed / MINUTE_MS)}m ago`
  if (passed < DAY_MS) return `${Math.floor(passed / HOUR_MS)}h ago`
  if (passed < 30 * DAY_MS) return `${Math.floor(passed / DAY_MS)}d ago`
  if (passed < 365 * DAY_MS) return `${Math.floor(passed / (30 * DAY_MS))}mo ago`
  return `${Math.floor(passed / (365 * DAY_MS))}y ago`
}

/** `YYYY-MM-DD HH:MM UTC`. */
export function utc(time: Date | null): string {
  return time === null ? '–' : `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
