/** The labelled pairs of memories by which the gardener's eye for duplicates is judged. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Agent } from '../helpers/agent.ts'

/** Reworded and repeated pairs say the same; those of values and of subjects have their words in common, or their subject. */
export const PAIR_SETS = ['reworded', 'repeated', 'values', 'subjects'] as const
export type PairSet = (typeof PAIR_SETS)[number]

interface Said {
  name: string
  kind: string
  description: string
  body: string
  /** Where it lies, when not where its pair does. */
  project?: string
}

export interface LabelledPair {
  id: string
  set: PairSet
  project: string
  /** Whether one could replace the other. */
  label: 'same' | 'other'
  a: Said
  b: Said
}

const FOLDER = join(import.meta.dirname, 'sets', 'gardener')

export async function readPairs(): Promise<LabelledPair[]> {
  const sets = PAIR_SETS.map(async (set) => {
    const text = await readFile(join(FOLDER, `${set}.jsonl`), 'utf8')
    const lines = text.split('\n').filter((line) => line !== '')
    return lines.map((line) => ({ ...(JSON.parse(line) as Omit<LabelledPair, 'set'>), set }))
  })
  return (await Promise.all(sets)).flat()
}

/** Half of the cases serve tuning. The other half is kept apart, and what is promised is measured on it. */
export type Half = 'tuning' | 'kept'

/** By a hash of the id: nobody chooses. */
export const halfOf = (id: string): Half =>
  createHash('sha256').update(id).digest()[0]! < 128 ? 'tuning' : 'kept'

/** Words that stand in any text. */
const FILLER = new Set(
  (
    'the and for that this with from are was were has have had not but its his her they them then than when where ' +
    'which who what how why can may must will would should could been being into onto out over under per via any all ' +
    'each every only also just too very more most some such other another same one two'
  ).split(' '),
)

/** The share of their words that two have in common: of those of the one that has fewer, 0 to 1. */
export function sharedWords(a: Said, b: Said): number {
  const [one, other] = [wordsOf(a), wordsOf(b)]
  return [...one].filter((word) => other.has(word)).length / Math.min(one.size, other.size)
}

const wordsOf = ({ name, description, body }: Said): Set<string> =>
  new Set(
    `${name.replaceAll('-', ' ')} ${description} ${body}`
      .toLowerCase()
      .match(/[a-z0-9]+/g)
      ?.filter((word) => word.length > 2 && !FILLER.has(word)),
  )

/** A memory that was written, with the pair that it belongs to. */
export interface Laid {
  id: string
  pair: LabelledPair
}

/** Writes both memories of every pair as an agent does. */
export async function layPairs(agent: Agent, pairs: readonly LabelledPair[]): Promise<Laid[]> {
  const projects = new Set(
    pairs.flatMap(({ project, a, b }) => [project, placeOf(a, project), placeOf(b, project)]),
  )
  for (const name of projects) await agent.call('project_create', { name })
  const laid: Laid[] = []
  for (const pair of pairs) {
    for (const said of [pair.a, pair.b]) {
      const { id } = await agent.call('memory_write', {
        ...said,
        project: placeOf(said, pair.project),
      })
      laid.push({ id: id as string, pair })
    }
  }
  return laid
}

const placeOf = ({ project }: Said, where: string): string => project ?? where
