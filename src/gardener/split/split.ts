/** A project is to become several. What that takes is proposed as one plan, and nothing is made or moved. */
import type { Actor, Kernel } from '../../kernel/kernel.ts'
import { conflict, forbidden, invalid, notFound, Refusal } from '../../kernel/refusal.ts'
import { isFenced, judge, parseProject, scopeSql, type Scope } from '../../projects/projects.ts'
import { slugify } from '../../text/slug.ts'
import type { Label } from '../payloads.ts'
import { common, movingTo, saying, type Asking } from '../request/drafting.ts'
import type { Within } from '../request/meant.ts'
import { proposeAsked, remember } from '../request/request.ts'
import type { Requested } from '../request/requested.ts'
import { memoryNamed, Skipped, Unclear } from '../request/resolve.ts'
import type { Ambiguous } from '../request/operations.ts'
import { splitMeant } from '../request/understand.ts'
import { isHidden, pendingOf, pendingOfPlan, type Draft } from '../store.ts'
import { assignByWords, childrenByTags, type Assignment, type Own } from './assign.ts'
import { assignByModel } from './by-model.ts'
import { childrenNamed, sharedAnyway, sharedNamed } from './children.ts'

export interface SplitAsked {
  source: string
  /** In words: `into A and B, shared S`. */
  instruction?: string
  children?: readonly Label[]
  shared?: Label
  /** Where single memories go; the others go by the words of the children. */
  assignments?: readonly { memory: string; to: string; reason?: string }[]
}

/** Memories of one split. Of a larger project the newest are moved, and it is not retired. */
const MOST_MOVED = 500
const BODY = 4_000

const own = scopeSql<
  { source: string; most: number; length: number },
  Own & { found: number },
  Scope
>('gardener/own')

/** The slugs of the children, and of what they share. */
type Targets = ReadonlySet<string>

/** What a split comes to before it is proposed. */
interface Parts {
  children: Label[]
  shared: Label | undefined
  assignments: Assignment[]
  skipped: string[]
  ambiguous: Ambiguous[]
  model?: string
}

/**
 * Proposes the projects of a split and the move of every memory: as the caller says, else by the words of the children, else
 * as a chat model says where one is on. What nothing places goes to the shared project.
 *
 * Refused for a project that is not there or is fenced, when its split waits or was hidden, and for fewer than two
 * children.
 */
export async function planSplit(
  kernel: Kernel,
  by: Actor,
  scope: Scope,
  asked: SplitAsked,
): Promise<Requested> {
  const source = await sourceNamed(kernel, scope, asked.source)
  const memories = await own(kernel.db, scope, { source, most: MOST_MOVED, length: BODY })
  if (memories.length === 0) return nothingIn(source)
  const parts = await partsOf(kernel, scope, source, memories, asked)
  if ('guidance' in parts) return { ...nothingIn(source), ...parts }
  const plan = planOf(source)
  const request = asked.instruction?.trim() || `split ${source}`
  const asking: Asking = { kernel, within: { scope, all: false }, request, plan }
  const placed = await placeAll(kernel, scope, source, memories, parts)
  const left = (memories[0]?.found ?? 0) - placed.moves.length
  const skipped = [...parts.skipped]
  if (left > 0) {
    skipped.push(
      `${source} keeps ${left} older of its memories and is therefore not retired: split it again`,
    )
  }
  const requested = await proposeAsked(kernel, by, {
    drafts: [
      setupOf(asking, source, parts.children, placed.shared, left === 0),
      ...placed.moves.map(({ memory, to, rationale }) =>
        movingTo(asking, { id: memory.id, name: memory.name, from: source, to }, rationale),
      ),
    ],
    skipped,
    ambiguous: parts.ambiguous,
  })
  const { total: created } = requested
  await remember(kernel, by, {
    ...{ action: 'split', text: request, created, project: source, source, plan },
  })
  return requested
}

/** A project is split in one way at a time. */
const keyOf = (source: string): string => `split:${source}`

/** By what its proposals belong together. */
const planOf = (source: string): string => `split-${source}`

async function sourceNamed(kernel: Kernel, scope: Scope, asked: string): Promise<string> {
  const source = parseProject(asked)
  if (!source) throw invalid('source is missing: name the project that is to be split')
  const verdict = await judge(kernel.db, scope.caller, source)
  if (!verdict.registered || !verdict.readable) {
    throw notFound(`project ${JSON.stringify(source)}`)
  }
  if (isFenced(verdict)) {
    throw forbidden(`project ${source} is ${verdict.isolation}; a fenced project is not split`)
  }
  if (!verdict.writable) throw forbidden(`project ${source} is closed to your session`)
  const [waiting] = await pendingOf(kernel.db, keyOf(source))
  if (waiting) {
    throw conflict(`a split of ${source} is proposed already, as ${waiting}: decide that one first`)
  }
  if (await isHidden(kernel.db, keyOf(source))) {
    throw conflict(`a split of ${source} was hidden for good: its owner has to lift that first`)
  }
  // They would be carried out together with those of the new one.
  const { length: moves } = await pendingOfPlan(kernel.db, planOf(source))
  if (moves > 0) {
    throw conflict(
      `moves of an earlier split of ${source} wait still (${moves}): decide them first`,
    )
  }
  return source
}

