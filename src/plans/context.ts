import { fence } from '../text/context-block.ts'
import { oneLine } from '../text/text.ts'
import type { Captured } from './capture.ts'

/** Something the store knows that touches the plan. */
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
  /** Why meaning was not searched. */
  degraded?: string
}

/** What an agent is told when its plan was captured first or was approved, in a block of its own. */
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
  return fence('loam-plan-context', lines.join('\n'))
}

function line({ kind, id, name, title, description, project }: Related): string {
  const about = description === '' ? '' : ` - ${oneLine(description, 160)}`
  const where = project === undefined ? ' project=global' : ` project=${project}`
  const read = kind === 'memory' ? `memory_read name=${name}${where}` : `notes_read id=${id}`
  return `- ${oneLine(title, 80)}${about} (${read})`
}
