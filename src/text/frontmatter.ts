/**
 * A knowledge file: YAML between two `---` lines, then the body, byte for byte.
 *
 * The body is everything behind the line break of the closing delimiter: carriage returns, trailing
 * blanks and a missing final newline are kept as they are.
 */
import { Document, isScalar, parseDocument, type Scalar, visit } from 'yaml'
import { invalid } from '../kernel/refusal.ts'
import { Unreadable } from '../kernel/unreadable.ts'

export interface FrontmatterFile {
  /** Known and unknown keys, as YAML 1.2 reads them. */
  head: Record<string, unknown>
  body: string
}

const OPENING = /^---[ \t]*\r?\n/
/** Only a line feed begins a line: to `^` a U+2028 in a title would do so too. */
const CLOSING = /(?<![^\n])---[ \t]*(?:\r?\n|$)/
/** A head larger than this is not one that a person or this program wrote. 64 KiB. */
const MAX_HEAD = 64 * 1024
/** So are one of so many lines, brackets or items, and one of so many keys: YAML compares each with every other. */
const MOST_SIGNS = 10_000
const MOST_KEYS = 6_000

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** Throws Unreadable, with words for the owner, when the bytes are no file of ours. */
export function parseFrontmatter(bytes: Buffer): FrontmatterFile {
  const text = decode(bytes)
  const opening = OPENING.exec(text)
  if (!opening) throw new Unreadable('it does not begin with a line of three dashes')
  const rest = text.slice(opening[0].length)
  const closing = CLOSING.exec(rest)
  if (!closing) throw new Unreadable('its head is not closed by a line of three dashes')
  const head = rest.slice(0, closing.index)
  const problem = sizeProblem(head)
  if (problem !== null) throw new Unreadable(`its head ${problem}`)
  return {
    head: parseHead(head),
    body: rest.slice(closing.index + closing[0].length),
  }
}

function signsIn(text: string, sign: RegExp): number {
  return text.match(sign)?.length ?? 0
}

/** Why a head is more than is read, or null when it is not. */
function sizeProblem(yaml: string): string | null {
  if (yaml.length > MAX_HEAD) return 'is larger than 64 KiB'
  const isMany = signsIn(yaml, /[\n[\]{},]/g) > MOST_SIGNS || signsIn(yaml, /:[\s]/g) > MOST_KEYS
  return isMany ? 'has too many lines, brackets, commas or keys' : null
}

/** The same of a head that is not written yet: writing one takes long before its size is known. */
function valuesProblem(head: Record<string, unknown>): string | null {
  let [values, characters] = [0, 0]
  const pending: unknown[] = [head]
  while (pending.length > 0 && values <= MOST_SIGNS && characters <= MAX_HEAD) {
    const value = pending.pop()
    values++
    if (typeof value === 'string') characters += value.length
    else if (Array.isArray(value)) for (const each of value) pending.push(each)
    else if (typeof value === 'object' && value !== null)
      for (const [key, each] of Object.entries(value)) pending.push(key, each)
  }
  if (values > MOST_SIGNS) return 'has too many values'
  return characters > MAX_HEAD ? 'is larger than 64 KiB' : null
}

function decode(bytes: Buffer): string {
  if (bytes.length === 0) throw new Unreadable('it is empty')
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    throw new Unreadable('it is not UTF-8 text')
  }
  if (text.includes('\0')) throw new Unreadable('it holds NUL characters')
  return text
}

function parseHead(yaml: string): Record<string, unknown> {
  const document = parseYaml(yaml)
  const [error] = document.errors
  if (error) {
    const line = yaml.slice(0, error.pos[0]).split('\n').length + 1
    throw new Unreadable(`its head is not YAML (line ${line}: ${error.message})`)
  }
  let head: unknown
  try {
    // Aliases are a way to make a small head enormous; nothing that we write has one.
    head = document.toJS({ maxAliasCount: 0 })
  } catch {
    throw new Unreadable('its head uses YAML aliases')
  }
  if (typeof head !== 'object' || head === null || Array.isArray(head)) {
    throw new Unreadable('its head is not a list of keys and values')
  }
  return head as Record<string, unknown>
}

