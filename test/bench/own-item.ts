/** What the own set is made of: facts as they are written by hand, and items as agents write them down. */
import { createHash } from 'node:crypto'
import type { MemoryKind } from '../../src/memories/memories.ts'

export type OwnKind = 'memory' | 'note' | 'task' | 'finding'

/** One piece of knowledge as an agent writes it down. */
export interface OwnItem {
  id: string
  /** '' for the global scope. */
  project: string
  kind: OwnKind
  /** Of a memory. */
  memoryKind?: MemoryKind
  title: string
  body: string
  /** The id of the memory that this one replaces: it stands before this one. */
  supersedes?: string
}

/** In what words a question is asked. */
export const VOICES = [
  'command',
  'error',
  'identifier',
  'negation',
  'paraphrase',
  'rule',
  'synonyms',
  'value',
  'when',
  'why',
  'unanswered',
] as const
export type Voice = (typeof VOICES)[number]

/** As it stands in a file: one fact, what else says something of it, and questions by their voice. */
export interface Fact {
  id: string
  of: string
  as: MemoryKind | 'finding'
  title: string
  says: string
  also?: Partial<Record<Exclude<OwnKind, 'memory'>, string>>
  ask: Partial<Record<Voice, string>>
}

/** A number from 0 to 1 that the text alone decides. */
export const share = (text: string): number =>
  createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32
