/** What agents look for in vain, in several sessions: knowledge that nobody has written down. */
import { createHash } from 'node:crypto'
import { wireTime } from '../../kernel/clock.ts'
import { newId } from '../../kernel/id.ts'
import type { Db, Kernel } from '../../kernel/kernel.ts'
import { scopeSql, type OwnerScope } from '../../projects/projects.ts'
import { maskSecrets } from '../../text/secrets.ts'
import { oneLine } from '../../text/text.ts'
import type { DraftOf } from '../store.ts'
import { isAskable, uncovered } from './covered.ts'
import { readBack, type Entry, type Page } from './log.ts'
import { compare } from './order.ts'
import type { Pass } from './pass.ts'
import { signatureOf, wordsIn } from './signature.ts'
import { unsettled } from './unsettled.ts'

const DAYS = 14
const SESSIONS = 2
/** Proposals of one run: each becomes work for somebody. */
const MOST_WANTED = 5
/** Questions that a proposal shows, and the most characters of one. */
const QUERIES = 5
const LONGEST_QUERY = 500
/** The newest events that are looked at. */
const MISSES_READ = 20_000
const ANSWERS_READ = 200_000

interface Miss extends Entry {
  project: string
  /** '': of nobody known. All of these count as one. */
  session: string
  query: string
  /** Whether those of the project may read it. */
  told: boolean
}
const missed = scopeSql<Page, Miss, OwnerScope>('gardener/misses')

interface Answered extends Entry {
  project: string
  query: string | null
}
const answered = scopeSql<Page & { projects: string[] }, Answered, OwnerScope>('gardener/answered')

/** Questions of the same words, asked in the same project in vain. */
interface Gap {
  key: string
  project: string
  signature: string
  words: string[]
  /** As they were asked, the newest first. */
  queries: Set<string>
  sessions: Set<string>
  misses: number
  first: Date
  last: Date
}

export const memoryWanted: Pass = {
  name: 'memory-wanted',
  async look(kernel, owner, most) {
    const { db } = kernel
    const gaps = await findGaps(db, owner)
    const open = await uncovered(kernel, await unsettled(db, owner, gaps))
    const wanted = (await unanswered(db, owner, open)).toSorted(byMisses)
    const shown = wanted.slice(0, Math.min(most, MOST_WANTED))
    return { drafts: shown.map((gap) => draftOf(kernel, this, gap)), found: wanted.length }
  },
}

/** Those that enough sessions have met. */
async function findGaps(db: Db, owner: OwnerScope): Promise<Gap[]> {
  const gaps = new Map<string, Gap>()
  for await (const page of readBack(missed, db, owner, { days: DAYS, most: MISSES_READ })) {
    for (const miss of page) if (miss.told) add(gaps, miss)
  }
  return [...gaps.values()].filter(({ sessions, words }) => {
    return sessions.size >= SESSIONS && isAskable(words)
  })
}

/** The log is read backwards: a miss is older than those of its gap that came before. */
function add(gaps: Map<string, Gap>, { project, session, query, at }: Miss): void {
  const asked = maskSecrets(query)
  const signature = signatureOf(asked)
  if (signature === '') return
  const key = keyOf(project, signature)
  const gap = gaps.get(key) ?? {
    ...{ key, project, signature, words: wordsIn(signature), misses: 0, first: at, last: at },
    queries: new Set(),
    sessions: new Set(),
  }
  gaps.set(key, gap)
  gap.misses++
  gap.first = at
  gap.sessions.add(session)
  if (gap.queries.size < QUERIES) gap.queries.add(oneLine(asked, LONGEST_QUERY))
}

/** A key is indexed, and no index takes a key of more than 2.7 kB. */
const LONGEST_SIGNATURE = 1_000

function keyOf(project: string, signature: string): string {
  const isLong = Buffer.byteLength(signature) > LONGEST_SIGNATURE
  const short = isLong ? createHash('sha256').update(signature).digest('hex') : signature
  return `memory_wanted:${project}:${short}`
}

/** Without those of which the same words found something: what is wrong there is the ranking. */
async function unanswered(db: Db, owner: OwnerScope, gaps: readonly Gap[]): Promise<Gap[]> {
  const open = new Map(gaps.map((gap) => [gap.key, gap]))
  const projects = [...new Set(gaps.map(({ project }) => project))]
  const ask = (db: Db, owner: OwnerScope, page: Page) => answered(db, owner, { ...page, projects })
  if (open.size === 0) return []
  for await (const page of readBack(ask, db, owner, { days: DAYS, most: ANSWERS_READ })) {
    for (const { project, query } of page) {
      if (query !== null) open.delete(keyOf(project, signatureOf(query)))
    }
    if (open.size === 0) return []
  }
  return [...open.values()]
}

/** The most missed first. */
const byMisses = (a: Gap, b: Gap): number =>
  b.misses - a.misses || compare(a.project, b.project) || compare(a.signature, b.signature)

function draftOf(kernel: Kernel, { name: pass }: Pass, gap: Gap): DraftOf<'memory_wanted'> {
  const { key, project, signature, sessions, misses, first, last } = gap
  const queries = [...gap.queries]
  return {
    id: newId(kernel.clock.now()),
    kind: 'memory_wanted',
    key,
    evidence_at: last,
    projects: [project],
    items: [],
    pass,
    payload: {
      ...{ project, signature, queries },
      miss_count: misses,
      session_count: sessions.size,
      first_missed_at: wireTime(first),
      last_missed_at: wireTime(last),
      suggested_title: queries[0]!,
      reason: `asked of recall ${misses} times in ${sessions.size} sessions of the last ${DAYS} days, and nothing was found`,
    },
  }
}