/** A hostile head has an error in every other character, and most of each would be the trace of its stack. */
function parseYaml(yaml: string): Document.Parsed {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    const document = parseDocument(yaml, { uniqueKeys: true, prettyErrors: false })
    visit(document, { Scalar: (_, scalar) => keepDigits(scalar) })
    return document
  } catch {
    throw new Unreadable('its head is nested too deeply')
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** A number that would be written in other digits is the text that stands there: 1.10, 007, one of seventeen digits. */
function keepDigits(scalar: Scalar): void {
  const { value, source } = scalar
  if (typeof value === 'number' && Number.isFinite(value) && String(value) !== source) {
    scalar.value = source
  }
}

/**
 * The file's bytes: known keys in the given order, unknown ones sorted behind them, then the body. Refuses a
 * head that could not be read again.
 */
export function renderFrontmatter({ head, body }: FrontmatterFile): Buffer {
  refuse(valuesProblem(head))
  const document = new Document(head, { aliasDuplicateObjects: false, customTags: [...TAGGED] })
  visit(document, {
    Seq: (_, list) => {
      if (!list.items.every(isScalar)) return
      list.flow = true
      for (const item of list.items) quoteWhere(LINE_BREAK, item)
    },
    Scalar: (_, scalar) => quoteWhere(BLANK_LINE, scalar),
  })
  const yaml = document.toString({ lineWidth: 0, flowCollectionPadding: false })
  refuse(sizeProblem(yaml))
  return Buffer.from(`---\n${yaml}---\n${body}`)
}

/** What an owner's own key may hold by a tag of YAML is written by the same one. */
const TAGGED = ['binary', 'omap', 'set'] as const

/** A list on one line stays on one line. */
const LINE_BREAK = /\n/
/** The blanks of a line that has nothing else would be lost. */
const BLANK_LINE = /^[ \t]+$/m

function quoteWhere(needed: RegExp, scalar: Scalar): void {
  if (typeof scalar.value === 'string' && needed.test(scalar.value)) scalar.type = 'QUOTE_DOUBLE'
}

function refuse(problem: string | null): void {
  if (problem !== null) throw invalid(`the head of the file ${problem}; use fewer or shorter tags`)
}

/** The keys that `known` does not name, sorted: preserved on every rewrite, never interpreted. */
export function unknownKeys(
  head: Record<string, unknown>,
  known: readonly string[],
): Record<string, unknown> {
  const keys = Object.keys(head).filter((key) => !known.includes(key))
  return Object.fromEntries(keys.sort().map((key) => [key, head[key]]))
}

/** A text value of the head. Numbers and booleans read as their text: `title: 2026` is a title. */
export function textOf(head: Record<string, unknown>, key: string): string {
  const value = head[key]
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') {
    // YAML can spell what the text of a file cannot hold: "\0", "\ud800".
    if (value.includes('\0') || !value.isWellFormed()) {
      throw new Unreadable(`its "${key}" holds a NUL or half a surrogate pair`)
    }
    return value
  }
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new Unreadable(`its "${key}" is not text`)
}

/** A time of the head, which must be RFC 3339. One that is not there is `otherwise`, or refused without it. */
export function timeOf(head: Record<string, unknown>, key: string, otherwise?: Date): Date {
  const text = textOf(head, key)
  if (text === '' && otherwise) return otherwise
  const time = new Date(text)
  // Its zone may put it in a year that the database does not know as we spell it. No time has the year NaN.
  const year = time.getUTCFullYear()
  if (!/^\d{4}-\d\d-\d\d/.test(text) || !(year >= 1 && year <= 9999)) {
    throw new Unreadable(`its "${key}" is not a time like 2026-03-04T05:06:07.000Z`)
  }
  return time
}

/** What is longer is in no index of the database. In bytes. */
const MAX_INDEXED = 1_000

/** A text of the head that the database finds items by. */
export function indexedOf(head: Record<string, unknown>, key: string): string {
  const text = textOf(head, key)
  if (Buffer.byteLength(text) > MAX_INDEXED) {
    throw new Unreadable(`its "${key}" has a text of more than ${MAX_INDEXED} bytes`)
  }
  return text
}

/** A list of such texts. One text alone names them between commas. */
export function listOf(head: Record<string, unknown>, key: string): string[] {
  const value = head[key]
  if (value === undefined || value === null) return []
  const list: unknown[] =
    typeof value === 'string'
      ? value.split(',').flatMap((each) => each.trim() || [])
      : [value].flat()
  return list.filter((each) => each !== null).map((each) => indexedOf({ [key]: each }, key))
}
