/**
 * What can be learned of a page in one pass over its tags, whatever its author is up to.
 *
 * Nothing is built and nothing nests, so time and memory grow with the length alone. It tells
 * whether the page may be parsed at all, and it is what remains when the page may not.
 */
import { Tokenizer } from 'htmlparser2'

export interface Scan {
  /** Of `<title>`, else of `og:title`; empty when there is neither. */
  title: string
  /** Of the first `<base href>`. */
  base: string
  /** The words of the body without navigation, header and footer; with them when there is nothing else. */
  text: string
  /** The text was too long to be taken up whole. */
  cut: boolean
  /** Where there are too many elements or too much text to go on; else the length of the page. */
  end: number
  /** More elements in one another than any page means. */
  tooDeep: boolean
}

const MOST_ELEMENTS = 8_000
const MOST_DEPTH = 200
/** Of the text, in UTF-16 units: enough for what is kept, whatever its script. */
const MOST_TEXT = 120_000
/** Of all text, whatever stands beside the text: enough to find it. */
const MOST_PARSED = 240_000
/** Of a title, an address, a name: nobody keeps more. */
const MOST_VALUE = 4_000

const NEVER = new Set(['script', 'style', 'template', 'title'])
const ASIDE = new Set(['nav', 'header', 'footer', 'noscript', 'svg', 'math'])
const VOID = new Set(
  (
    'area base br col embed hr img input link meta param source track wbr ' +
    // Their end tags may be left out, so an open one says nothing about depth.
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
    if (title.open && title.own.length < MOST_VALUE) title.own += text.slice(0, MOST_VALUE)
    if (hidden.size > 0) return
    units += text.length
    if (units > MOST_PARSED) found.end = Math.min(found.end, from + MOST_PARSED)
    all.say(text)
    if (aside.size === 0) main.say(text)
  }
  const pause = (kind: '\n' | '\n\n'): void => {
    all.pause(kind)
    main.pause(kind)
  }
  const opened = (): void => {
    if (++elements > MOST_ELEMENTS) found.end = Math.min(found.end, start)
    if (!VOID.has(tag) && ++depth > MOST_DEPTH) found.tooDeep = true
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
        if (value.length < MOST_VALUE) value += html.slice(start, Math.min(end, start + MOST_VALUE))
      },
      onattribentity(point) {
        if (value.length < MOST_VALUE) value += String.fromCodePoint(point)
      },
      onattribend() {
        if (WANTED.has(attribute)) attributes[attribute] ??= value
      },
      onopentagend: opened,
      onselfclosingtag() {
        opened()
        // In the markup of a page the slash means nothing; in a drawing it closes.
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

/** A name longer than any that is known is none of them. */
const lower = (html: string, start: number, end: number): string =>
  html.slice(start, Math.min(end, start + 40)).toLowerCase()

const flat = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

/** Running text: blanks are joined, blocks stand apart. */
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
      if (length > MOST_TEXT) return
      const flat = text.slice(0, MOST_TEXT).replaceAll(/\s+/g, ' ')
      const word = flat.trim()
      if (flat.startsWith(' ')) pause(' ')
      if (word === '') return
      if (length > 0) parts.push(gap)
      parts.push(word)
      length += word.length + 1
      gap = flat.endsWith(' ') ? ' ' : ''
    },
    text: () => parts.join(''),
    full: () => length > MOST_TEXT,
  }
}

function count(open: Map<string, number>, name: string, by: 1 | -1): void {
  const now = (open.get(name) ?? 0) + by
  if (now > 0) open.set(name, now)
  else open.delete(name)
}
