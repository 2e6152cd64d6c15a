/** An export of which something cannot be read, or that cannot be written. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openOperated } from '../helpers/operator.ts'
import { freshId, healthy } from '../vault/damage.cases.ts'

describe('loam import of an export whose tasks', () => {
  test.each([
    ['cannot be read', (file: string) => mkdir(file), 'rows/tasks.jsonl cannot be read (EISDIR)'],
    ['are no rows', (file: string) => writeFile(file, '\nnull\n'), 'rows/tasks.jsonl:2 is no row'],
    ['are a list', (file: string) => writeFile(file, '[]\n'), 'rows/tasks.jsonl:1 is no row'],
    ['are cut', (file: string) => writeFile(file, '{"id"'), 'rows/tasks.jsonl:1 is not JSON'],
  ])('%s is refused whole, and says which', async (_, damage, words) => {
    await using operated = await openOperated()
    const { house, folder, loam } = operated
    const agent = await house.inside('atlas')
    await agent.call('tasks_add', { title: 'Mend the pump' })
    const to = join(folder, 'export')
    expect(await loam('export', '--to', to)).toMatchObject({ code: 0 })
    await rm(join(to, 'rows/tasks.jsonl'))
    await damage(join(to, 'rows/tasks.jsonl'))
    expect(await loam('import', '--from', to)).toEqual({
      code: 1,
      said: [],
      complained: `loam: import: ${words}; nothing was imported`,
    })
  })
})

test('loam export says why its folder cannot be made', async () => {
  await using operated = await openOperated()
  const { folder, loam } = operated
  const to = join(folder, 'loam.yaml/export')
  expect(await loam('export', '--to', to)).toEqual({
    code: 1,
    said: [],
    complained: `loam: ${to} cannot be made (ENOTDIR); the export is not complete`,
  })
})

test('loam import leaves a file that lies where the store does not look, and says where its place is', async () => {
  await using operated = await openOperated()
  const { house, folder, loam } = operated
  const from = join(folder, 'export')
  await mkdir(join(from, 'notes/atlas/deeper'), { recursive: true })
  for (const path of ['notes/atlas/deeper/low', 'notes/atlas/here', 'notes/high'])
    await writeFile(join(from, `${path}.md`), healthy(freshId()))
  expect(await loam('import', '--from', from)).toEqual({
    code: 0,
    said: ['imported: 1 notes; skipped: 0'],
    complained: [
      'warning: notes/atlas/deeper/low.md: it lies where no note is looked for; its place is notes/<project>/low.md',
      'warning: notes/high.md: it lies where no note is looked for; its place is notes/<project>/high.md',
    ].join('\n'),
  })
  const files = await house.app.kernel.db.selectFrom('files').select('path').execute()
  expect(files).toEqual([{ path: 'notes/atlas/here.md' }])
})
