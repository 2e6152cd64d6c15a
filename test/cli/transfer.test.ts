import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { exportStore } from '../../src/cli/operator/transfer/export.ts'
import { importFrom } from '../../src/cli/operator/transfer/import.ts'
import { NOT_KEPT, ROWS } from '../../src/cli/operator/transfer/tables.ts'
import { undoProposal } from '../../src/gardener/gardener.ts'
import { NOBODY } from '../../src/kernel/actor.ts'
import { newId } from '../../src/kernel/id.ts'
import { indexQueued } from '../../src/passages/passages.ts'
import { reconcile } from '../../src/vault/reconcile.ts'
import { ownerOf } from '../console/owner.ts'
import { openFolder } from '../helpers/folder.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { research, tried } from '../helpers/research.ts'
import { sql } from 'kysely'

/** Every file below a folder, by its path: the hash of its bytes. */
async function digest(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const hashed = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name)
    const hash = createHash('sha256')
      .update(await readFile(path))
      .digest('hex')
    return [path.slice(folder.length + 1), hash] as const
  })
  return Object.fromEntries((await Promise.all(hashed)).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

async function put(folder: string, path: string, text: string): Promise<string> {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), text)
  return join(folder, path)
}

/** A store in which something of everything happened. */
async function lived(): Promise<House> {
  const house = await openHouse()
  const agent = await house.connect()
  const { session_id } = await agent.call('session_start', {
    project: 'orders',
    repo: 'git@example.org:acme/orders.git',
    repo_root: '/home/ana/orders',
  })
  expect(session_id).toBeTypeOf('string')
  await agent.call('project_create', { name: 'Vault', isolation: 'sealed' })
  await agent.call('memory_write', {
    name: 'utc',
    kind: 'constraint',
    description: 'Times are UTC',
    body: 'Set TZ=UTC. See [[deploy]].\r\n\r\nUmlaut ü, 🌊.',
    tags: ['time'],
  })
  await agent.call('memory_write', {
    name: 'utc-everywhere',
    kind: 'constraint',
    description: 'Times are UTC everywhere',
    body: 'Databases too.',
    supersedes: 'utc',
  })
  await agent.call('notes_create', {
    title: 'Queue study',
    body: '# Result\n\nit drains',
    plan: 'q',
  })
  await agent.call('memory_read', { name: 'utc' })
  await agent.call('recall', { query: 'UTC' })
  await research(house)
  await tried(agent, 'Two queues', { actual: 'the walrus queue drains too', metrics: { n: 2 } })
  await agent.call('session_end', { findings: 'The zebra queue drains first.', mishaps: ['utc'] })
  return house
}

