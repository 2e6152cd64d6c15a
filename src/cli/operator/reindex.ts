import Type from 'typebox'
import { conflict } from '../../kernel/refusal.ts'
import { defineCommand } from '../command.ts'

export const reindex = defineCommand({
  name: 'reindex',
  summary: 'rebuild everything that is derived from the files',
  for: 'operator',
  operation: {
    input: Type.Object({}),
    async work({ kernel, database }) {
      const { reconcile } = await import('../../vault/reconcile.ts')
      return database.unhurried(() => reconcile(kernel, { again: true }))
    },
  },
  async run(_, { operate, say }) {
    const report = await operate({})
    say(
      `${report.seen} files read, ${report.indexed} indexed, ${report.forgotten} forgotten, ` +
        `${report.problems} listed as problems`,
    )
    if (report.withheld > 0)
      throw conflict(
        `${report.withheld} files are gone at once, so nothing was forgotten: is the disk mounted? If they were deleted on purpose, delete them in smaller numbers`,
      )
  },
})
