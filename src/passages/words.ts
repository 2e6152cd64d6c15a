/**
 * Words: how a text becomes the lexemes it is found by.
 *
 * Documents and queries go through the same steps, so that both sides agree whatever version of
 * PostgreSQL holds them. The database never parses text: it is given finished lexemes.
 */
import { fold } from './accents.ts'
import { isByChance } from './by-chance.ts'
import { eachRun, isAscii, nextWord, plainEnd } from './plain.ts'
import { beginning, beginnings, stemmed } from './stems.ts'
import { FAINT_WORDS, STOP_WORDS } from './stop-words.ts'

/** Changes whenever the same text may give other lexemes: rows of another version are indexed anew. */
export const NORMALISER = 2

/** Longer words are cut: nobody searches past this, and a tsvector takes no lexeme of 2 KB. */
const LONGEST_WORD = 64
const LONGEST_IDENTIFIER = 160
/** All lexemes of one passage, in bytes: a tsvector holds 1 MB. */
const MOST_BYTES = 400_000
/** As much of a passage as is read once it is normalised, in UTF-16 units. */
const LONGEST_PASSAGE = 120_000
/** As much of a query as is read, in UTF-16 units: it is a question, not a document. */
const LONGEST_QUERY = 20_000
/** As many lexemes of a query as are looked up; a search keeps the rarest of them. */
export const MOST_ASKED = 256

/** Scripts found by pairs of neighbours. A sign of Han or Hangul may be a word by itself: 큐 is one, with an ending 큐가. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]+/gu
const SIGNS = /[\p{Script=Han}\p{Script=Hangul}]/u
/** What is not seen within a word, for a class of characters: where a line may break, and where it may not. */
export const UNSEEN_SIGNS = '\u00ad\u200b\u2060\ufeff'
const UNSEEN = new RegExp(`[${UNSEEN_SIGNS}]`, 'g')

