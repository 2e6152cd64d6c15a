/**
 * Reads a page in one pass over its tags, safe from hostile markup.
 *
 * The pass builds no tree and does not nest, so time and memory grow with the length alone. It decides
 * whether the page may be parsed at all. Its plain text is the result when the page may not.
 */
import { Tokenizer } from 'htmlparser2'

export interface Scan {
  /** The text of `<title>`, else of `og:title`, else empty. */
  title: string
  /** The address of the first `<base href>`. */
  base: string
  /** The words of the body without navigation, header and footer, unless those are all. */
  text: string
  /** Whether the text was too long. */
  cut: boolean
  /** Where the elements or the text get too many; else the length of the page. */
  end: number
  /** Whether elements nest deeper than in any honest page. */
  tooDeep: boolean
}

const MAX_ELEMENTS = 8_000
const MAX_DEPTH = 200
/** The kept text, in UTF-16 units: enough for a note in any script. */
const MAX_TEXT = 120_000
/** The parsed text, navigation included, in UTF-16 units: enough to find the main text. */
const MAX_PARSED = 240_000
/** The length of a title, an address or a name. */
const MAX_VALUE = 4_000

const NEVER = new Set(['script', 'style', 'template', 'title'])
const ASIDE = new Set(['nav', 'header', 'footer', 'noscript', 'svg', 'math'])
const VOID = new Set(
  (
    'area base br col embed hr img input link meta param source track wbr ' +
    // Pages may leave out these end tags, so an open one says nothing about depth.
    'p li dt dd td th tr tbody thead tfoot option optgroup colgroup rp rt'
  ).split(' '),
)
const BLOCK = new Set(
  (
    'p div section article main aside li ul ol dl dt dd tr table pre blockquote figure figcaption ' +
    'form fieldset hr h1 h2 h3 h4 h5 h6'
  ).split(' '),
)

export function scan(html: string): Scan {
  const found: Scan = {
    title: '',
    base: '',
    text: '',
    cut: false,
    end: html.length,
    tooDeep: false,
  }
  const title = { own: '', open: false, done: false, og: '' }
  const [main, all] = [words(), words()]
  const hidden = new Map<string, number>()
  const aside = new Map<string, number>()
  let elements = 0
  let units = 0
  let depth = 0
  let start = 0
  let tag = ''
  let attribute = ''
  let value = ''
  let attributes: Record<string, string> = {}

  const say = (text: string, from: number): void => {
    if (title.open && title.own.length < MAX_VALUE) title.own += text.slice(0, MAX_VALUE)
    if (hidden.size > 0) return
    units += text.length
    if (units > MAX_PARSED) found.end = Math.min(found.end, from + MAX_PARSED)
    all.say(text)
    if (aside.size === 0) main.say(text)
  }
  const pause = (kind: '\n' | '\n\n'): void => {
    all.pause(kind)
    main.pause(kind)
  }
  const opened = (): void => {
    if (++elements > MAX_ELEMENTS) found.end = Math.min(found.end, start)
    if (!VOID.has(tag) && ++depth > MAX_DEPTH) found.tooDeep = true
    if (NEVER.has(tag)) count(hidden, tag, 1)
    if (ASIDE.has(tag)) count(aside, tag, 1)
    if (tag === 'title' && !title.done && !aside.has('svg')) title.open = true
    if (tag === 'base') found.base ||= attributes['href'] ?? ''
    const { property = '', name = '', content = '' } = attributes
    if (tag === 'meta' && (property || name).toLowerCase() === 'og:title') title.og ||= content
    if (tag === 'br') pause('\n')
    if (BLOCK.has(tag)) pause('\n\n')
  }
  const closed = (name: string): void => {
    if (!VOID.has(name)) depth = Math.max(0, depth - 1)
    if (NEVER.has(name)) count(hidden, name, -1)
    if (ASIDE.has(name)) count(aside, name, -1)
    if (name === 'title' && title.open) [title.open, title.done] = [false, true]
    if (BLOCK.has(name)) pause('\n\n')
  }
  const nothing = (): void => {}

  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname(from, end) {
        start = from - 1
        tag = lower(html, from, end)
        attributes = {}
      },
      onattribname(start, end) {
        attribute = lower(html, start, end)
        value = ''
      },
      onattribdata(start, end) {
        if (value.length < MAX_VALUE) value += html.slice(start, Math.min(end, start + MAX_VALUE))
      },
      onattribentity(point) {
        if (value.length < MAX_VALUE) value += String.fromCodePoint(point)
      },
      onattribend() {
        if (WANTED.has(attribute)) attributes[attribute] ??= value
      },
      onopentagend: opened,
      onselfclosingtag() {
        opened()
        // The slash has no meaning in HTML. In a drawing it closes the element.
        if (aside.has('svg') || aside.has('math')) closed(tag)
      },
      onclosetag: (start, end) => closed(lower(html, start, end)),
      ontext: (start, end) => say(html.slice(start, end), start),
      ontextentity: (point, end) => say(String.fromCodePoint(point), end),
      oncdata: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onprocessinginstruction: nothing,
      onend: nothing,
    },
  )
  tokenizer.write(html)
  tokenizer.end()

  found.title = flat(title.own) || flat(title.og)
  found.text = main.text() || all.text()
  found.cut = all.full()
  return found
}

const WANTED = new Set(['href', 'property', 'name', 'content'])

/** Returns the start of a name: no known name is longer. */
const lower = (html: string, start: number, end: number): string =>
  html.slice(start, Math.min(end, start + 40)).toLowerCase()

const flat = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

/** Collects running text: it joins spaces and separates blocks. */
function words() {
  const gaps = ['', ' ', '\n', '\n\n'] as const
  type Gap = (typeof gaps)[number]
  const parts: string[] = []
  let length = 0
  let gap: Gap = ''
  const pause = (kind: Gap): void => {
    if (gaps.indexOf(kind) > gaps.indexOf(gap)) gap = kind
  }
  return {
    pause,
    say(text: string): void {
      if (length > MAX_TEXT) return
      const flat = text.slice(0, MAX_TEXT).replaceAll(/\s+/g, ' ')
      const word = flat.trim()
      if (flat.startsWith(' ')) pause(' ')
      if (word === '') return
      if (length > 0) parts.push(gap)
      parts.push(word)
      length += word.length + 1
      gap = flat.endsWith(' ') ? ' ' : ''
    },
    text: () => parts.join(''),
    full: () => length > MAX_TEXT,
  }
}

function count(open: Map<string, number>, name: string, by: 1 | -1): void {
  const now = (open.get(name) ?? 0) + by
  if (now > 0) open.set(name, now)
  else open.delete(name)
}