describe('export and import', () => {
  test('an export that is imported into an empty store is exported as the same bytes', async () => {
    await using folder = await openFolder()
    const [first, second] = [join(folder.path, 'first'), join(folder.path, 'second')]
    {
      await using house = await lived()
      const { files, rows } = await exportStore(house.app, first)
      expect(files).toBeGreaterThanOrEqual(4)
      expect(rows).toBeGreaterThan(8)
    }
    await using empty = await openHouse()
    const report = await importFrom(empty.app, { from: first })
    expect(report).toMatchObject({ skipped: 0, warnings: [], imported: { memory: 2, notes: 1 } })
    await exportStore(empty.app, second)
    expect(await digest(second)).toEqual(await digest(first))
  })

  test('what was made by hand, without times in its head, comes in with those of its file', async () => {
    await using folder = await openFolder()
    const path = join(folder.path, 'first')
    const made = new Date(1_700_000_000_000)
    const [note, memory] = [newId(made), newId(new Date())]
    {
      await using house = await openHouse()
      const files = [
        ['notes/harbor/tide.md', `---\nid: ${note}\ntitle: Tide\nchart: 7\n---\nIt ebbs.\n`],
        ['memory/harbor/moor.md', `---\nid: ${memory}\nkind: gotcha\n---\nMoor twice.\n`],
      ] as const
      for (const [at, text] of files) await utimes(await put(house.dir, at, text), made, made)
      await reconcile(house.app.kernel)
      await exportStore(house.app, path)
    }
    await using empty = await openHouse()
    const report = await importFrom(empty.app, { from: path })
    expect(report).toMatchObject({ warnings: [], imported: { memory: 1, notes: 1 } })
    const agent = await empty.connect()
    for (const [tool, id] of [
      ['notes_read', note],
      ['memory_read', memory],
    ] as const) {
      const { created, updated } = await agent.call(tool, { id })
      expect([created, updated]).toEqual([made.toISOString(), made.toISOString()])
    }
    expect(await readFile(join(empty.dir, 'notes/harbor/tide.md'), 'utf8')).toContain('chart: 7\n')
  })

  test('what was imported is found, and again imported changes nothing', async () => {
    await using folder = await openFolder()
    const path = join(folder.path, 'first')
    {
      await using house = await lived()
      await exportStore(house.app, path)
    }
    await using empty = await openHouse()
    await importFrom(empty.app, { from: path })
    while ((await indexQueued(empty.app.kernel)) > 0);
    const agent = await empty.connect()
    const { hits } = (await agent.call('recall', { query: 'zebra queue', project: 'orders' })) as {
      hits: { kind: string }[]
    }
    expect(hits.map(({ kind }) => kind)).toContain('session')
    // Its switch came with it, and what was counted.
    expect(
      (await agent.call('recall', { query: 'walrus', project: 'orders' }))['hits'],
    ).toMatchObject([{ kind: 'trial', title: 'Two queues' }])
    const { eventsByKind } = await agent.call('usage_summary')
    expect(eventsByKind).toMatchObject({ 'trial.recorded': 1, 'memory.written': 2 })
    const again = await importFrom(empty.app, { from: path })
    expect(again.imported).toEqual({})
    expect(again.warnings).toEqual([])
  })

  test('the sessions that came in are counted, with their tokens', async () => {
    await using folder = await openFolder()
    const path = join(folder.path, 'export')
    const counted = async (house: House) => {
      const { body } = await ownerOf(house).json('/console/projects?group=flat&w=all')
      const { sessions, tokensTotal } = body as { sessions: number; tokensTotal: number }
      return { sessions, tokensTotal }
    }
    {
      await using house = await openHouse()
      const agent = await house.inside('atlas')
      const tokens = { input: 100, cached: 20, cache_creation: 3, output: 4 }
      await agent.call('session_end', { findings: 'Found.', tokens })
      await exportStore(house.app, path)
    }
    await using empty = await openHouse()
    await importFrom(empty.app, { from: path })
    expect(await counted(empty)).toEqual({ sessions: 1, tokensTotal: 127 })
  })

  test('a project that is left out leaves nothing behind, and others what they have of their own', async () => {
    await using folder = await openFolder()
    const path = join(folder.path, 'export')
    {
      await using house = await openHouse()
      for (const project of ['atlas', 'vault']) {
        const agent = await house.inside(project)
        await agent.call('memory_write', {
          ...{ name: project, kind: 'gotcha', description: 'A fact', body: `Of ${project}.` },
        })
        await agent.call('memory_read', { name: project })
        const { id } = await agent.call('tasks_add', { title: `Of ${project}` })
        await agent.call('tasks_add', { title: `More of ${project}`, depends_on: [id] })
        if (project === 'vault') {
          await agent.call('memory_write', {
            ...{
              name: 'beside',
              kind: 'gotcha',
              description: 'A fact',
              body: 'Written from there.',
            },
            project: 'atlas',
          })
        }
        await agent.call('session_end', { findings: `Found in ${project}.` })
      }
      await exportStore(house.app, path)
    }
    await using empty = await openHouse()
    const report = await importFrom(empty.app, { from: path, skip: ['vault'] })
    expect(report).toMatchObject({ warnings: [], imported: { memory: 2, tasks: 2, sessions: 1 } })
    await exportStore(empty.app, join(folder.path, 'again'))
    const rows = join(folder.path, 'again', 'rows')
    for (const file of await readdir(rows)) {
      const text = await readFile(join(rows, file), 'utf8')
      for (const line of text.split('\n')) expect(line, file).not.toMatch(/vault/i)
    }
    expect(await readFile(join(rows, 'events.jsonl'), 'utf8')).toContain('"name": "beside"')
    expect(await readFile(join(rows, 'task_deps.jsonl'), 'utf8')).not.toBe('')
  })

  test('what was applied is taken back byte for byte in the store that it came into', async () => {
    await using folder = await openFolder()
    const path = join(folder.path, 'first')
    const utc = (house: House) => readFile(join(house.dir, 'memory/orders/utc-everywhere.md'))
    let before: Buffer
    let id: string
    {
      await using house = await lived()
      before = await utc(house)
      const agent = await house.connect()
      await agent.call('session_start', { project: 'orders' })
      const { created } = await agent.call('gardener_request', {
        request: 'tidy up',
        operations: [{ op: 'archive', target: 'utc-everywhere', reason: 'said elsewhere' }],
      })
      id = (created as string[])[0]!
      await agent.call('gardener_apply', { id })
      await exportStore(house.app, path)
    }
    await using other = await openHouse()
    await importFrom(other.app, { from: path })
    expect(await utc(other)).not.toEqual(before)
    await undoProposal(other.app.kernel, NOBODY, id)
    expect(await utc(other)).toEqual(before)
  })

  test('trials that come in are seen, unless the owner has chosen otherwise', async () => {
    await using folder = await openFolder()
    const path = join(folder.path, 'first')
    {
      await using house = await lived()
      await sql`delete from settings`.execute(house.app.database.db)
      await exportStore(house.app, path)
    }
    for (const chosen of [undefined, false]) {
      await using empty = await openHouse()
      if (chosen !== undefined) await research(empty, chosen)
      await importFrom(empty.app, { from: path })
      const names = (await (await empty.connect()).tools()).map(({ name }) => name)
      expect(names.includes('trial_query')).toBe(chosen ?? true)
    }
  })

  test('a fenced project comes in as closed as it was', async () => {
    await using folder = await openFolder()
    const path = join(folder.path, 'first')
    {
      await using house = await lived()
      await exportStore(house.app, path)
    }
    await using empty = await openHouse()
    await importFrom(empty.app, { from: path })
    const agent = await empty.connect()
    await expect(agent.call('recall', { query: 'x', project: 'vault' })).rejects.toThrow('sealed')
  })

  test('refuses a folder that is not empty, and a source that is not there', async () => {
    await using folder = await openFolder()
    await using house = await openHouse()
    await writeFile(join(folder.path, 'here'), '')
    await expect(exportStore(house.app, folder.path)).rejects.toThrow('is not empty')
    await expect(importFrom(house.app, { from: join(folder.path, 'gone') })).rejects.toThrow(
      'there is nothing at',
    )
    await expect(importFrom(house.app, { from: 'relative' })).rejects.toThrow('a whole path')
  })

  test('a row that cannot be stored stops it before anything is imported', async () => {
    await using folder = await openFolder()
    await using house = await openHouse()
    await mkdir(join(folder.path, 'rows'))
    const row = { id: '01K9ZC4T7Q8V2M5N6P3R1S0WXY', slug: 'a', name: 'a', isolation: 'ajar' }
    const write = (text: string) => writeFile(join(folder.path, 'rows/projects.jsonl'), text)
    for (const [text, message] of [
      [`${JSON.stringify(row)}\n`, 'a row of projects holds a value that cannot be stored'],
      [
        `${JSON.stringify({ ...row, isolation: 'open', odd: 1 })}\n`,
        'does not know the column "odd"',
      ],
      ['{"torn"\n', 'rows/projects.jsonl:1 is not JSON'],
    ] as const) {
      await write(text)
      await expect(importFrom(house.app, { from: folder.path })).rejects.toThrow(message)
    }
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from projects`.execute(
      house.app.database.db,
    )
    expect(rows).toEqual([{ n: 0 }])
  })

  test('every table is either kept or known to follow from something else', async () => {
    await using house = await openHouse()
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      order by 1`.execute(house.app.database.db)
    expect(rows.map(({ name }) => name)).toEqual([...ROWS, ...NOT_KEPT].toSorted())
  })
})

