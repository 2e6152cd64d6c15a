/** Memories by what they are: what fits, and what is said of it. */
import type { Kernel } from '../../../kernel/kernel.ts'
import { MEMORY_KINDS, type MemoryKind } from '../../../memories/memories.ts'
import { wordsAsked, wordsWritten } from '../../../passages/passages.ts'
import { scopeSql } from '../../../projects/projects.ts'
import { cut } from '../../../text/text.ts'
import type { Brief } from '../../payloads.ts'
import type { Filter } from '../grammar.ts'
import type { Within } from '../meant.ts'
import { noProject, projectMeant } from './place.ts'
import { MOST } from './refer.ts'

export interface Fit {
  memories: Brief[]
  /** How many fit. */
  found: number
  /** Constraints that fit too and that nobody asked for by their kind, when they are kept apart. */
  constraints: Brief[]
  constraintsFound: number
  /** The project that was named; undefined: none was. */
  at: string | undefined
  /** What fits, as the reason of what is proposed: `mentions tide, gauge; not changed for 45 days`. */
  why(memory: Brief): string
}

interface Row extends Brief {
  /** Not changed for so many. */
  days: number
  found: number
}

interface Asked {
  at: string | null
  except: string | null
  all: boolean
  kind: string
  days: number
  tags: readonly string[]
  words: string
  apart: boolean
  most: number
}
const fitting = scopeSql<Asked, Row>('gardener/fitting')

/** Tags that one request may ask for. */
const MOST_TAGS = 20

/**
 * Finds what fits, `apart` from constraints, in the project that is named or else in `at`, and never in `except`.
 * A text: why nothing can be found.
 */
export async function findFitting(
  kernel: Kernel,
  within: Within,
  { topic, days = 0, kind = '', tags, project }: Filter,
  how: { at?: string; apart?: boolean; except?: string } = {},
): Promise<Fit | string> {
  if (kind !== '' && !isKind(kind)) {
    return `${JSON.stringify(cut(kind, 100))} is no kind: one of ${MEMORY_KINDS.join(', ')}`
  }
  const at = project === undefined ? how.at : await projectMeant(kernel, within, project)
  if (project !== undefined && at === undefined) return noProject(project)
  const { words, terms } = topicOf(topic)
  if (topic !== undefined && words === '') {
    return `no word of ${JSON.stringify(cut(topic, 100))} can be looked for: name the topic`
  }
  if (tags.length > MOST_TAGS) return `ask for ${MOST_TAGS} tags at most`
  const apart = how.apart === true && kind !== 'constraint'
  const rows = await fitting(kernel.db, within.scope, {
    ...{ at: at ?? null, except: how.except ?? null, all: within.all },
    ...{ kind, days, tags, words, apart, most: MOST },
  })
  const isApart = (row: Row) => apart && row.kind === 'constraint'
  const [constraints, memories] = [rows.filter(isApart), rows.filter((row) => !isApart(row))]
  const age = new Map(rows.map(({ id, days }) => [id, days]))
  return {
    memories,
    found: memories[0]?.found ?? 0,
    constraints,
    constraintsFound: constraints[0]?.found ?? 0,
    at,
    why: ({ id }) =>
      [
        ...(terms.length > 0 ? [`mentions ${terms.join(', ')}`] : []),
        ...(kind ? [`kind ${kind}`] : []),
        ...(tags.length > 0 ? [`tagged ${tags.join(', ')}`] : []),
        ...(days > 0 ? [`not changed for ${age.get(id)} days`] : []),
        ...(at === undefined ? [] : [`in ${at || 'global'}`]),
      ].join('; '),
  }
}

const isKind = (kind: string): kind is MemoryKind =>
  (MEMORY_KINDS as readonly string[]).includes(kind)

/** A query for all words of a topic, and these words as they were written. */
function topicOf(topic: string | undefined): { words: string; terms: string[] } {
  if (topic === undefined) return { words: '', terms: [] }
  const lexemes = [...wordsAsked(topic)].flatMap(([lexeme, weight]) =>
    weight === 1 ? [lexeme] : [],
  )
  const written = wordsWritten(topic)
  const quoted = (lexeme: string) => `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
  return {
    words: lexemes.map(quoted).join(' & '),
    terms: [...new Set(lexemes.map((lexeme) => written.get(lexeme) ?? lexeme))],
  }
}

/** What is said when nothing fits. */
export function describing({ topic, days, kind, tags, project }: Filter): string {
  return [
    'no active memory',
    ...(topic === undefined ? [] : [`about ${JSON.stringify(cut(topic, 100))}`]),
    ...(kind === undefined ? [] : [`of kind ${kind}`]),
    ...(tags.length > 0 ? [`tagged ${tags.slice(0, 5).join(', ')}`] : []),
    ...(days === undefined ? [] : [`older than ${days} days`]),
    ...(project === undefined ? [] : [`in ${cut(project, 100)}`]),
    'fits',
  ].join(' ')
}
