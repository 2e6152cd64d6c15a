/** The template engine: it escapes everything, refuses misspelt names and reads only our own files. */
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { Liquid, RenderTag } from 'liquidjs'
import { KeptParts } from './kept-parts.ts'
import { compact } from './numbers.ts'
import { renderPartsOnce } from './render-once.ts'
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
  /** By which ages are counted, in milliseconds since 1970. */
  now(): number
}

export type ViewEngine = Liquid

/** The names in the views of engines that keep what they have read. */
const known = new WeakMap<ViewEngine, Map<string, string[]>>()

/** Returns the values that a view, and every view that it renders, takes from its page. */
export function namesIn(engine: ViewEngine, view: string): string[] {
  const names =
    known.get(engine)?.get(view) ?? engine.globalVariablesSync(engine.parseFileSync(view))
  known.get(engine)?.set(view, names)
  return names
}

export function openLiquid({ cache, folders, links, zone, now }: ViewOptions): Liquid {
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
  if (cache) known.set(engine, new Map())
  const rows = new KeptParts(now)
  // Read anew for each page nothing is kept.
  engine.registerTag('keep', RenderTag)
  renderInOneGo(engine, cache ? renderPartsOnce(engine, rows) : { begin() {} }, rows)
  const marked = (text: string, { mark }: { mark(text: string): string }): string => mark(text)
  engine.registerFilter('marked', { raw: true, handler: marked })
  for (const [name, filter] of Object.entries(timeFilters(zone, now, rows)))
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

/**
 * Renders a view without a pause, which takes half the time: the engine awaits each node otherwise. Markdown alone is
 * made elsewhere meanwhile, and put into the places that the view has left for it.
 */
function renderInOneGo(engine: Liquid, parts: { begin(): void }, rows: KeptParts): void {
  let texts: Promise<string>[] = []
  let mark = ''
  const handler = (text: string, whole?: string): string => {
    // Whoever reads no text pays for none of the languages that it may hold.
    const made = import('./markdown.ts').then(({ renderMarkdown }) => renderMarkdown(text, whole))
    // It is awaited below, unless the view fails first.
    made.catch(() => {})
    // The place of a text is the page's own.
    rows.says(0)
    return `${mark}${texts.push(made) - 1};`
  }
  engine.registerFilter('markdown', { raw: true, handler })

  engine.renderFile = async (view, scope) => {
    const own: typeof texts = []
    const ownMark = `<!--${randomUUID()} `
    texts = own
    mark = ownMark
    parts.begin()
    const page = withoutStacks(() => engine.renderFileSync(view, scope) as string)
    if (own.length === 0) return page
    const done = await Promise.all(own)
    const [first = '', ...rest] = page.split(ownMark)
    const filled = rest.map((part) => {
      const end = part.indexOf(';')
      return done[Number(part.slice(0, end))] + part.slice(end + 1)
    })
    return [first, ...filled].join('')
  }
}

/**
 * A name that is not there is an error to the engine, which an `if` takes for a no: nobody reads its stack. What goes
 * wrong in earnest says in which line of which view.
 */
function withoutStacks<T>(render: () => T): T {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return render()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
