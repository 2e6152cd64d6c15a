import { resolve } from 'node:path'
import Type from 'typebox'
import { line } from '../../kernel/schema/bounds.ts'
import { defineCommand } from '../command.ts'

export const exportCommand = defineCommand({
  name: 'export',
  summary: 'write the whole store into an empty folder',
  for: 'operator',
  options: {
    '--to <folder>': { text: 'a folder that is empty or does not exist', required: true },
  },
  operation: {
    input: Type.Object({ to: line() }),
    async work(house, { to }) {
      const { exportStore } = await import('./transfer/export.ts')
      return exportStore(house, to)
    },
  },
  async run({ to: asked }, { cwd, operate, say }) {
    const to = resolve(cwd, asked)
    const { files, rows } = await operate({ to })
    say(`${files} files and ${rows} rows are in ${to}`)
  },
})
