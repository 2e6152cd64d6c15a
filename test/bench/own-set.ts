/**
 * What agents of four software houses ask of their memory: facts written by hand with questions in other words, and
 * what stands around them, by the rules of own-noise.ts. `sets/own/README.md` says how the files are written.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { share, type Fact, type OwnItem, type OwnKind, type Voice } from './own-item.ts'
import { everyday, mentions, twins, type Everyday, type House } from './own-noise.ts'

export interface OwnQuestion {
  q: string
  voice: Voice
  project: string
  /** 2 is the answer, 1 helps; empty when nobody has written it down. */
  grades: Record<string, 1 | 2>
  /** Bands and weights are tuned on one half and judged on the other. */
  half: 'tuning' | 'kept'
}

export interface OwnSet {
  items: OwnItem[]
  questions: OwnQuestion[]
}

const FOLDER = join(import.meta.dirname, 'sets', 'own')
/** Of all houses: global. */
export const ALL = 'all'

export async function readOwnSet(): Promise<OwnSet> {
  const houses = await read<Record<string, string[]>>('houses.yaml')
  const phrases = await read<Everyday>('everyday.yaml')
  const unanswered = await read<Record<string, string[]>>('unanswered.yaml')
  const facts = await readFacts()
  const house = houseOf(houses)
  const projectOf = (service: string): string => (service === ALL ? '' : house(service).project)
  const first = Object.keys(houses)[0]!

  const items: OwnItem[] = []
  const questions: OwnQuestion[] = []
  for (const fact of facts) {
    const project = projectOf(fact.of)
    const grades: Record<string, 1 | 2> = { [fact.id]: 2 }
    items.push(asItem(fact, project, phrases))
    for (const [kind, text] of Object.entries(fact.also ?? {})) {
      const id = `${fact.id}-${kind}`
      items.push({ id, project, kind: kind as OwnKind, title: firstSentence(text), body: text })
      grades[id] = 1
    }
    const told = mentions(fact, project)
    for (const item of told) grades[item.id] = 1
    items.push(...told)
    if (fact.of !== ALL) items.push(...twins(fact, house(fact.of), houses))
    for (const [voice, q] of Object.entries(fact.ask)) {
      const place = project === '' ? first : project
      questions.push({ q, voice: voice as Voice, project: place, grades, half: halfOf(q) })
    }
  }
  for (const [service, asked] of Object.entries(unanswered)) {
    const project = projectOf(service) || first
    for (const q of asked)
      questions.push({ q, voice: 'unanswered', project, grades: {}, half: halfOf(q) })
  }
  items.push(...everyday(phrases, houses))
  return { items: inOrder(items), questions }
}

/** By a digest of its words: a question stays in its half whatever is written beside it. */
export const halfOf = (q: string): OwnQuestion['half'] => (share(q) < 0.5 ? 'tuning' : 'kept')

export async function readFacts(): Promise<Fact[]> {
  const files = (await readdir(join(FOLDER, 'facts'))).sort()
  const read = await Promise.all(files.map((file) => readYaml(join(FOLDER, 'facts', file))))
  return read.flatMap((facts) =>
    Object.entries(facts as Record<string, Omit<Fact, 'id'>>).map(([id, fact]) => ({
      id,
      ...fact,
    })),
  )
}

const read = async <T>(file: string): Promise<T> => (await readYaml(join(FOLDER, file))) as T

const readYaml = async (path: string): Promise<unknown> => parse(await readFile(path, 'utf8'))

const houseOf =
  (houses: Record<string, string[]>) =>
  (service: string): House => {
    for (const [project, services] of Object.entries(houses)) {
      if (services.includes(service)) return { project, services }
    }
    throw new Error(`no house has a service ${service}`)
  }

/** What is long-winded by nature is a note now and then, with something else below it. */
const NOTED = new Set(['reference', 'decision', 'runbook', 'refuted'])

function asItem(fact: Fact, project: string, phrases: Everyday): OwnItem {
  const { id, as, title, says } = fact
  if (as === 'finding') return { id, project, kind: 'finding', title, body: `${title}. ${says}` }
  if (project !== '' && NOTED.has(as) && share(`noted ${id}`) < 0.4) {
    const beside = phrases.note[Math.floor(share(`beside ${id}`) * phrases.note.length)]!
    const body = `${says}\n\n## Beside\n\n${beside.split('\n').slice(1).join('\n').replaceAll('{who}', fact.of)}`
    return { id, project, kind: 'note', title, body: body.replaceAll(/\{\w+\}/g, 'somebody') }
  }
  const replaced = /\d/.test(says) && project !== '' && share(`before ${id}`) < 0.5
  return {
    ...{ id, project, kind: 'memory', memoryKind: as, title, body: says },
    ...(replaced && { supersedes: `${id}-before` }),
  }
}

const firstSentence = (text: string): string => text.split('. ')[0]!.slice(0, 90)

/** Mixed, as days of work mix them, but what was replaced stands before what replaced it. */
function inOrder(items: readonly OwnItem[]): OwnItem[] {
  const mixed = items.toSorted((a, b) => share(a.id) - share(b.id))
  return mixed.flatMap((item) => {
    if (item.supersedes === undefined) return [item]
    const { supersedes: id, ...rest } = item
    return [{ ...rest, id, body: before(rest.body) }, item]
  })
}

/** The same with the figures of an earlier time. */
const before = (body: string): string =>
  body.replaceAll(/(?<![\w.:-])\d+(?=[ %])/g, (number) => String(Math.ceil(Number(number) * 0.6)))
