/** The template engine: it escapes everything, refuses misspelt names and reads only our own files. */
import { fileURLToPath } from 'node:url'
import { Liquid } from 'liquidjs'
import { compact } from './numbers.ts'
import { renderMarkdown } from './markdown.ts'
import type { Links } from './screen.ts'
import { timeFilters } from './times.ts'

export const VIEWS = fileURLToPath(new URL('../../views/', import.meta.url))

export interface ViewOptions {
  cache: boolean
  /** Further folders of templates, after the console's own. */
  folders: readonly string[]
  links: Links
  /** The time zone of clock times; '' is the machine's. */
  zone: string
}

export type ViewEngine = Liquid

/** Returns the values that a view, and every view that it renders, takes from its page. */
export async function namesIn(engine: ViewEngine, view: string): Promise<string[]> {
  return engine.globalVariables(await engine.parseFile(view))
}

export function openLiquid({ cache, folders, links, zone }: ViewOptions): Liquid {
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
  const marked = (text: string, { mark }: { mark(text: string): string }): string => mark(text)
  engine.registerFilter('marked', { raw: true, handler: marked })
  for (const [name, filter] of Object.entries(timeFilters(zone)))
    engine.registerFilter(name, filter)
  engine.registerFilter('project', (slug: string) => slug || 'global')
  engine.registerFilter('segment', (text: string) => encodeURIComponent(text))
  engine.registerFilter('tail', (id: string) => id.slice(-8))
  engine.registerFilter('pretty', (value: unknown) => JSON.stringify(value, null, 2))
  engine.registerFilter('count', (n: number) => n.toLocaleString('en-US'))
  engine.registerFilter('decimals', (n: number) => n.toFixed(2))
  engine.registerFilter('compact', compact)
  engine.registerFilter('link', (id: string, kind: string) => links.to(kind, id))
  return engine
}
