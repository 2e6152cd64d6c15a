import { resolve } from 'node:path'
import { invalid } from '../../kernel/refusal.ts'
import { defineCommand } from '../command.ts'
import { ONE_PLAN, slugOf } from './plan/asked.ts'
import { WHICH_PLAN } from './plan/words.ts'
import { ownerScope } from '../../projects/projects.ts'

export const planCheck = defineCommand({
  name: 'plan check',
  summary: 'say which notes of a plan name files that have changed since; fails when one does',
  for: 'operator',
  arguments: { '<plan>': 'its slug' },
  options: { ...WHICH_PLAN, '--cwd <folder>': 'in the repository it is about; default: here' },
  operation: {
    input: ONE_PLAN,
    /** The repository is where the command runs, so the notes' texts go there. */
    async work({ kernel }, { plan, project }) {
      const { readStamp, textsOfPlan } = await import('../../plans/plans.ts')
      const texts = await textsOfPlan(kernel, ownerScope(), plan, await slugOf(project))
      return texts.map(({ slug, body }) => ({ slug, body, stamped: readStamp(body)?.git }))
    },
  },
  async run({ plan, project, cwd: asked }, { cwd: here, operate, say }) {
    const cwd = asked ?? here
    const { freshnessOf, headOf } = await import('./plan/freshness.ts')
    const head = await headOf(resolve(here, cwd))
    if (head === undefined) throw invalid(`${cwd} is in no git repository with a commit`)
    const notes = await operate({ plan, project })
    let stale = false
    for (const { slug, ...note } of notes) {
      const [freshness, why] = await freshnessOf(resolve(here, cwd), head, note)
      say(`${freshness.padEnd(7)}  ${slug}: ${why}`)
      stale ||= freshness === 'STALE'
    }
    return stale ? 1 : 0
  },
})
