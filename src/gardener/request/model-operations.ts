/**
 * The operations that a chat model names, held against what it was shown. What does not fit is skipped with its
 * reason: nothing is guessed.
 */
import { MEMORY_KINDS, memoryName, type MemoryKind } from '../../memories/memories.ts'
import { wireProject } from '../../projects/projects.ts'
import { slugify } from '../../text/slug.ts'
import { oneLine } from '../../text/text.ts'
import { listIn, textIn, type Said } from '../model/answer.ts'
import { numberedAs } from '../model/shown.ts'
import { quoted } from '../model/words.ts'
import type { Brief } from '../payloads.ts'
import type { Operation } from './operations.ts'
import { kindNamed, Skipped } from './resolve.ts'

/** What the model was shown. */
export interface Shown {
  memories: readonly Brief[]
  /** Where memories may be moved. */
  projects: ReadonlySet<string>
}

/** Several memories are to become one. Its text is not written yet. */
export interface Consolidation {
  name: string
  /** Undefined: the model named none. */
  kind: MemoryKind | undefined
  sources: Brief[]
}

/** In characters: a line of a list. */
const REASON_LENGTH = 300
const MOST_SOURCES = 20

type Read = { operation: Operation } | { consolidation: Consolidation }

const READERS: Record<string, (shown: Shown, said: Said) => Read> = {
  merge(shown, said) {
    const [keep, drop] = [memoryIn(shown, said, 'keep'), memoryIn(shown, said, 'drop')]
    if (keep.id === drop.id) throw new Skipped(`keep and drop are the same memory, "${keep.name}"`)
    return { operation: { op: 'merge', keep: keep.id, drop: drop.id, ...reasonIn(said) } }
  },

  archive(shown, said) {
    const { id } = memoryIn(shown, said, 'target')
    return { operation: { op: 'archive', target: id, ...reasonIn(said) } }
  },

  reproject(shown, said) {
    const { id, name, project } = memoryIn(shown, said, 'target')
    const to = projectIn(shown, textIn(said, 'to'))
    if (to === project) throw new Skipped(`"${name}" is in ${wireProject(to)} already`)
    return { operation: { op: 'reproject', target: id, to: wireProject(to), ...reasonIn(said) } }
  },

  rekind(shown, said) {
    const { id, name, kind } = memoryIn(shown, said, 'target')
    const to = kindNamed(textIn(said, 'kind'), 'kind')
    if (to === kind) throw new Skipped(`"${name}" is a ${to} already`)
    return { operation: { op: 'rekind', target: id, to, ...reasonIn(said) } }
  },

  consolidate(shown, said) {
    const name = memoryName(textIn(said, 'name'))
    if (name === '') throw new Skipped('name is missing: what the new memory is called')
    const kind = isMissing(said['kind']) ? undefined : kindNamed(textIn(said, 'kind'), 'kind')
    return { consolidation: { name, kind, sources: sourcesIn(shown, said) } }
  },
}

/** The names that an operation may have. */
export const KNOWN = Object.keys(READERS)

/** Throws Skipped, or the refusal of a name that can be none. */
export function readOperation(shown: Shown, said: Said): Read {
  const op = textIn(said, 'op')
  if (KNOWN.includes(op)) return READERS[op]!(shown, said)
  throw new Skipped(`op is ${quoted(said['op'])}, and there are ${KNOWN.join(', ')}`)
}

const isMissing = (value: unknown): boolean => value === undefined || value === null

function memoryIn(shown: Shown, said: Said, field: string): Brief {
  if (isMissing(said[field])) throw new Skipped(`${field} is missing: the number of a memory`)
  return memoryOf(shown, said[field], field)
}

function memoryOf({ memories }: Shown, number: unknown, field: string): Brief {
  const memory = numberedAs(memories, number)
  if (memory) return memory
  throw new Skipped(`${field} is ${quoted(number)}, which is the number of no memory in the list`)
}

function sourcesIn(shown: Shown, said: Said): Brief[] {
  const numbers = listIn(said, 'sources')
  if (!numbers) throw new Skipped('sources is missing: the numbers of memories')
  const sources = [...new Set(numbers.map((number) => memoryOf(shown, number, 'sources')))]
  if (sources.length < 2) throw new Skipped('sources must be two memories or more')
  if (sources.length > MOST_SOURCES) {
    throw new Skipped(
      `sources are ${sources.length} memories, and at most ${MOST_SOURCES} become one`,
    )
  }
  // A memory that says what several projects know would lie open to those who may read one of them.
  if (new Set(sources.map(({ project }) => project)).size > 1) {
    throw new Skipped('sources lie in several projects: move them into one first')
  }
  return sources
}

function projectIn({ projects }: Shown, asked: string): string {
  if (asked === '') throw new Skipped('to is missing: a project')
  const slug = slugify(asked)
  const project = slug === 'global' ? '' : slug
  if (slug !== '' && projects.has(project)) return project
  throw new Skipped(`there is no project ${quoted(asked)} to which you may move memories`)
}

const reasonIn = (said: Said): { reason?: string } => {
  const reason = oneLine(textIn(said, 'reason'), REASON_LENGTH)
  return reason === '' ? {} : { reason }
}

/** The names of all kinds, for a prompt. */
export const kindsInWords = (): string => MEMORY_KINDS.join(', ')
