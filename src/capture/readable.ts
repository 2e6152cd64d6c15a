/** The main text of a page, as markdown. It runs in the thread that read.ts may end. */
import { gfm } from '@joplin/turndown-plugin-gfm'
import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import Turndown from 'turndown'

/** A longer address is data in disguise. */
const MAX_ADDRESS_CHARS = 2_000
const DROPPED =
  'title, script, style, template, iframe, object, embed, canvas, link, nav, footer, body > header'
const OUTER_TAGS = /<!doctype[^<>]*>|<\/?(?:html|head|body)(?=[\s/>])[^<>]*>/gi

/** The parts of an element that this file uses. */
interface Markup {
  innerHTML: string
  querySelectorAll(selector: string): Iterable<Markup>
  getAttribute(name: string): string | null
  setAttribute(name: string, value: string): void
  removeAttribute(name: string): void
  remove(): void
}

/**
 * Returns null when the page has no main text. Links are relative to `base`. A heading that repeats the
 * title is left out.
 */
export function readable(
  html: string,
  { title, base }: { title: string; base: string },
): string | null {
  // Browsers repair a page without html and body tags. The parser does not, so every page gets the same ones.
  const { document } = parseHTML(
    `<!doctype html><html><head></head><body>${html.replaceAll(OUTER_TAGS, ' ')}</body></html>`,
  )
  for (const each of document.querySelectorAll(DROPPED)) each.remove()
  document.title = title
  const article = new Readability<Markup>(document, {
    // A class names the language of a code block.
    keepClasses: true,
    serializer: (node) => node as unknown as Markup,
  }).parse()
  if (!article?.content || (article.textContent ?? '').trim() === '') return null
  fixAddresses(article.content, base)
  return markdown().turndown(article.content.innerHTML).trim() || null
}

/** Makes addresses absolute. A link that leads to no page loses its address and keeps its text. */
function fixAddresses(content: Markup, base: string): void {
  for (const link of content.querySelectorAll('a[href]')) {
    const url = absolute(link.getAttribute('href'), base, ['http:', 'https:', 'mailto:'])
    if (url) link.setAttribute('href', url)
    else link.removeAttribute('href')
  }
  for (const image of content.querySelectorAll('img')) {
    const url = absolute(image.getAttribute('src'), base, ['http:', 'https:'])
    if (url) image.setAttribute('src', url)
    else image.remove()
  }
}

function absolute(address: string | null, base: string, schemes: string[]): string | null {
  if (address === null || address.length > MAX_ADDRESS_CHARS) return null
  const url = URL.parse(address.trim(), base)
  return url && schemes.includes(url.protocol) ? url.href : null
}

function markdown(): Turndown {
  const turndown = new Turndown({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    hr: '---',
  })
  const escape = turndown.escape.bind(turndown)
  // An underscore within a word emphasises nothing: parse_config stays parse_config.
  turndown.escape = (text) => escape(text).replaceAll(/(?<=[\p{L}\p{N}])\\_(?=[\p{L}\p{N}])/gu, '_')
  return turndown.use(gfm)
}
