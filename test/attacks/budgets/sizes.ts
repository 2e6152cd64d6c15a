/**
 * Values that are small to print and large to send. A call is made of these, so that a failure shows
 * exactly what was sent, and a smaller one can be tried.
 */
import { seeded, type Random } from '../attack.ts'

export type Made =
  string | number | boolean | null | readonly Made[] | { readonly [name: string]: Made } | Large

/** A value that is made where it is sent. */
export interface Large {
  readonly make: 'text' | 'words' | 'any text' | 'list' | 'deep' | 'wide'
  readonly times: number
  /** What is repeated; for text, between `before` and `after`. */
  readonly of?: Made
  readonly after?: string
  readonly before?: string
  /** Every element has its number in it, so that no two are alike. */
  readonly numbered?: boolean
  readonly seed?: number
}

const isLarge = (value: unknown): value is Large =>
  typeof value === 'object' && value !== null && 'make' in value && 'times' in value

/** The value as it is sent. */
export function grow(made: Made): unknown {
  if (typeof made !== 'object' || made === null) return made
  if (isLarge(made)) return growLarge(made)
  if (Array.isArray(made)) return made.map(grow)
  return Object.fromEntries(Object.entries(made).map(([name, value]) => [name, grow(value)]))
}

function growLarge({ make, times, of = '', before = '', after = '', numbered, seed = 1 }: Large) {
  const random = seeded(seed)
  switch (make) {
    case 'text':
      return before + String(of).repeat(times) + after.repeat(times > 0 && after ? times : 0)
    case 'words':
      return Array.from({ length: times }, () => `w${random.int(1_000_000)}`).join(' ')
    case 'any text':
      return random.text(times).toWellFormed().replaceAll('\0', '')
    case 'list':
      return Array.from({ length: times }, (_, at) => (numbered ? withNumber(of, at) : grow(of)))
    case 'wide':
      return Object.fromEntries(Array.from({ length: times }, (_, at) => [`k${at}`, grow(of)]))
    case 'deep':
      return `${DEEP}${times}:${seed % 2 === 0 ? 'list' : 'object'}`
  }
}

function withNumber(made: Made, at: number): unknown {
  const grown = grow(made)
  if (typeof grown === 'string') return `${grown}${at}`
  if (typeof grown !== 'object' || grown === null || Array.isArray(grown)) return grown
  return Object.fromEntries(
    Object.entries(grown).map(([name, value]) => [
      name,
      typeof value === 'string' ? `${value}${at}` : value,
    ]),
  )
}

/** Stands for a value that is nested too deep to be made: only its JSON is. */
const DEEP = '\u0001deep:'
const DEEP_VALUE = /"\\u0001deep:(\d+):(list|object)"/g

/** The JSON of a grown value. */
export const jsonOf = (grown: unknown): string =>
  JSON.stringify(grown).replaceAll(DEEP_VALUE, (_, times: string, kind: string) => {
    const [open, close] = kind === 'list' ? ['[', ']'] : ['{"a":', '}']
    return `${open.repeat(Number(times))}1${close.repeat(Number(times))}`
  })

/** The value with one part of it left out or half as large, in every way. */
export function* smaller(made: Made): Generator<Made> {
  if (typeof made !== 'object' || made === null) return
  if (isLarge(made)) {
    if (made.times > 1) yield { ...made, times: Math.floor(made.times / 2) }
    for (const of of smaller(made.of ?? '')) yield { ...made, of }
    return
  }
  const entries = Object.entries(made)
  const rebuilt = (changed: [string, Made][]): Made =>
    Array.isArray(made) ? changed.map(([, value]) => value) : Object.fromEntries(changed)
  if (entries.length > 1)
    for (const [left] of entries) yield rebuilt(entries.filter(([name]) => name !== left))
  for (const [name, value] of entries)
    for (const less of smaller(value))
      yield rebuilt(entries.map(([each, old]) => [each, each === name ? less : old]))
}

const MIB = 1_048_576
/** What a request is made of beside its largest value. */
const ENVELOPE = 2_000