describe('import from elsewhere', () => {
  const MEMORY = [
    '---',
    'id: 01K9ZC4T7Q8V2M5N6P3R1S0WXY',
    'kind: gotcha',
    'name: csv-last-row',
    'description: The last row is lost without a newline',
    'project: harbor',
    'created: 2025-11-02T09:14:07Z',
    'updated: 2025-11-20T16:40:31Z',
    'valid_from: 2025-11-02T09:14:07Z',
    'invalid_at: null',
    'superseded_by: null',
    'source_session: cc/7c1f09ab-55d0e1b2c3a49f60',
    'reviewed_by: ana',
    '---',
    'Write one.',
    '',
  ].join('\n')

  async function legacyStore(folder: string): Promise<void> {
    await mkdir(join(folder, 'memory/harbor'), { recursive: true })
    await mkdir(join(folder, 'notes/_global'), { recursive: true })
    await writeFile(join(folder, 'memory/harbor/csv-last-row.md'), MEMORY)
    await writeFile(join(folder, 'memory/harbor/torn.md'), '---\nid: [\n---\n')
    await writeFile(
      join(folder, 'notes/_global/study.md'),
      '---\nid: 01KB70A2M4Y8QK6S1F3WZ9E5NT\ntitle: Study\ncreated: 2025-11-18T08:00:12Z\nupdated: 2025-11-18T08:00:12Z\n---\nit drains\n',
    )
    const database = new DatabaseSync(join(folder, 'store.db'))
    const time = '2025-11-18T08:00:12.123456789Z'
    database.exec(`
      create table projects (id text, slug text, name text, description text, parent_slug text,
        retired_at text, favorite int, isolation text, created_at text, updated_at text);
      insert into projects values ('01KB70A2M4Y8QK6S1F3WZ9E5P0', 'harbor', 'Harbor', 'ships', 'gone',
        null, 1, 'open', '${time}', '${time}');
      create table sessions (id text, name text, project_slug text, status text, findings text,
        created_at text, updated_at text);
      insert into sessions values ('01KB70A2M4Y8QK6S1F3WZ9E5P1', 'sess/one', 'harbor', 'active',
        'Cranes first', '${time}', '${time}');
      create table tasks (id text, project_slug text, title text, body text, status text,
        created_by text, plan_slug text, created_at text, updated_at text);
      insert into tasks values ('01KB70A2M4Y8QK6S1F3WZ9E5P2', 'harbor', 'Paint', '', 'in_progress',
        '', '', '${time}', '${time}');
      insert into tasks values ('01KB70A2M4Y8QK6S1F3WZ9E5P3', 'harbor', 'Varnish', '', 'open',
        '', '', '${time}', '${time}');
      create table trials (id text, lab text, title text, changes text, expected text, actual text,
        outcome text, metrics text, session_id text, project_slug text, favorite int, created_at text);
      insert into trials values ('01KB70A2M4Y8QK6S1F3WZ9E5P3', 'cranes', 'Two cranes', null, '', 'slower',
        'fail', '{"hours": 3}', '', 'harbor', 1, '${time}');
      insert into trials values ('01KB70A2M4Y8QK6S1F3WZ9E5P4', 'cranes', 'One', '', '', '', '', '[torn',
        '', 'harbor', 0, '${time}');
      create table task_deps (task_id text, depends_on text);
      insert into task_deps values ('01KB70A2M4Y8QK6S1F3WZ9E5P2', 'unknown');
      insert into task_deps values ('01KB70A2M4Y8QK6S1F3WZ9E5P3', '01KB70A2M4Y8QK6S1F3WZ9E5P2');`)
    database.close()
  }

  test('a store of markdown files and an SQLite database: files byte for byte, rows in our terms', async () => {
    await using folder = await openFolder()
    await legacyStore(folder.path)
    const before = await digest(folder.path)
    await using house = await openHouse()
    const report = await importFrom(house.app, { from: folder.path })

    expect(report.imported).toEqual({
      databases: 1,
      projects: 1,
      sessions: 1,
      tasks: 2,
      task_deps: 1,
      trials: 2,
      memory: 1,
      notes: 1,
    })
    expect(report.warnings).toEqual([expect.stringMatching(/^memory\/harbor\/torn\.md: /)])
    expect(await readFile(join(house.dir, 'memory/harbor/csv-last-row.md'), 'utf8')).toBe(MEMORY)
    const agent = await house.connect()
    expect(
      await agent.call('memory_read', { name: 'csv-last-row', project: 'harbor' }),
    ).toMatchObject({ id: '01K9ZC4T7Q8V2M5N6P3R1S0WXY', kind: 'gotcha' })
    const { rows } = await sql<object>`
      select status, (select status from tasks where not blocked) as task,
        (select title from tasks where blocked) as waiting, (select count(*)::int from task_deps) as deps,
        (select parent_slug from projects) as parent from sessions`.execute(house.app.database.db)
    expect(rows).toEqual([
      { status: 'completed', task: 'open', waiting: 'Varnish', deps: 1, parent: null },
    ])
    const told = await house.connect()
    expect(await told.call('trial_query', { lab: 'cranes', outcome: 'fail' })).toEqual({
      lab: 'cranes',
      trials: [
        {
          id: '01KB70A2M4Y8QK6S1F3WZ9E5P3',
          lab: 'cranes',
          project: 'harbor',
          created: '2025-11-18T08:00:12.123Z',
          title: 'Two cranes',
          actual: 'slower',
          outcome: 'fail',
          metrics: { hours: 3 },
        },
      ],
    })
    expect(await digest(folder.path)).toEqual(before)

    const again = await importFrom(house.app, { from: folder.path })
    expect(again.imported).toEqual({ databases: 1 })
  })

  test('projects that its rows name and that it never registered are registered', async () => {
    await using folder = await openFolder()
    await legacyStore(folder.path)
    const database = new DatabaseSync(join(folder.path, 'store.db'))
    database.exec(`update sessions set project_slug = 'quay'`)
    database.close()
    await using house = await openHouse()
    await importFrom(house.app, { from: folder.path })
    while ((await indexQueued(house.app.kernel)) > 0);
    const agent = await house.connect()
    const { projects } = (await agent.call('project_list')) as { projects: { slug: string }[] }
    expect(projects.map(({ slug }) => slug)).toContain('quay')
    const { hits } = await agent.call('recall', { query: 'cranes', project: 'quay' })
    expect(hits).toMatchObject([{ kind: 'session', project: 'quay' }])
  })

  test('leaves out the projects that it is told to skip', async () => {
    await using folder = await openFolder()
    await legacyStore(folder.path)
    await using house = await openHouse()
    const { imported } = await importFrom(house.app, { from: folder.path, skip: ['harbor'] })
    expect(imported).not.toHaveProperty('memory')
    expect(imported).toHaveProperty('notes', 1)
  })

  test('another item at the same place stays, and is named', async () => {
    await using folder = await openFolder()
    await legacyStore(folder.path)
    await using house = await openHouse()
    const agent = await house.connect()
    await agent.call('notes_create', { title: 'Study', body: 'ours', project: 'global' })
    const { warnings } = await importFrom(house.app, { from: folder.path })
    expect(warnings).toContain(
      'notes/_global/study.md: another item stands there; it was left as it is',
    )
  })

  test('Claude Code’s memory files: a topic is a memory, a section is one, an index is none', async () => {
    await using folder = await openFolder()
    await put(
      folder.path,
      'm/MEMORY.md',
      '- [Testing](testing.md) — how\n\n# Deploys\n\n- Deploy **before** noon: `make ship`.\n\n## Index\n\n- [x](testing.md)\n',
    )
    await put(
      folder.path,
      'm/testing.md',
      '---\nname: Testing habits\ndescription: Run the fast suite first\nmetadata:\n  type: feedback\n---\nThen the slow one.\n',
    )
    await using house = await openHouse()
    const report = await importFrom(house.app, { from: join(folder.path, 'm'), project: 'harbor' })
    expect(report).toMatchObject({ imported: { memory: 2 }, skipped: 0, warnings: [] })
    const agent = await house.connect()
    const read = (name: string) => agent.call('memory_read', { name, project: 'harbor' })
    expect(await read('testing-habits')).toMatchObject({
      kind: 'convention',
      description: 'Run the fast suite first',
      body: 'Then the slow one.\n',
      tags: ['imported'],
    })
    expect(await read('deploys')).toMatchObject({ description: 'Deploy before noon: make ship.' })
    const again = await importFrom(house.app, { from: join(folder.path, 'm'), project: 'harbor' })
    expect(again).toMatchObject({ imported: {}, skipped: 2 })
  })

  test('a head that is no YAML and a topic without a text are told', async () => {
    await using folder = await openFolder()
    const head = '---\nname: Tides\ndescription: ebb: twice a day\ntype: feedback\n---\n'
    await put(folder.path, 'm/tides.md', `${head}Look at the chart.\n`)
    await put(folder.path, 'm/moor.md', '---\nname: Moor\ndescription: Moor twice\n---\n\n')
    await using house = await openHouse()
    const report = await importFrom(house.app, { from: join(folder.path, 'm'), project: 'harbor' })
    expect(report.imported).toEqual({ memory: 1 })
    expect(report.warnings).toEqual([
      'moor.md: it holds no text',
      'tides.md: its head is not YAML, so the name, type and description in it were left',
    ])
  })

  test('Claude Code’s memories keep the dates of their files', async () => {
    await using folder = await openFolder()
    const file = await put(folder.path, 'm/testing.md', 'Run the fast suite first.\n')
    await utimes(file, new Date(1_700_000_000_000), new Date(1_700_000_000_000))
    await using house = await openHouse()
    await importFrom(house.app, { from: join(folder.path, 'm'), project: 'harbor' })
    const row = await house.app.database.db
      .selectFrom('memories')
      .select(['created_at', 'updated_at', 'valid_from'])
      .executeTakeFirstOrThrow()
    expect(Object.values(row).map(Number)).toEqual(Array(3).fill(1_700_000_000_000))
    const { hits } = await (
      await house.connect()
    ).call('recall', { query: 'fast suite', project: 'harbor', as_of: '2023-12-01T00:00:00Z' })
    expect(hits).toHaveLength(1)
  })

  test('beside topics MEMORY.md is their index, and the report says what else it held', async () => {
    await using folder = await openFolder()
    const index = '# Memory index\n\nKeep this short.\n\n- [Testing](testing.md) — how we test\n'
    await put(folder.path, 'm/MEMORY.md', index)
    await put(folder.path, 'm/testing.md', 'Run the fast suite first.\n')
    await put(folder.path, 'm/empty.md', '\n')
    await using house = await openHouse()
    const report = await importFrom(house.app, { from: join(folder.path, 'm'), project: 'harbor' })
    expect(report.imported).toEqual({ memory: 1 })
    expect(report.warnings).toEqual([
      'MEMORY.md: it is an index; left of it: Keep this short.',
      'empty.md: it holds no text',
    ])
  })

  test('a folder `memory` hides nothing: texts beside it and in it are read', async () => {
    await using folder = await openFolder()
    await mkdir(join(folder.path, 'm/memory'), { recursive: true })
    await put(folder.path, 'm/testing.md', 'Run the fast suite first.\n')
    await using house = await openHouse()
    const from = join(folder.path, 'm')
    const first = await importFrom(house.app, { from, project: 'harbor' })
    expect(first.imported).toEqual({ memory: 1 })
    await put(folder.path, 'm/memory/deploys.md', 'Deploy before noon.\n')
    const second = await importFrom(house.app, { from, project: 'harbor' })
    expect(second).toMatchObject({ imported: { memory: 1 }, skipped: 1 })
  })

  test('a folder that holds nothing of ours is refused', async () => {
    await using folder = await openFolder()
    await put(folder.path, 'm/picture.png', 'x')
    await mkdir(join(folder.path, 'm/memory'))
    await using house = await openHouse()
    const importing = importFrom(house.app, { from: join(folder.path, 'm'), project: 'harbor' })
    await expect(importing).rejects.toThrow(/holds no store, no markdown files/)
  })

  const GRAPH = [
    '\ufeff{"type":"entity","name":"Order Worker","entityType":"service","observations":["needs UTC"]}\r',
    '{"type":"relation","from":"Order Worker","to":"Queue","relationType":"reads"}',
  ]

  test('a knowledge graph: an entity is a memory that links to its kin', async () => {
    await using folder = await openFolder()
    const from = await put(folder.path, 'memory.jsonl', `${GRAPH.join('\n')}\n\n`)
    await using house = await openHouse()
    const report = await importFrom(house.app, { from, project: 'global' })
    expect(report).toEqual({ imported: { memory: 1 }, skipped: 0, left: [], warnings: [] })
    const agent = await house.connect()
    expect(
      await agent.call('memory_read', { name: 'order-worker', project: 'global' }),
    ).toMatchObject({
      description: 'Order Worker (service): needs UTC',
      body: 'Order Worker is a service.\n\n- needs UTC\n- reads [[queue]]\n',
      tags: ['imported', 'service'],
    })
  })

  test('a knowledge graph with lines of another shape is left whole, or in part when that is asked for', async () => {
    await using folder = await openFolder()
    const odd = [
      'torn {',
      '{"type":"entity","observations":[]}',
      '{"type":"relation","from":"Nobody","to":"Queue","relationType":"reads"}',
      '[]',
      'null',
      '{"memory":"of another make"}',
    ]
    const from = await put(folder.path, 'memory.json', [...GRAPH, ...odd].join('\n'))
    await using house = await openHouse()
    const strict = importFrom(house.app, { from, project: 'global' })
    await expect(strict).rejects.toThrow(
      /nothing was imported, because .*memory\.json holds 1 × a line that is no JSON \(line 3\); 4 × a line that is neither an entity nor a relation \(first: line 4\); 1 × a relation of an entity that is not there \(line 5\); --lenient/,
    )
    expect((await house.files()).filter((file) => file.startsWith('memory/'))).toEqual([])
    const report = await importFrom(house.app, { from, project: 'global', lenient: true })
    expect(report).toMatchObject({ imported: { memory: 1 }, skipped: 0 })
    expect(report.left.map(({ count }) => count)).toEqual([1, 4, 1])
  })

  test('asks for a project where a text names none', async () => {
    await using folder = await openFolder()
    const from = await put(folder.path, 'MEMORY.md', '# A\n\nb\n')
    await using house = await openHouse()
    await expect(importFrom(house.app, { from })).rejects.toThrow('say --project')
  })
})
