/** What a subagent is told: the rules, and what its own task is about. */
import type { Kernel } from '../kernel/kernel.ts'
import type { Place } from '../projects/projects.ts'
import { hardCap, readConstraints, readSetting } from './material.ts'
import { KEPT, matches, shown } from './prompt.ts'
import * as sections from './sections.ts'
import { openingOf } from './session.ts'
import { openSheet, type Told } from './sheet.ts'

/** '' where there is no constraint: then a subagent has nothing to be told that it may not ask for. */
export async function subagentBriefing(
  kernel: Kernel,
  { project: place, prompt = '' }: { project: Place; prompt?: string | undefined },
): Promise<Told> {
  const setting = await readSetting(kernel, place)
  const { project, options, scope } = setting
  const constraints = await readConstraints(kernel, setting)
  const [first] = constraints
  if (!first) return { text: '', items: [] }
  const relevant = await matches(kernel.db, scope, prompt, { keep: KEPT, without: 'constraint' })

  const sheet = openSheet(4 * kernel.config.budgets.max_briefing_tokens)
  const count = sections.counted([[first.of, 'constraint']])
  sheet.write(`# Loam briefing for a subagent in ${sections.label(project)}: ${count}`)
  for (const line of openingOf(setting)) sheet.write(line)
  sections.constraints(sheet, constraints, options.constraint_max_full, project)
  if (relevant.length > 0) sheet.write('## Relevant to this task')
  for (const hit of relevant) {
    sheet.write(sheet.entry(sections.hitLine(hit, project)), shown(hit))
  }
  sheet.write('recall searches what else is known; memory_read opens a memory by its name.')
  return sheet.finish('loam-briefing', hardCap(kernel, options))
}