/** Mostly small, now and then as much as a request may hold. */
export function anySize(random: Random, most = MIB - ENVELOPE): number {
  const bits = random.pick([4, 7, 10, 10, 13, 15, 17, 20])
  return random.int(25) === 0 ? most : Math.min(most, 1 + random.int(2 ** bits))
}

/** What texts are repeated of: markup, patterns, Unicode and secrets that are slow for somebody. */
const PIECES = [
  ...[
    'q',
    'ab ',
    ' ',
    '\n',
    '\t',
    '\r\n',
    ' \n',
    'aA1',
    'A_b-',
    'a.b/',
    "'s ",
    '0',
    '-',
    '_',
    '=',
    '\\',
  ],
  ...[
    '*',
    '**a ',
    '*a **b ',
    '_a',
    '~~',
    '`',
    '``` \n',
    '```js\n',
    '[',
    '![',
    '](',
    '[a](b',
    '[a]: b\n',
  ],
  ...[
    '<',
    '<!--',
    '<b>',
    '<a href="',
    '&amp;',
    '&',
    '# h\n',
    '# h #',
    '> ',
    '- ',
    '- [ ] x\n',
    '1. ',
  ],
  ...[
    '|a|b\n|-|-\n',
    '|',
    '---\n',
    'a\n===\n',
    '    x\n',
    '[[a]] ',
    '[[',
    '<<',
    'http://a.b/',
    'www.a',
  ],
  ...[
    'a@b.c ',
    'mailto:',
    'k: v\n',
    '- &a [*a]\n',
    '{{',
    '{%',
    '${',
    '{a,b}',
    '**/',
    '*?',
    '[!a-z]',
    '(a|',
  ],
  ...[
    '猫',
    '検索',
    'ก็',
    '한',
    'e\u0301',
    '\u0301',
    'Z\u0351\u036b\u0343',
    '\u202e',
    '\u2066',
    '\u200b',
  ],
  ...['👩‍👩‍👧', '🦊', '\ufdfa', '½', 'ﬃ', 'İ', 'ß', '\u0390', '\u2028', '\u00ad', '\ufeff', '\u1160'],
  ...['ghp_aaaaaaaa', 'AKIA', 'sk-', 'eyJhbGci', '-----BEGIN ', 'password=', 'token: ', 'Bearer '],
  ...[
    '<loam>',
    '</loam-context>',
    '<!-- loam',
    'src/a.ts:1 ',
    '{"a":',
    '"',
    ',',
    'a,',
    'data:;base64,',
  ],
  ...['w and the ', 'running ', 'ational', 'x'.repeat(3_000), '1e', 'aaaaaaaaaaaaaaaaaaaaaaaa!'],
]
const CLOSERS = [']', ')', '*', '`', '>', '}', '"', '**', '\n', ' ', '</b>', ']]']

/** A text of about so many bytes, in JSON. */
export function anyText(random: Random, bytes: number): Made {
  const kind = random.int(10)
  const seed = random.int(2 ** 31)
  if (kind === 0) return { make: 'words', times: Math.ceil(bytes / 8), seed }
  if (kind === 1) return { make: 'any text', times: Math.min(20_000, Math.ceil(bytes / 4)), seed }
  const of = kind === 2 ? random.pick(PIECES) + random.pick(PIECES) : random.pick(PIECES)
  const after = kind === 3 ? random.pick(CLOSERS) : ''
  const before = kind === 4 ? random.pick(PIECES) : ''
  const each = Buffer.byteLength(JSON.stringify(of + after)) - 2
  return {
    make: 'text',
    of,
    times: Math.max(1, Math.floor(bytes / each)),
    ...(after && { after }),
    ...(before && { before }),
  }
}

/** A short text that is odd all the same. */
export const anyWord = (random: Random): string =>
  random.pick([
    random.pick(PIECES),
    '',
    ' ',
    '../..',
    'null',
    'atlas',
    'global',
    '__proto__',
    '%00',
    '../a',
  ])