/** Words with what joins them to paths, versions and identifiers; `c++` and `c#` are words too. */
const TOKEN =
  /(?<![\p{L}\p{N}_])\p{L}(?:\+\+|#)(?![\p{L}\p{N}])|[\p{L}\p{M}\p{N}_]+(?:(?:::|->|[-./\\@:'’])[\p{L}\p{M}\p{N}_]+)*/gu

/** Where a name written as one falls into its words: parseConfig, HTTPServer, sha256. */
const HUMPS =
  /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u

/** What is left of a word after its apostrophe, as in it's and we'll. */
const ENDINGS = new Set(['s', 't', 'd', 'm', 'll', 've', 're'])

/**
 * What a lexeme is of the text: a `word` by its stem; all words of an identifier `joined`, by their
 * stem too; an identifier or path `whole`, marked with = and never stemmed; a single `sign` of Han or Hangul; a `piece` of a
 * hash or an id, of which chance makes as many words as it has digits between its letters.
 */
type Role = 'word' | 'joined' | 'whole' | 'sign' | 'piece'
type Emit = (lexeme: string, role: Role, plain?: string) => void

/** What a passage is found by. */
export interface PassageWords {
  /** How often each lexeme stands in the text. */
  counts: Map<string, number>
  /** In words, each counted once however many lexemes it gives. */
  length: number
}

/** The lexemes of a passage. Takes any string: lone surrogates and control characters are no words. */
export function wordsOf(text: string): PassageWords {
  const counts = new Map<string, number>()
  let [length, bytes] = [0, 0]
  read(text, (lexeme, role) => {
    if (role === 'word' || role === 'piece') length++
    const count = counts.get(lexeme)
    if (count === undefined) {
      if (bytes > MOST_BYTES) return
      bytes += lexeme.length * 3 + 8
    }
    counts.set(lexeme, (count ?? 0) + 1)
  })
  return { counts, length }
}

/** Of the words that are asked for, with their weights, how much a text has: each counts once. */
export function weightIn(text: string, asked: ReadonlyMap<string, number>): number {
  if (asked.size === 0) return 0
  const left = new Map(asked)
  let sum = 0
  const meet: Emit = (lexeme) => {
    const weight = left.get(lexeme)
    if (weight === undefined) return
    left.delete(lexeme)
    sum += weight
  }
  read(text, meet, LONGEST_PASSAGE, new Set([...asked.keys()].flatMap(beginnings)))
  return sum
}

/**
 * The words of a query as they are written, without case and accents, each with its lexeme: what two words of one stem
 * differ by. Stop words are none of them.
 */
export function formsAsked(query: string): Map<string, string> {
  const forms = new Map<string, string>()
  read(
    query.slice(0, LONGEST_QUERY),
    (lexeme, role, plain) => {
      if (role !== 'word' || plain === undefined || STOP_WORDS.has(plain)) return
      if (forms.size < MOST_ASKED) forms.set(plain, lexeme)
    },
    LONGEST_QUERY,
  )
  return forms
}

/** How often each of some forms stands in a text, and where the first of them does. */
export interface FormsFound {
  counts: Map<string, number>
  /** Words of the text before the first of them; absent without one. */
  first?: number
  /** In words. */
  length: number
}

/** Looks for these forms in a text, as words of their own. */
export function countForms(text: string, forms: ReadonlyMap<string, unknown>): FormsFound {
  const found: FormsFound = { counts: new Map(), length: 0 }
  const meet = (word: string): void => {
    if (!forms.has(word)) return
    found.counts.set(word, (found.counts.get(word) ?? 0) + 1)
    found.first ??= found.length - 1
  }
  const folded = fold(text).replaceAll(UNSEEN, '')
  if (!isAscii(folded)) {
    for (const [word] of folded.matchAll(/[\p{L}\p{N}]+/gu)) {
      found.length++
      meet(word)
    }
    return found
  }
  const lengths = new Set([...forms.keys()].map((form) => form.length))
  eachRun(folded, (from, to) => {
    found.length++
    if (lengths.has(to - from)) meet(folded.slice(from, to))
  })
  return found
}

/** How much less an identifier met whole adds: its words were met already. */
const WEIGHTS: Record<Role, number> = { word: 1, joined: 0.25, whole: 0.5, sign: 0, piece: 1 }

/**
 * The lexemes of a query and their weights. Empty when it has none, or stop words alone: such a
 * query finds nothing.
 */
export const wordsAsked = (query: string): Map<string, number> => readQuery(query).weights

/** What a faint word counts beside others, of what its rarity alone would have it count. */
const FAINT = 0.5
/** The same of a piece: it finds a hash by its beginning, and most other hashes too. */
const PIECE = 0.05

/**
 * The same of a question as agents put one: the words that it has for its own sake count less, and what is left of a hash
 * that was pasted into it, unless it has no others.
 */
export function wordsOfQuestion(query: string): Map<string, number> {
  const { weights, faint, pieces, hasWords } = readQuery(query)
  if (faint.size < weights.size) for (const lexeme of faint) weights.set(lexeme, FAINT)
  if (hasWords) for (const lexeme of pieces) weights.set(lexeme, PIECE)
  return weights
}

/** Whether a query has more words than are looked up. */
export const asksTooMuch = (query: string): boolean => readQuery(query).isCut

interface Query {
  weights: Map<string, number>
  /** Lexemes that stand for faint words alone. */
  faint: Set<string>
  /** Lexemes that stand for pieces alone. */
  pieces: Set<string>
  /** Whether there are words beside these two. */
  hasWords: boolean
  isCut: boolean
}

function readQuery(query: string): Query {
  const weights = new Map<string, number>()
  const faint = new Set<string>()
  const pieces = new Set<string>()
  let hasWords = false
  let isCut = query.length > LONGEST_QUERY
  const take: Emit = (lexeme, role, plain) => {
    if (role === 'sign' || (plain !== undefined && STOP_WORDS.has(plain))) return
    if (weights.size === MOST_ASKED && !weights.has(lexeme)) {
      isCut = true
      return
    }
    const isFaint = plain !== undefined && FAINT_WORDS.has(plain)
    if (!isFaint) faint.delete(lexeme)
    else if (!weights.has(lexeme)) faint.add(lexeme)
    if (role !== 'piece') pieces.delete(lexeme)
    else if (!weights.has(lexeme)) pieces.add(lexeme)
    hasWords ||= role === 'word' && !isFaint
    weights.set(lexeme, Math.max(weights.get(lexeme) ?? 0, WEIGHTS[role]))
  }
  read(query.slice(0, LONGEST_QUERY), take, LONGEST_QUERY)
  return { weights, faint, pieces, hasWords, isCut }
}

/**
 * The lexemes of a query, each with the word as it was written first. For an answer that explains itself:
 * made once for a question, however many hits it has.
 */
export function wordsWritten(query: string): Map<string, string> {
  const written = new Map<string, string>()
  let left = LONGEST_QUERY
  for (const [found] of query.slice(0, LONGEST_QUERY).matchAll(/[^\s,;()"]+/gu)) {
    const word = found.slice(0, found.length - ENDED.exec(found)![0].length).normalize('NFKC')
    const take: Emit = (lexeme) => {
      if (!written.has(lexeme)) written.set(lexeme, cut(word, LONGEST_IDENTIFIER))
    }
    read(word, take, left)
    left = Math.max(0, left - word.length)
  }
  return written
}

/** The marks that end a sentence. */
const ENDED = /(?<![?!.:])[?!.:]*$/

/** @param begun of plain words, how those begin that are emitted; left out, all are */
function read(text: string, emit: Emit, most = LONGEST_PASSAGE, begun?: ReadonlySet<number>): void {
  if (isAscii(text)) return readSpaced(cut(text, most), emit, begun)
  // One sign may stand for eighteen letters.
  const clean = cut(text.toWellFormed().normalize('NFKC').replaceAll(UNSEEN, ''), most)
  let from = 0
  for (const run of clean.matchAll(UNSPACED)) {
    readSpaced(clean.slice(from, run.index), emit, begun)
    readUnspaced(run[0], emit)
    from = run.index + run[0].length
  }
  readSpaced(clean.slice(from), emit, begun)
}

/** Every pair of neighbours, as a word each; a sign of Han or Hangul may also be asked for alone. */
function readUnspaced(run: string, emit: Emit): void {
  const signs = [...run]
  if (signs.length === 1) return emit(run, 'word')
  for (let i = 1; i < signs.length; i++) emit(`${signs[i - 1]}${signs[i]}`, 'word')
  for (const sign of signs) if (SIGNS.test(sign)) emit(sign, 'sign')
}

function readSpaced(run: string, emit: Emit, begun?: ReadonlySet<number>): void {
  for (let at = nextWord(run, 0); at < run.length; at = nextWord(run, at)) {
    const end = plainEnd(run, at)
    if (end > 0 && end - at <= LONGEST_WORD) {
      const second = end - at === 1 ? 0 : run.charCodeAt(at + 1) | SMALL
      if (!begun || begun.has(beginning(run.charCodeAt(at) | SMALL, second))) {
        const word = run.slice(at, end).toLowerCase()
        emit(stemmed(word), 'word', word)
      }
      at = end
      continue
    }
    TOKEN.lastIndex = at
    const found = TOKEN.exec(run)
    if (!found) return
    at = found.index + found[0].length
    readToken(found[0], run[found.index - 1] === '`' && run[at] === '`', emit)
  }
}

/** Of a token in code quotes every word is an identifier. */
function readToken(token: string, quoted: boolean, emit: Emit): void {
  if (!quoted && PLAIN.test(token)) {
    const word = token.toLowerCase()
    return emit(stemmed(word), 'word', word)
  }
  if (/[+#]$/.test(token)) return emit(`=${fold(token)}`, 'word')
  for (const [i, part] of token.split(/['’]/u).entries()) {
    if (i > 0 && ENDINGS.has(part.toLowerCase())) continue
    readName(part, quoted, emit)
  }
}

/** Nothing of these words is to be taken apart. */
const PLAIN = new RegExp(`^[A-Za-z][a-z]{0,${LONGEST_WORD - 1}}$`)

/** A word, an identifier, or names joined to a path; in code quotes a word is an identifier too. */
function readName(token: string, quoted: boolean, emit: Emit): void {
  const names = token.split(/->|[./\\@:]+/u).map(wordsOfName)
  for (const words of names) {
    const role = isByChance(words) ? 'piece' : 'word'
    for (const word of words) emit(stemmed(word), role, word)
    if (words.length === 0 || (words.length === 1 && !quoted)) continue
    const joined = cut(words.join(''), LONGEST_IDENTIFIER)
    if (words.length > 1) emit(stemmed(joined), 'joined')
    emit(`=${joined}`, 'whole')
  }
  if (names.length === 1) return
  const whole = fold(token).replaceAll('\\', '/')
  if (whole.length <= LONGEST_IDENTIFIER) emit(`=${whole}`, 'whole')
}

const wordsOfName = (name: string): string[] =>
  name
    .split(/[-_]+/u)
    .flatMap((part) => part.split(HUMPS))
    .map((word) => cut(fold(word), LONGEST_WORD))
    .filter((word) => word !== '')

/** Cuts between code points. */
const cut = (word: string, most: number): string =>
  word.length <= most ? word : word.slice(0, most).replace(/[\ud800-\udbff]$/, '')

/** Makes a small letter of a letter of ASCII. */
const SMALL = 0x20
