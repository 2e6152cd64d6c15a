import Type from 'typebox'
import { conflict } from '../../kernel/refusal.ts'
import { defineCommand } from '../command.ts'

const KINDS = ['memory', 'note', 'project'] as const

export const reindex = defineCommand({
  name: 'reindex',
  summary: 'rebuild everything that is derived from the files',
  for: 'operator',
  options: {
    '--forget-missing <kind>': {
      text: 'first forget every memory, note or project whose file is gone: it was deleted on purpose',
      choices: KINDS,
    },
  },
  operation: {
    input: Type.Object({ forgetMissing: Type.Optional(Type.Enum([...KINDS])) }),
    async work({ kernel, database }, { forgetMissing }) {
      const { forgetMissingFiles, reconcile } = await import('../../vault/reconcile.ts')
      return database.unhurried(async () => {
        const forgotten = forgetMissing ? await forgetMissingFiles(kernel, forgetMissing) : 0
        const report = await reconcile(kernel, { again: true })
        return { ...report, forgotten: report.forgotten + forgotten }
      })
    },
  },
  async run({ forgetMissing }, { operate, say }) {
    const report = await operate({ forgetMissing: KINDS.find((kind) => kind === forgetMissing) })
    say(
      `${report.seen} files read, ${report.indexed} indexed, ${report.forgotten} forgotten, ` +
        `${report.problems + report.failed} listed as problems`,
    )
    if (report.withheld > 0)
      throw conflict(
        `${report.withheld} files are gone at once, so nothing was forgotten: is the disk mounted, was a ` +
          'folder moved? If they were deleted on purpose, run "loam reindex --forget-missing KIND" ' +
          `with the kind: ${KINDS.join(', ')}`,
      )
  },
})
