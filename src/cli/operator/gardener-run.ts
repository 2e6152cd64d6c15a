import Type from 'typebox'
import type { PassReport } from '../../gardener/run-store.ts'
import { defineCommand } from '../command.ts'

/** How long the gardener looks before it says how far it is, in milliseconds. */
const STEP_MS = 5_000

export const gardenerRun = defineCommand({
  name: 'gardener run',
  summary: 'look for clean-ups now and propose them; nothing else is changed',
  for: 'operator',
  options: {
    '--pass <name>': {
      text:
        'only this one: duplicates, staleness, stale-stage, dead-weight, digest, stale-plan, memory-wanted, ' +
        'tool-error',
    },
    '--json': { text: 'the report as JSON' },
  },
  operation: {
    input: Type.Object({ pass: Type.Optional(Type.String({ maxLength: 100 })) }),
    /** Without a pass it only tells which are on. */
    async work({ kernel }, { pass: only }): Promise<{ on: string[] } | { report: PassReport }> {
      const { passesOn, runGardener } = await import('../../gardener/gardener.ts')
      const { ownerScope } = await import('../../projects/projects.ts')
      if (only === undefined) return { on: passesOn(kernel) }
      const { passes } = await runGardener(kernel, ownerScope(), { only, ms: STEP_MS })
      return { report: passes[0]! }
    },
  },
  async run({ pass, json }, { operate, say, complain }) {
    const passes: PassReport[] = []
    for (const name of pass === undefined ? await namesOn(operate) : [pass]) {
      const report = await runPass(operate, name, complain)
      passes.push(report)
      if (!json) say(inWords(report))
    }
    if (json) say(JSON.stringify({ passes }))
    return passes.some(({ failed }) => failed !== undefined) ? 1 : 0
  },
})

type Operate = (input: { pass?: string }) => Promise<{ on: string[] } | { report: PassReport }>

async function namesOn(operate: Operate): Promise<string[]> {
  const answer = await operate({})
  return 'on' in answer ? answer.on : []
}

/** Step after step, until it has looked at everything or has proposed as much as a person reads. */
async function runPass(
  operate: Operate,
  pass: string,
  complain: (line: string) => void,
): Promise<PassReport> {
  let whole: PassReport = { pass, proposed: 0, held_back: 0, ms: 0 }
  for (;;) {
    const answer = await operate({ pass })
    if (!('report' in answer)) throw new Error('the operation did not run the pass')
    const { report } = answer
    const { left: _, ...before } = whole
    whole = {
      ...before,
      ...report,
      proposed: before.proposed + report.proposed,
      ms: before.ms + report.ms,
    }
    if (report.left === undefined || report.proposed > 0 || report.failed !== undefined) {
      return whole
    }
    complain(`${pass}: ${report.left} memories to look at`)
  }
}

function inWords({ pass, proposed, held_back, left = 0, failed }: PassReport): string {
  if (failed !== undefined) return `${pass} failed: ${failed}`
  const more = held_back > 0 ? `, ${held_back} more held back` : ''
  return `${pass}: ${proposed} proposed${more}${left > 0 ? `, ${left} memories left to look at` : ''}`
}
