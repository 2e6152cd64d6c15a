/** The part of a page that is meant to be read, as markdown. Runs in the thread that may be ended. */
import { gfm } from '@joplin/turndown-plugin-gfm'
import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import Turndown from 'turndown'

/** A longer address is data in disguise. */
const MOST_ADDRESS = 2_000
const DROPPED =
  'title, script, style, template, iframe, object, embed, canvas, link, nav, footer, body > header'
const FRAME = /<!doctype[^<>]*>|<\/?(?:html|head|body)(?=[\s/>])[^<>]*>/gi

/** As much of an element as is used here. */
interface Markup {
  innerHTML: string
  querySelectorAll(selector: string): Iterable<Markup>
  getAttribute(name: string): string | null
  setAttribute(name: string, value: string): void
  removeAttribute(name: string): void
  remove(): void
}

/**
 * Null when the page has no part that reads like one. `base` is what its links are relative to; a
 * heading that repeats the title is left out.
 */
export function readable(
  html: string,
  { title, base }: { title: string; base: string },
): string | null {
  // The parser does not mend a page without a frame as browsers do, so every page gets the same one.
  const { document } = parseHTML(
    `<!doctype html><html><head></head><body>${html.replaceAll(FRAME, ' ')}</body></html>`,
  )
  for (const each of document.querySelectorAll(DROPPED)) each.remove()
  document.title = title
  const article = new Readability<Markup>(document, {
    // A class names the language of a block of code.
    keepClasses: true,
    serializer: (node) => node as unknown as Markup,
  }).parse()
  if (!article?.content || (article.textContent ?? '').trim() === '') return null
  mendAddresses(article.content, base)
  return markdown().turndown(article.content.innerHTML).trim() || null
}

/** Addresses become absolute; one that a reader could not follow to a page is dropped, its text stays. */
function mendAddresses(content: Markup, base: string): void {
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
  if (address === null || address.length > MOST_ADDRESS) return null
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
  // Within a word an underscore emphasises nothing: parse_config stays the name that it is.
  turndown.escape = (text) => escape(text).replaceAll(/(?<=[\p{L}\p{N}])\\_(?=[\p{L}\p{N}])/gu, '_')
  return turndown.use(gfm)
}
