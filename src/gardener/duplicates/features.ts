/** What two memories are compared by, read off the text of each once. */
import { wordsAsked } from '../../passages/passages.ts'
import type { Brief } from '../payloads.ts'
import { standsFor } from './synonyms.ts'

/** A memory with what decides which of two stays. */
export interface Written extends Brief {
  body: string
  favorite: boolean
  updated_at: Date
}

export interface Features {
  /** Lexemes that stand for groups of words. What stands in the name or the description counts double. */
  words: ReadonlyMap<string, number>
  /** Its lexemes as they are written, by which others are found. */
  lexemes: readonly string[]
  /** Values: what two memories of one subject differ in. */
  values: ReadonlySet<string>
  /** Identifiers, paths and names written as code. */
  names: ReadonlySet<string>
  /** The sides that it takes, as `pair:side`. */
  sides: ReadonlySet<string>
  /** Whether its head forbids or denies. */
  denies: boolean
  /** Three letters in a row, by which other forms of a word are alike. */
  trigrams: ReadonlySet<string>
}

/** As much of a body as is compared, in UTF-16 units. */
const MOST_BODY = 8_000
const HEAD_WEIGHT = 2

export function featuresOf({ name, description, body }: Written): Features {
  const headText = `${name.replaceAll('-', ' ')}. ${description}`
  const text = `${headText}\n${body.slice(0, MOST_BODY)}`
  const head = new Set([...wordsAsked(headText).keys()].map(standsFor))
  const words = new Map<string, number>()
  const asked = wordsAsked(text)
  for (const [lexeme, weight] of asked) {
    const stem = standsFor(lexeme)
    raise(words, stem, head.has(stem) ? HEAD_WEIGHT * weight : weight)
  }
  return {
    words,
    lexemes: [...asked.keys()],
    values: valuesOf(text),
    names: new Set([...asked.keys()].filter((lexeme) => lexeme.startsWith('='))),
    sides: sidesOf(headText, text),
    denies: DENIES.test(headText),
    trigrams: trigramsOf(text),
  }
}

const raise = (weights: Map<string, number>, lexeme: string, weight: number) =>
  weights.set(lexeme, Math.max(weights.get(lexeme) ?? 0, weight))

/** Numbers, versions and sizes, without the dates on which something was found out. */
function valuesOf(text: string): Set<string> {
  const plain = text.replaceAll(/\b\d{4}-\d{2}(-\d{2})?\b/g, ' ')
  const values = [...plain.matchAll(/(?<![\p{L}\d])v?(\d+(?:[.:,_]\d+)*)/gu)].map(([, value]) =>
    value!.replaceAll(/[,_]/g, ''),
  )
  return new Set(values)
}

const DENIES =
  /\b(?:not?|never|don'?t|doesn'?t|cannot|can'?t|won'?t|mustn'?t|isn'?t|without|avoid|forbid\w*|refus\w*|reject\w*|disabl\w*|unsafe|ban(?:ned)?|prohibit\w*|stop(?:ped)?|no longer)\b/i

