/** What a proposal would do, in the words and texts of what lies there now. */
import type { Card, ItemNow, Proposal } from '../../gardener/gardener.ts'
import { wireProject } from '../../projects/projects.ts'
import { diffLines } from '../diff.ts'

export type Bodies = ReadonlyMap<string, string>

/** As much of a text as a list or a program is shown, in characters. */
const PREVIEW = 600

/** The part of a proposal that only its kind has. */
export function effectShown({ proposal }: Card, bodies: Bodies) {
  const bodyOf = (id: string) => bodies.get(id) ?? ''
  switch (proposal.kind) {
    case 'merge': {
      const { keep, drop, score } = proposal.payload
      const percent = score === undefined ? undefined : Math.round(score * 100)
      return {
        ...{ keep, drop, score, score_percent: percent },
        diff: diffLines(bodyOf(drop.id), bodyOf(keep.id)),
      }
    }
    case 'archive': {
      const { id, name, project, kind, description, reason, last_activity } = proposal.payload
      const archive = { id, name, project, kind, description }
      return { archive, reason, last_activity: last_activity && new Date(last_activity) }
    }
    case 'digest': {
      const { project, month, session_count, title, body, model } = proposal.payload
      return { project, month, session_count, title, preview: cut(body), body, model }
    }
    case 'consolidate': {
      const { name, kind, description, body, sources, model, author, project } = proposal.payload
      return {
        ...{ new_name: name, new_kind: kind, new_desc: description, project, model, author },
        preview: cut(body),
        body,
        sources: sources.map((source) => ({ ...source, diff: diffLines(bodyOf(source.id), body) })),
      }
    }
    case 'reproject': {
      const { id, name, from, to, rationale } = proposal.payload
      return { reproject: { id, name, from, to, rationale } }
    }
    case 'rekind': {
      const { id, name, project, from, to, rationale } = proposal.payload
      return { rekind: { id, name, project, from, to, rationale } }
    }
    case 'split': {
      const { source_project, children, shared, family, retire_source } = proposal.payload
      const common = 'slug' in shared ? shared : undefined
      return { split: { source: source_project, children, shared: common, family, retire_source } }
    }
    case 'abandon_plan': {
      const { id, slug, title, project, plan_status, reason, last_activity } = proposal.payload
      const abandon = { id, slug, title, project, plan_status, reason }
      return { abandon: { ...abandon, last_activity: new Date(last_activity) } }
    }
    case 'memory_wanted': {
      const { project, queries, miss_count, session_count, last_missed_at, suggested_title } =
        proposal.payload
      return {
        memory_wanted: {
          ...{ project, queries, miss_count, session_count, suggested_title },
          last_missed_at: new Date(last_missed_at),
        },
      }
    }
    case 'tool_error': {
      const { project, surface, name, signature, examples, error_count, session_count } =
        proposal.payload
      const { last_seen_at, suggested_title, example_args = [] } = proposal.payload
      return {
        tool_error: {
          ...{ project, surface, name, signature, examples, error_count, session_count },
          ...{ last_seen_at: new Date(last_seen_at), suggested_title, example_args },
        },
      }
    }
  }
}

const cut = (text: string): string => [...text].slice(0, PREVIEW).join('')

/** What it is called in a list. */
export function titleOf(proposal: Proposal): string {
  switch (proposal.kind) {
    case 'merge':
      return `${proposal.payload.drop.name} into ${proposal.payload.keep.name}`
    case 'archive':
      return proposal.payload.name
    case 'digest':
      return proposal.payload.title
    case 'consolidate':
      return `${proposal.payload.sources.length} memories into ${proposal.payload.name}`
    case 'reproject':
      return `${proposal.payload.name} to ${wireProject(proposal.payload.to)}`
    case 'rekind':
      return `${proposal.payload.name} to ${proposal.payload.to}`
    case 'split':
      return `${proposal.payload.source_project} into ${proposal.payload.children.map(({ slug }) => slug).join(', ')}`
    case 'abandon_plan':
      return proposal.payload.title
    case 'memory_wanted':
    case 'tool_error':
      return proposal.payload.suggested_title
  }
}

/** Where it holds: the first project that it touches; null where it touches none. */
export const projectOf = ({ projects }: Proposal): string | null => projects[0] ?? null

/** Why it would be refused now; undefined: nothing that it says has changed since. */
export function staleOf({ proposal, items, fenced }: Card): string | undefined {
  if (fenced) return 'It touches a project that is fenced by now.'
  const now = new Map(items.map((item) => [item.id, item]))
  for (const { id, name, project, kind } of saidOf(proposal)) {
    const item = now.get(id)
    const why = item ? changeOf(item, project, kind) : 'is gone'
    if (why) return `${name} ${why}.`
  }
  return undefined
}

function changeOf(item: ItemNow, project: string | undefined, kind: string | undefined) {
  if (!item.active) return 'is no longer believed'
  if (project !== undefined && item.project !== project) {
    return `lies in ${wireProject(item.project)} by now`
  }
  if (kind !== undefined && item.kind !== kind) return `is a ${item.kind} by now`
  return undefined
}

interface Said {
  id: string
  name: string
  project?: string
  kind?: string
}

/** What a proposal says of its items: what it was made of, where that lay, and of which kind it was. */
function saidOf(proposal: Proposal): Said[] {
  switch (proposal.kind) {
    case 'merge':
      return [proposal.payload.keep, proposal.payload.drop].map(({ id, name }) => ({ id, name }))
    case 'archive':
      return [{ id: proposal.payload.id, name: proposal.payload.name }]
    case 'consolidate':
      return proposal.payload.sources.map(({ id, name }) => ({ id, name }))
    case 'reproject': {
      const { id, name, from } = proposal.payload
      return [{ id, name, project: from }]
    }
    case 'rekind': {
      const { id, name, from } = proposal.payload
      return [{ id, name, kind: from }]
    }
    case 'abandon_plan':
      return [{ id: proposal.payload.id, name: proposal.payload.title }]
    default:
      return []
  }
}
