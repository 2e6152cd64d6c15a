import Type from 'typebox'
import { line } from '../../kernel/schema/bounds.ts'
import { defineCommand } from '../command.ts'

export const dbCopy = defineCommand({
  name: 'db copy',
  summary: 'copy the whole database into an empty PostgreSQL server database',
  for: 'operator',
  options: {
    '--to <url>': { text: 'postgres://… of the database to fill', required: true },
  },
  operation: {
    input: Type.Object({ to: line() }),
    async work({ kernel, database }, { to }) {
      const { copyTo } = await import('./transfer/copy.ts')
      return database.unhurried(() => copyTo(kernel.db, to, kernel.log))
    },
  },
  async run({ to }, { operate, say }) {
    const { assertTarget } = await import('./transfer/target.ts')
    assertTarget(to)
    const { rows, tables } = await operate({ to })
    say(
      `${rows} rows of ${tables} tables are copied and counted. The source is unchanged. To use the ` +
        'copy, stop the service and start it with LOAM_DATABASE_URL, on the same data directory. Then move ' +
        'the db/ in it aside, if there is one: a start or a command without that address would go on with it.',
    )
  },
})
