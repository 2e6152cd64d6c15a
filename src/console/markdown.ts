/** Stored markdown as HTML that is safe to show: no raw HTML in, and only what is known to be harmless out. */
import hljs from 'highlight.js/lib/common'
import MarkdownIt from 'markdown-it'
import type { Env, Token } from 'markdown-it'
import sanitizeHtml from 'sanitize-html'
import { Turns } from '../kernel/turns.ts'

/**
 * A body past one of these is shown in part. Blocks are found in one go, which lines take longer than characters;
 * a token is the beginning, the end or the text of a block.
 */
const MAX_CHARS = 64 * 1024
const MAX_LINES = 4_000
const MAX_TOKENS = 20_000
/** A paragraph past this is shown as it is written: brackets that are never closed are sought again and again. */
const MAX_PARAGRAPH = 16 * 1024
/** As much is sanitized at once. */
const MAX_HTML = 16 * 1024
/**
 * Code that one text has highlighted, in characters, and of one line: the patterns of a language may take the
 * square of it.
 */
const MAX_CODE = 12_000
const MAX_LINE = 400
/** Languages whose patterns are worse than the others'. */
const SLOW = new Set(['csharp', 'ini'].map((name) => hljs.getLanguage(name)))
const TIMES_SLOWER = 4

const markdown = new MarkdownIt({ html: false, linkify: true, typographer: false })
// Blocks are found apart, so that what stands in them is read one by one.
markdown.core.ruler.disable(['normalize', 'block'])
const { Token: AnyToken } = new markdown.core.State('', markdown, {})

