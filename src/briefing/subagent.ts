/** The briefing of a subagent: the rules, and what its own task is about. */
import type { Kernel } from '../kernel/kernel.ts'
import type { Place } from '../projects/projects.ts'
import { hardCap, inheriting, readConstraints, readSetting } from './material.ts'
import { newMatches, shown, type Told } from './prompt.ts'
import * as sections from './sections.ts'
import { openingOf } from './session.ts'
import { openBrief, SILENCE } from './brief.ts'
import type { Hearer } from './ledger.ts'

interface Asked {
  project: Place
  /** The task of the subagent. */
  prompt?: string | undefined
  hearer?: Hearer | undefined
}

/** '' where there is neither a constraint nor a memory that matches: a subagent can ask for itself. */
export async function subagentBriefing(
  kernel: Kernel,
  { project: place, prompt = '', hearer }: Asked,
): Promise<Told> {
  const setting = await readSetting(kernel, place)
  const { project, options } = setting
  const [constraints, { hits: relevant, saved }] = await Promise.all([
    readConstraints(kernel, setting),
    newMatches(kernel.db, inheriting(setting), prompt, { hearer, without: 'constraint' }),
  ])
  if (constraints.length === 0 && relevant.length === 0) return { ...SILENCE, saved }

  const brief = openBrief(4 * kernel.config.budgets.max_briefing_tokens)
  const count = sections.counted([[constraints[0]?.of ?? 0, 'constraint']])
  brief.write(
    `# Loam briefing for a subagent in ${sections.label(project)}${count && `: ${count}`}`,
  )
  for (const line of openingOf(setting)) brief.write(line)
  sections.constraints(brief, constraints, options.constraint_max_full, project)
  if (relevant.length > 0) brief.write('## Relevant to this task')
  for (const hit of relevant) {
    brief.write(brief.entry(sections.memoryLine(hit, project)), shown(hit))
  }
  brief.close('recall searches what else is known; memory_read opens a memory by its name.')
  return { ...brief.finish('loam-briefing', hardCap(kernel, options)), saved }
}
