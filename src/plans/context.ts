import { contextBlock } from '../text/context-block.ts'
import { oneLine } from '../text/text.ts'
import type { Captured } from './capture.ts'

/** A stored item about the subject of the plan. */
export interface Related {
  kind: string
  id: string
  name: string
  title: string
  description: string
  project?: string
}

/** What is known about the subject of a plan. */
export interface Known {
  hits: readonly Related[]
  /** Why the search by meaning did not run. */
  degraded?: string
}

/** Returns the context block for an agent whose plan was first captured or approved. */
export function planContext(captured: Captured, { hits, degraded }: Known = { hits: [] }): string {
  const { plan, slug, status, task } = captured
  const lines = [
    status === 'approved'
      ? `Your plan is approved and kept as the note ${slug}. Its plan slug is: ${plan}`
      : `Your plan is kept as the note ${slug}. Its plan slug is: ${plan}`,
    `Add steps with tasks_add plan=${plan} and notes with notes_create plan=${plan} (tag plan:${plan}). Do not invent a second slug.`,
    ...(task ? [`A task tracks it: ${task}. Claim it with tasks_claim before you begin.`] : []),
    ...(hits.length > 0 ? ['', 'What is known about it already:', ...hits.map(line)] : []),
    ...(degraded === undefined ? [] : ['', `Searched by words alone: ${oneLine(degraded, 200)}`]),
  ]
  return contextBlock('loam-plan-context', lines.join('\n'))
}

function line({ kind, id, name, title, description, project }: Related): string {
  const about = description === '' ? '' : ` - ${oneLine(description, 160)}`
  const where = project === undefined ? ' project=global' : ` project=${project}`
  const read = kind === 'memory' ? `memory_read name=${name}${where}` : `notes_read id=${id}`
  return `- ${oneLine(title, 80)}${about} (${read})`
}