/** Words that stand against each other: a memory that holds for one side says nothing of the other. */
const AGAINST: readonly (readonly (readonly string[])[])[] = [
  [
    ['staging', 'stage'],
    ['production', 'prod', 'live'],
    ['development', 'dev'],
    ['local'],
    ['preview'],
    ['sandbox'],
  ],
  [
    ['client', 'frontend', 'browser'],
    ['server', 'backend'],
  ],
  [
    ['read', 'reads', 'reader', 'reading'],
    ['write', 'writes', 'writer', 'writing'],
  ],
  [['linux'], ['macos', 'mac', 'darwin'], ['windows']],
  [
    ['amd64', 'x86'],
    ['arm64', 'arm'],
  ],
  [['ios'], ['android']],
  [
    ['primary', 'leader', 'master'],
    ['replica', 'replicas', 'follower', 'standby'],
  ],
  [
    ['request', 'requests'],
    ['response', 'responses', 'reply', 'replies'],
  ],
  [['input'], ['output']],
  [
    ['upload', 'uploads'],
    ['download', 'downloads'],
  ],
  [
    ['import', 'imports'],
    ['export', 'exports'],
  ],
  [
    ['encode', 'encoder'],
    ['decode', 'decoder'],
  ],
  [
    ['minimum', 'min', 'least'],
    ['maximum', 'max', 'most'],
  ],
  [['before'], ['after']],
  [['first'], ['last']],
  [['up'], ['down']],
  [
    ['enable', 'enabled', 'enables'],
    ['disable', 'disabled', 'disables'],
  ],
  [
    ['ascending', 'asc'],
    ['descending', 'desc'],
  ],
  [
    ['inbound', 'incoming', 'ingress'],
    ['outbound', 'outgoing', 'egress'],
  ],
  [
    ['internal', 'private'],
    ['external', 'public'],
  ],
  [['source'], ['target', 'destination']],
  [['parent'], ['child', 'children']],
  [
    ['sync', 'synchronous'],
    ['async', 'asynchronous'],
  ],
  [['http'], ['https']],
  [['get'], ['post'], ['put'], ['patch']],
  [['hourly'], ['daily', 'nightly'], ['weekly'], ['monthly'], ['yearly']],
  [['seconds', 'second'], ['minutes', 'minute'], ['hours', 'hour'], ['days'], ['weeks']],
  [['monday'], ['tuesday'], ['wednesday'], ['thursday'], ['friday'], ['saturday'], ['sunday']],
  [['postgres', 'postgresql'], ['mysql', 'mariadb'], ['sqlite'], ['mongodb', 'mongo'], ['redis']],
  [['integer', 'int'], ['float', 'decimal'], ['string']],
  [
    ['horizontal', 'horizontally'],
    ['vertical', 'vertically'],
  ],
  [['left'], ['right']],
  [
    ['allow', 'allowed', 'allows', 'permitted'],
    ['deny', 'denied', 'denies', 'forbidden'],
  ],
  [
    ['increase', 'increased', 'raise', 'raised'],
    ['decrease', 'decreased', 'lower', 'lowered', 'reduce', 'reduced'],
  ],
  [['unit'], ['integration'], ['e2e', 'acceptance']],
  [['npm'], ['yarn'], ['pnpm'], ['bun']],
  [['debug'], ['release']],
  [['tabs'], ['spaces']],
  [
    ['add', 'adds', 'adding'],
    ['remove', 'removes', 'removing'],
  ],
  [
    ['create', 'creates', 'creating'],
    ['delete', 'deletes', 'deleting'],
  ],
  [
    ['push', 'pushes'],
    ['pull', 'pulls'],
  ],
  [
    ['open', 'opens'],
    ['close', 'closes', 'closed'],
  ],
  [
    ['lock', 'locks', 'locked'],
    ['unlock', 'unlocks', 'unlocked'],
  ],
  [
    ['start', 'starts'],
    ['stop', 'stops'],
  ],
  [
    ['old', 'legacy', 'v1'],
    ['new', 'v2'],
  ],
  [['red'], ['green'], ['blue'], ['yellow']],
  [
    ['european', 'europe', 'eu'],
    ['american', 'america', 'us', 'usa'],
    ['asian', 'asia', 'apac'],
  ],
]

const SIDE_OF: ReadonlyMap<string, string> = new Map(
  AGAINST.flatMap((pair, at) =>
    pair.flatMap((side, nth) => side.map((word) => [word, `${at}:${nth}`] as const)),
  ),
)

/** Of its head; of the whole where the head takes none of a pair. */
function sidesOf(head: string, text: string): Set<string> {
  const taken = (of: string) =>
    new Set(
      of
        .toLowerCase()
        .match(/[a-z0-9]+/g)
        ?.flatMap((word) => SIDE_OF.get(word) ?? []),
    )
  const [inHead, everywhere] = [taken(head), taken(text)]
  const pairs = new Set([...inHead].map((side) => side.split(':')[0]))
  return new Set([...inHead, ...[...everywhere].filter((side) => !pairs.has(side.split(':')[0]))])
}

/** Three signs in a row of each word, as similarity() of the database has them. */
function trigramsOf(text: string): Set<string> {
  const found = new Set<string>()
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    const padded = `  ${word} `
    for (let at = 0; at + 3 <= padded.length; at++) found.add(padded.slice(at, at + 3))
  }
  return found
}
