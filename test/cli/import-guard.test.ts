import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { exportStore } from '../../src/cli/operator/transfer/export.ts'
import { importFrom } from '../../src/cli/operator/transfer/import.ts'
import { openFolder } from '../helpers/folder.ts'
import { openHouse, type House } from '../helpers/house.ts'

/** Put together here, so that no scanner takes this file for a leak. */
const TOKEN = `ghp_${'aB3d'.repeat(10)}`

async function put(path: string, text: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
  return path
}

const opened = (on_write: string): Promise<House> =>
  openHouse({ env: { LOAM_SECRETS_ON_WRITE: on_write } })

/** Everything that a later agent could be told. */
async function keptIn({ app }: House): Promise<string> {
  const { db } = app.database
  const tables = [
    'memories',
    'notes',
    'tasks',
    'sessions',
    'projects',
    'passages',
    'events',
  ] as const
  const rows = tables.map((table) => db.selectFrom(table).selectAll().execute())
  return JSON.stringify(await Promise.all(rows))
}

/** An export of a store that keeps credentials in everything. */
async function exported(folder: string): Promise<string> {
  await using house = await opened('off')
  const agent = await house.connect()
  await agent.call('project_create', { name: 'Vault', description: TOKEN, isolation: 'sealed' })
  await agent.call('session_start', { name: 'first', project: 'atlas' })
  await agent.call('memory_write', {
    name: 'plain',
    kind: 'gotcha',
    description: 'plain',
    body: 'plain',
  })
  await agent.call('notes_create', { title: 'Deploy', body: `with ${TOKEN}` })
  await agent.call('tasks_add', { title: `Rotate ${TOKEN}` })
  await agent.call('session_end', { findings: `deployed with ${TOKEN}`, mishaps: [TOKEN] })
  const to = join(folder, 'export')
  await exportStore(house.app, to)
  return to
}

describe('what looks like a credential in an import', () => {
  test('stays outside when the owner wants it refused, and closes no less', async () => {
    await using folder = await openFolder()
    const from = await exported(folder.path)
    await using house = await opened('refuse')
    const report = await importFrom(house.app, { from })
    expect(await keptIn(house)).not.toContain(TOKEN)
    expect(report.warnings.toSorted()).toEqual([
      expect.stringMatching(/^events: what looks like a credential was masked in \d rows$/),
      expect.stringMatching(
        /^notes\/atlas\/deploy\.md: this looks like a GitHub token, which is not/,
      ),
      expect.stringMatching(/^projects\/vault\.yaml: what looks like a credential was masked$/),
      expect.stringMatching(/^projects: .* in 1 rows$/),
      expect.stringMatching(/^sessions: .* in 1 rows$/),
      expect.stringMatching(/^tasks: .* in 1 rows$/),
    ])
    const agent = await house.connect()
    const read = { name: 'plain', project: 'atlas' }
    expect(await agent.call('memory_read', read)).toMatchObject({ body: 'plain' })
    await expect(agent.call('recall', { query: 'x', project: 'vault' })).rejects.toThrow('sealed')
  })

  test('comes in and is named when the owner is to be warned', async () => {
    await using folder = await openFolder()
    const from = await exported(folder.path)
    await using house = await opened('warn')
    const { warnings } = await importFrom(house.app, { from })
    expect(warnings).toContainEqual(expect.stringMatching(/^notes\/atlas\/deploy\.md: this looks/))
    expect(JSON.stringify(warnings)).not.toContain(TOKEN)
    expect(await keptIn(house)).toContain(`deployed with ${TOKEN}`)
  })

  test('leaves out the memories of another make that hold it', async () => {
    await using folder = await openFolder()
    const entity = (name: string, observation: string) =>
      JSON.stringify({ type: 'entity', name, entityType: 'service', observations: [observation] })
    const lines = [entity('Worker', `uses ${TOKEN}`), entity('Queue', 'drains')]
    const from = await put(join(folder.path, 'memory.jsonl'), lines.join('\n'))
    await using house = await opened('refuse')
    const report = await importFrom(house.app, { from, project: 'atlas' })
    expect(report.imported).toEqual({ memory: 1 })
    expect(report.warnings).toEqual([
      expect.stringMatching(/^Worker: this looks like a GitHub token/),
    ])
    expect(await keptIn(house)).not.toContain(TOKEN)
  })
})

test('a memory of another make without a letter in its name is called by its id, once', async () => {
  await using folder = await openFolder()
  const lines = ['***', '!!!'].map((name) =>
    JSON.stringify({ type: 'entity', name, entityType: '…', observations: [`seen as ${name}`] }),
  )
  const from = await put(join(folder.path, 'memory.jsonl'), lines.join('\n'))
  await using house = await openHouse()
  const bringIn = () => importFrom(house.app, { from, project: 'atlas' })
  expect(await bringIn()).toMatchObject({ imported: { memory: 2 }, warnings: [] })
  expect(await bringIn()).toMatchObject({ imported: {}, skipped: 2 })
  const rows = await house.app.database.db.selectFrom('memories').selectAll().execute()
  expect(rows.map(({ id }) => id.toLowerCase()).toSorted()).toEqual(
    rows.map(({ name }) => name).toSorted(),
  )
  expect(rows[0]!.tags).toEqual(['imported'])
})
