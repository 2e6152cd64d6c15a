/** Stored markdown as HTML that is safe to show: no raw HTML in, and only what is known to be harmless out. */
import hljs from 'highlight.js/lib/common'
import MarkdownIt from 'markdown-it'
import sanitizeHtml from 'sanitize-html'

/** A body past this is shown in part: rendering must not hold up the process, whatever the text. */
const MAX_CHARS = 64 * 1024
/**
 * Code that one text has highlighted, in characters, and of one line: the patterns of a language may take the
 * square of it.
 */
const MAX_CODE = 12_000
const MAX_LINE = 400
/** Languages whose patterns are worse than the others'. */
const SLOW = new Set(['csharp', 'ini'].map((name) => hljs.getLanguage(name)))
const TIMES_SLOWER = 4
let codeLeft = 0

const markdown = new MarkdownIt({
  html: false,
  linkify: true,
  typographer: false,
  highlight(code: string, language: string): string {
    const known = hljs.getLanguage(language)
    const cost = code.length * (SLOW.has(known) ? TIMES_SLOWER : 1)
    if (!known || cost > codeLeft || code.split('\n').some(isLong)) return ''
    codeLeft -= cost
    return hljs.highlight(code, { language, ignoreIllegals: true }).value
  },
})
const isLong = (line: string): boolean => line.length > MAX_LINE

// The browser would fetch a picture from elsewhere, so it becomes a link.
markdown.renderer.rules['image'] = (tokens, index) => {
  const token = tokens[index]!
  const label = markdown.utils.escapeHtml(token.content || 'picture')
  const href = markdown.utils.escapeHtml(String(token.attrGet('src') ?? ''))
  return `<a class="picture" href="${href}">${label}</a>`
}
// The page's policy knows no inline styles: the alignment of a column becomes a class.
markdown.core.ruler.push('alignment', ({ tokens }) => {
  for (const token of tokens) {
    if (token.type !== 'th_open' && token.type !== 'td_open') continue
    const style = String(token.attrGet('style') ?? '')
    if (style !== '') token.attrs = [['class', style.replace('text-align:', '')]]
  }
})

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

/** HTML without scripts, styles, pictures or foreign schemes, whatever the text. */
export function renderMarkdown(text: string): string {
  codeLeft = MAX_CODE
  const shown = text.length <= MAX_CHARS ? text : firstLines(text)
  const html = sanitizeHtml(markdown.render(shown), POLICY)
  return shown === text
    ? html
    : `${html}<p class="cut">The text goes on; its file has the whole.</p>`
}

/** Returns the whole lines that fit, or the beginning of a first line that is too long. */
function firstLines(text: string): string {
  const end = text.lastIndexOf('\n', MAX_CHARS)
  return text.slice(0, end > 0 ? end : MAX_CHARS).toWellFormed()
}