// The browser would fetch a picture from elsewhere, so it becomes a link.
markdown.renderer.rules['image'] = (tokens, index) => {
  const token = tokens[index]!
  const label = markdown.utils.escapeHtml(token.content || 'picture')
  const href = markdown.utils.escapeHtml(String(token.attrGet('src') ?? ''))
  return `<a class="picture" href="${href}">${label}</a>`
}
const POLICY: sanitizeHtml.IOptions = {
  allowedTags: [
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'br', 'hr', 'blockquote', 'ul', 'ol', 'li'],
    ...['pre', 'code', 'span', 'em', 'strong', 's', 'a'],
    ...['table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  allowedAttributes: { a: ['href', 'rel'], ol: ['start'], pre: ['tabindex'], table: ['tabindex'] },
  allowedClasses: {
    span: ['hljs-*'],
    code: ['language-*'],
    a: ['picture'],
    li: ['todo', 'done'],
    th: ['left', 'center', 'right'],
    td: ['left', 'center', 'right'],
  },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  disallowedTagsMode: 'escape',
  transformTags: {
    a: sanitizeHtml.simpleTransform('a', { rel: 'noopener noreferrer nofollow' }),
    // A keyboard can scroll what is wider than the page.
    pre: sanitizeHtml.simpleTransform('pre', { tabindex: '0' }),
    table: sanitizeHtml.simpleTransform('table', { tabindex: '0' }),
  },
}

/**
 * HTML without scripts, styles, pictures or foreign schemes, whatever the text. Others have their turn while it is
 * made. `whole` is where the text can be had that is too long to be shown whole.
 */
export async function renderMarkdown(text: string, whole = ''): Promise<string> {
  const turns = new Turns()
  const env: Env = {}
  const beginning = firstLines(text)
  const found = blocksOf(beginning, env)
  const tokens = withEnds(found.slice(0, MAX_TOKENS))
  readBoxes(tokens)
  await turns.give()
  for (const token of tokens) {
    readInline(token, env)
    await turns.give()
  }
  const html = await renderBlocks(tokens, env, turns)
  return beginning === text && found.length <= MAX_TOKENS ? html : html + goesOn(whole)
}

/** Returns the whole lines that fit, or the beginning of a first line that is too long. */
function firstLines(text: string): string {
  let lines = 0
  let end = -1
  while (lines < MAX_LINES) {
    const next = text.indexOf('\n', end + 1)
    if (next < 0 && text.length <= MAX_CHARS) return text
    if (next < 0 || next > MAX_CHARS) break
    end = next
    lines++
  }
  if (end === text.length - 1) return text
  return text.slice(0, end > 0 ? end : MAX_CHARS).toWellFormed()
}

/** The blocks, with their texts as they are written. */
function blocksOf(text: string, env: Env): Token[] {
  const tokens: Token[] = []
  const normal = text.replaceAll(/\r\n?/g, '\n').replaceAll('\0', '\ufffd')
  markdown.block.parse(normal, markdown, env, tokens)
  return tokens
}

/** The tokens, and the ends of the blocks that are still open behind the last of them. */
function withEnds(tokens: Token[]): Token[] {
  const open: Token[] = []
  for (const token of tokens) {
    if (token.nesting > 0) open.push(token)
    if (token.nesting < 0) open.pop()
  }
  const ends = open.toReversed().map(({ type, tag, level }) => {
    const end = new AnyToken(type.replace(/_open$/, '_close'), tag, -1)
    return Object.assign(end, { level, block: true })
  })
  return [...tokens, ...ends]
}

/** What an item of a list has before its text when it says whether it is done, as lists of work do. */
const BOX = /^\[([ xX])\]\s+(?=\S)/

/** The box of an item becomes a class. */
function readBoxes(tokens: Token[]): void {
  for (const [at, token] of tokens.entries()) {
    const item = tokens[at - 2]
    if (token.type !== 'inline' || item?.type !== 'list_item_open') continue
    const [box, mark] = BOX.exec(token.content) ?? []
    if (box === undefined) continue
    token.content = token.content.slice(box.length)
    item.attrs = [['class', mark === ' ' ? 'todo' : 'done']]
  }
}

/** Reads emphasis, links and the like in the text of a block. */
function readInline(token: Token, env: Env): void {
  if (token.type === 'th_open' || token.type === 'td_open') return align(token)
  if (token.type !== 'inline') return
  if (token.content.length > MAX_PARAGRAPH) {
    const text = new AnyToken('text', '', 0)
    text.content = token.content
    token.children = [text]
    return
  }
  const state = new markdown.core.State('', markdown, env)
  state.tokens = [token]
  markdown.core.process(state)
}

/** The page's policy knows no inline styles: the alignment of a column becomes a class. */
function align(cell: Token): void {
  const style = String(cell.attrGet('style') ?? '')
  if (style !== '') cell.attrs = [['class', style.replace('text-align:', '')]]
}

/** Whole blocks are sanitized together: what one of them leaves open would be closed behind it. */
async function renderBlocks(tokens: Token[], env: Env, turns: Turns): Promise<string> {
  const options = { ...markdown.options, highlight: highlighter() }
  let [clean, pending, from] = ['', '', 0]
  for (const [at, { level, nesting }] of tokens.entries()) {
    if (level > 0 || nesting > 0) continue
    pending += markdown.renderer.render(tokens.slice(from, at + 1), options, env)
    from = at + 1
    if (pending.length < MAX_HTML && from < tokens.length) continue
    clean += sanitizeHtml(pending, POLICY)
    pending = ''
    await turns.give()
  }
  return clean
}

/** Returns what highlights the code of one text, as much of it as is highlighted soon. */
function highlighter(): (code: string, language: string) => string {
  let left = MAX_CODE
  return (code, language) => {
    const known = hljs.getLanguage(language)
    const cost = code.length * (SLOW.has(known) ? TIMES_SLOWER : 1)
    if (!known || cost > left || code.split('\n').some((line) => line.length > MAX_LINE)) return ''
    left -= cost
    return hljs.highlight(code, { language, ignoreIllegals: true }).value
  }
}

const goesOn = (whole: string): string =>
  whole === ''
    ? '<p class="cut">The text goes on.</p>'
    : `<p class="cut">The text goes on: <a href="${markdown.utils.escapeHtml(whole)}">the whole of it</a>.</p>`
