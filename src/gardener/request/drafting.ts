/** What each operation of a request would be as a proposal. */
import { readReference } from '../../documents/documents.ts'
import { newId } from '../../kernel/id.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { memoryName, saidBy } from '../../memories/memories.ts'
import { wireProject } from '../../projects/projects.ts'
import { draftDigest } from '../passes/digest.ts'
import type { Brief } from '../payloads.ts'
import type { Draft } from '../store.ts'
import { bodies } from './consolidation.ts'
import type { Within } from './meant.ts'
import type { Operation } from './operations.ts'
import { kindNamed, memoryNamed, projectNamed, Skipped } from './resolve.ts'

/** Who asks, where, and what is said of it in each proposal. */
export interface Asking {
  kernel: Kernel
  within: Within
  request: string
  /** The batch in which all are decided. */
  plan?: string
  /** The chat model that made operations of the words; absent: rules or the caller did. */
  model?: string
  /** Rules made them. */
  mechanical?: boolean
}

type Make = (asking: Asking, operation: Operation) => Promise<Draft>

const merge: Make = async (asking, { keep: asked, drop: given, reason }) => {
  const keep = await named(asking, asked, 'keep')
  const drop = await named(asking, given, 'drop')
  if (keep.id === drop.id) throw new Skipped(`keep and drop are the same memory, "${keep.name}"`)
  return {
    ...common(asking),
    kind: 'merge',
    key: `merge:${[keep.id, drop.id].sort().join('|')}`,
    projects: [...new Set([keep.project, drop.project])],
    items: [keep.id, drop.id],
    payload: { keep, drop, ...because(reason), ...saying(asking) },
  }
}

const archive: Make = async (asking, { target, reason }) => {
  const memory = await named(asking, target, 'target')
  return {
    ...common(asking),
    kind: 'archive',
    key: `archive:${memory.id}`,
    projects: [memory.project],
    items: [memory.id],
    payload: { ...memory, reason: reason?.trim() || 'requested', ...saying(asking) },
  }
}

const consolidate: Make = async (
  asking,
  { name: called, kind, description, body, sources = [] },
) => {
  if (!called?.trim()) throw new Skipped('name is missing: what the new memory is called')
  if (!body?.trim()) throw new Skipped('body is missing: what the new memory says')
  if (sources.length < 2) throw new Skipped('sources must be two memories or more')
  const memories = []
  for (const source of sources) memories.push(await named(asking, source, 'sources'))
  const ids = [...new Set(memories.map(({ id }) => id))]
  if (ids.length < 2) throw new Skipped('sources are all the same memory')
  const { project } = memories[0]!
  const name = await nameOfNew(asking, project, called)
  const said = await bodies(asking.kernel.db, asking.within.scope, { ids })
  const saidOf = new Map(said.map((source) => [source.id, saidBy(source)]))
  const { model = '', mechanical = false } = asking
  return {
    ...common(asking),
    kind: 'consolidate',
    key: `consolidate:${ids.toSorted().join('|')}`,
    projects: [...new Set(memories.map(({ project }) => project))],
    items: ids,
    payload: {
      id: newId(asking.kernel.clock.now()),
      ...{ name, project, body, model },
      kind: kind === undefined ? kindOf(memories) : kindNamed(kind, 'kind'),
      description: description?.trim() || memories[0]!.description,
      sources: memories.map(({ id, name, project }) => {
        const said = saidOf.get(id)
        return { id, name, project, ...(said !== undefined && { said }) }
      }),
      author: model ? 'model' : mechanical ? 'mechanical' : 'caller',
      ...saying(asking),
    },
  }
}

/** A new memory may be called as Loam prints it, `project/name`; it lies where its first source does. */
async function nameOfNew({ kernel, within }: Asking, project: string, called: string) {
  const reference = await readReference(kernel.db, within.scope.caller, called)
  if (!reference?.readable) return memoryName(called)
  if (reference.project === project) return memoryName(reference.name)
  throw new Skipped(
    `${JSON.stringify(called)} would be in ${wireProject(reference.project)}, and the new memory is in ` +
      `${wireProject(project)}, where its first source is: choose a name without a slash, and move it then`,
  )
}

/** The kind that all have; a reference when they differ. */
const kindOf = (memories: readonly Brief[]) =>
  memories.every(({ kind }) => kind === memories[0]!.kind) ? memories[0]!.kind : 'reference'

const reproject: Make = async (asking, { target, to: asked, reason }) => {
  const { id, name, project: from } = await named(asking, target, 'target')
  const to = await projectNamed(asking.kernel, asking.within, asked)
  if (to === from) throw new Skipped(`"${name}" is in ${wireProject(to)} already`)
  return movingTo(asking, { id, name, from, to }, reason)
}

/** The move of one memory, as a request or a split asks for it. */
export function movingTo(
  asking: Asking,
  move: { id: string; name: string; from: string; to: string },
  reason?: string,
): Extract<Draft, { kind: 'reproject' }> {
  const { plan = '', request } = asking
  return {
    ...common(asking),
    kind: 'reproject',
    key: `reproject:${move.id}:${move.to}`,
    projects: [move.from, move.to],
    items: [move.id],
    payload: {
      ...move,
      rationale: reason?.trim() || request,
      ...(plan && { plan }),
      ...saying(asking),
    },
  }
}

const rekind: Make = async (asking, { target, to: asked, reason }) => {
  const { id, name, project, kind: from } = await named(asking, target, 'target')
  const to = kindNamed(asked)
  if (to === from) throw new Skipped(`"${name}" is a ${to} already`)
  return {
    ...common(asking),
    kind: 'rekind',
    key: `rekind:${id}:${to}`,
    projects: [project],
    items: [id],
    payload: {
      ...{ id, name, project, from, to },
      rationale: reason?.trim() || asking.request,
      ...saying(asking),
    },
  }
}

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/

/** `to` is the project and `reason` may be a month. */
const digest: Make = async (asking, { to, reason }) => {
  const project = await projectNamed(asking.kernel, asking.within, to)
  const month = reason !== undefined && MONTH.test(reason.trim()) ? reason.trim() : undefined
  const draft = await draftDigest(asking.kernel, asking.within.scope, project, month, {
    request_text: asking.request,
  })
  if (draft) return { ...draft, ...(asking.plan && { plan: asking.plan }) }
  throw new Skipped(
    `fewer than two sessions of ${wireProject(project)} ended with findings ${month ? `in ${month}` : 'lately'}`,
  )
}

/** By the name of the operation. */
export const DRAFTS: Record<Operation['op'], Make> = {
  ...{ merge, archive, consolidate, reproject, rekind, digest },
}

const named = ({ kernel, within }: Asking, ref: string | undefined, field: string) =>
  memoryNamed(kernel, within, ref, field)

/** That somebody asks again is new evidence. */
export const common = ({ kernel, plan = '' }: Asking) => ({
  ...{ id: newId(kernel.clock.now()), evidence_at: null },
  ...(plan && { plan }),
})

export const saying = ({ request }: Asking) => ({
  source: 'request' as const,
  request_text: request,
})

const because = (reason: string | undefined) => (reason?.trim() ? { reason: reason.trim() } : {})