const nothingIn = (source: string): Requested => ({
  ...{ created: [], byKind: {}, total: 0, skipped: [], ambiguous: [] },
  summary: `nothing was proposed: ${source} has no active memories of its own`,
})

const ASK_FOR_NAMES =
  'name the children: pass children, or say in instruction "into A and B, shared S". ' +
  'No two tags name them by themselves, and no chat model is configured'

async function partsOf(
  kernel: Kernel,
  scope: Scope,
  source: string,
  memories: readonly Own[],
  asked: SplitAsked,
): Promise<Parts | { guidance: string; summary: string }> {
  const words = asked.instruction === undefined ? undefined : splitMeant(asked.instruction)
  const labels = (slugs: readonly string[]) => slugs.map((slug) => ({ slug, label: slug }))
  const named =
    asked.children ?? (words && words.children.length > 0 ? labels(words.children) : undefined)
  const sharedAsked =
    asked.shared ?? (words?.shared === undefined ? undefined : labels([words.shared])[0])
  const hasModel = kernel.chat.state().on
  if (!named && hasModel) {
    const { instruction = '' } = asked
    const planned = await assignByModel(kernel, scope, { source, instruction })
    const children = await childrenNamed(kernel, scope, source, planned.children)
    const shared = await sharedNamed(kernel, scope, source, children, planned.shared)
    return { ...planned, children, shared, ambiguous: [] }
  }
  const children = named
    ? await childrenNamed(kernel, scope, source, named)
    : await childrenTagged(kernel, scope, source, memories)
  if (!children) return { guidance: ASK_FOR_NAMES, summary: 'nothing was proposed' }
  const shared = await sharedNamed(kernel, scope, source, children, sharedAsked)
  const targets = new Set([...children, ...(shared ? [shared] : [])].map(({ slug }) => slug))
  const within = { scope, all: false }
  const said = await assignmentsSaid(kernel, within, { source, targets, memories }, asked)
  const placed = new Set(said.assignments.map(({ id }) => id))
  const others = memories.filter(({ id }) => !placed.has(id))
  return {
    ...{ children, shared, ambiguous: said.ambiguous, skipped: said.skipped },
    assignments: [...said.assignments, ...assignByWords(source, children, others)],
  }
}

/** Undefined: no two tags name children, or one of them names what can be none. */
async function childrenTagged(
  kernel: Kernel,
  scope: Scope,
  source: string,
  memories: readonly Own[],
): Promise<Label[] | undefined> {
  try {
    const given = childrenByTags(memories)
    return given && (await childrenNamed(kernel, scope, source, given))
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** What the caller says of single memories. What is wrong is skipped, and goes by the words then. */
async function assignmentsSaid(
  kernel: Kernel,
  within: Within,
  { source, targets, memories }: { source: string; targets: Targets; memories: readonly Own[] },
  { assignments = [] }: SplitAsked,
) {
  const moved = new Set(memories.map(({ id }) => id))
  const said = new Map<string, Assignment>()
  const [skipped, ambiguous]: [string[], Ambiguous[]] = [[], []]
  for (const [index, { memory: ref, to, reason }] of assignments.entries()) {
    try {
      const memory = await memoryNamed(kernel, within, ref, 'memory')
      if (memory.project !== source) throw new Skipped(`"${memory.name}" is not in ${source}`)
      if (!targets.has(slugify(to))) {
        throw new Skipped(`${JSON.stringify(to)} is none of ${[...targets].join(', ')}`)
      }
      if (!moved.has(memory.id)) {
        const rest = `the ${MOST_MOVED} memories that were changed last are moved first`
        throw new Skipped(`"${memory.name}" stays in ${source}: ${rest}; say it again next time`)
      }
      said.set(memory.id, { id: memory.id, to: slugify(to), rationale: reason?.trim() ?? '' })
    } catch (error) {
      if (error instanceof Unclear) ambiguous.push(error.ambiguous)
      else if (!(error instanceof Skipped)) throw error
      skipped.push(`assignments[${index}]: ${error.message}`)
    }
  }
  return { assignments: [...said.values()], skipped, ambiguous }
}

/** Every memory with its place. What is left over makes a shared project where none was named. */
async function placeAll(
  kernel: Kernel,
  scope: Scope,
  source: string,
  memories: readonly Own[],
  { assignments, children, shared }: Parts,
) {
  const byId = new Map(assignments.map((assignment) => [assignment.id, assignment]))
  const some = memories.some(({ id }) => !byId.has(id))
  const rest =
    shared || !some
      ? { to: shared?.slug, shared }
      : await sharedAnyway(kernel, scope, source, children)
  const moves = memories.map((memory) => {
    const { to, rationale } = byId.get(memory.id) ?? {
      to: rest.to!,
      rationale: 'nothing in it names a single one of the children',
    }
    return { memory, to, rationale }
  })
  return { shared: rest.shared, moves }
}

const setupOf = (
  asking: Asking,
  source: string,
  children: Label[],
  shared: Label | undefined,
  retire_source: boolean,
): Draft => ({
  ...common(asking),
  kind: 'split',
  key: keyOf(source),
  projects: [source, ...[...children, ...(shared ? [shared] : [])].map(({ slug }) => slug)],
  items: [],
  payload: {
    ...{ source_project: source, children, shared: shared ?? {}, retire_source },
    family: shared?.slug ?? slugify(`${source}-split`),
    plan: asking.plan!,
    ...saying(asking),
  },
})
