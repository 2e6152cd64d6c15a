import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import Type from 'typebox'
import { line, list, name } from '../../kernel/schema/bounds.ts'
import { invalid } from '../../kernel/refusal.ts'
import { leftWords } from './transfer/report.ts'
import { defineCommand } from '../command.ts'

export const importCommand = defineCommand({
  name: 'import',
  summary: 'bring in an export, a store of markdown files, or memories of another make',
  for: 'operator',
  makes: true,
  options: {
    '--from <path>': { text: 'the folder or file; nothing in it is changed', required: true },
    '--project <slug>': 'where memories go that name no project',
    '--lenient': 'take what can be taken of a knowledge graph, and leave the lines that cannot',
    '--skip <slugs>': 'projects to leave out, comma-separated',
  },
  operation: {
    input: Type.Object({
      from: line(),
      project: Type.Optional(name()),
      skip: Type.Optional(list(name())),
      lenient: Type.Optional(Type.Boolean()),
    }),
    async work(house, input) {
      const { importFrom } = await import('./transfer/import.ts')
      return importFrom(house, input)
    },
  },
  async run({ from: asked, project, skip, lenient }, { cwd, operate, say, complain }) {
    const from = resolve(cwd, asked)
    // Before a store is made for it.
    await access(from).catch(() => {
      throw invalid(`import: there is nothing to read at ${from}`)
    })
    const report = await operate({
      from,
      project,
      skip: skip ? skip.split(',') : undefined,
      lenient,
    })
    for (const left of report.left) complain(`left out: ${leftWords(left)}`)
    for (const warning of report.warnings) complain(`warning: ${warning}`)
    const counts = Object.entries(report.imported).map(([what, count]) => `${count} ${what}`)
    say(`imported: ${counts.join(', ') || 'nothing'}; skipped: ${report.skipped}`)
  },
})
