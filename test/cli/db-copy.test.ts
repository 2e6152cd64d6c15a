import { randomBytes } from 'node:crypto'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { copyTo } from '../../src/cli/operator/transfer/copy.ts'
import { assertTarget } from '../../src/cli/operator/transfer/target.ts'
import { type Database, openDatabase } from '../../src/postgres/database.ts'
import { connect } from '../helpers/agent.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { openFolder } from '../helpers/folder.ts'
import { onServer, withServer } from '../helpers/postgres.ts'
import { loam } from '../helpers/in-process.ts'
import { startService } from '../helpers/service.ts'

const server = process.env['LOAM_TEST_DATABASE_URL'] ?? ''
const log = pino({ level: 'silent' })

/** An empty database on the server of the run, swept by a later run. */
async function emptyDatabase(): Promise<string> {
  const name = `loam_test_${Date.now().toString(36)}_${randomBytes(8).toString('hex')}`
  await withServer(server, (client) => client.query(`create database ${name}`))
  return onServer(server, name)
}

/** Every row of every table, as text, without what belongs to one database alone. */
async function everything({ db }: Pick<Database, 'db'>): Promise<Record<string, string[]>> {
  const tables = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname <> 'schema_migrations' order by 1`.execute(db)
  const all: Record<string, string[]> = {}
  for (const { name } of tables.rows) {
    const { rows } = await sql<{ row: string }>`
      select (to_jsonb(t) - 'tx')::text as row from ${sql.table(name)} as t order by 1`.execute(db)
    all[name] = rows.map(({ row }) => row)
  }
  return all
}

const fill = async (db: Database['db']) => {
  await sql`insert into store (id) values ('the-store')`.execute(db)
  await sql`
    insert into projects (id, slug, name, parent_slug)
    select * from (values ('a', 'child', 'Child', 'parent'), ('b', 'parent', 'Parent', null)) as p
    order by 1`.execute(db)
  await sql`
    insert into events (id, ts, kind, transport, payload)
    select 'e' || n, loam_now(), 'note.written', false,
           jsonb_build_object('text', E'a "quoted" \\\\ line\nüñ 漢字 ' || n, 'none', null)
    from generate_series(1, 450) n`.execute(db)
}

describe.runIf(server)('db copy', () => {
  test('carries every row unchanged, and the transaction ids as 0', async () => {
    await using source = await openTestDatabase()
    await fill(source.db)
    const before = await everything(source)
    const url = await emptyDatabase()

    const { rows } = await copyTo(source.db, url, log)

    expect(rows).toBe(Object.values(before).flat().length)
    await using target = await openDatabase({ url, dir: '', log })
    expect(await everything(target)).toEqual(before)
    expect(await everything(source)).toEqual(before)
    const { rows: stamps } = await sql`select distinct tx::text as tx from events`.execute(
      target.db,
    )
    expect(stamps).toEqual([{ tx: '0' }])
  })

  test('leaves a target in which new rows can be written, and rules hold', async () => {
    await using source = await openTestDatabase()
    await fill(source.db)
    const url = await emptyDatabase()
    await copyTo(source.db, url, log)

    await using target = await openDatabase({ url, dir: '', log })
    const orphan = sql`insert into projects (id, slug, name, parent_slug) values ('c', 'x', 'X', 'nobody')`
    await expect(orphan.execute(target.db)).rejects.toThrow(/foreign key/)
    const own = sql`insert into projects (id, slug, name) values ('d', 'fresh', 'Fresh')`
    await own.execute(target.db)
    const off = await sql`
      select tgname from pg_trigger where tgenabled = 'D'
      union all select conname from pg_constraint where condeferred`.execute(target.db)
    expect(off.rows).toEqual([])
  })

  test('refuses a target that is in use, and changes nothing there', async () => {
    await using source = await openTestDatabase()
    await using other = await openTestDatabase()
    await fill(source.db)
    await sql`insert into store (id) values ('another')`.execute(other.db)
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(
      other.db,
    )
    const url = onServer(server, rows[0]?.name ?? '')

    await expect(copyTo(source.db, url, log)).rejects.toThrow(
      'the target is not empty (table store',
    )
    expect((await everything(other))['store']).toEqual([
      '{"id": "another", "one": true, "files_read_at": null}',
    ])
    expect((await everything(other))['events']).toEqual([])
  })

  test('moves an embedded store to a server, on which the same notes are found', async () => {
    await using folder = await openFolder()
    const embedded = { LOAM_DATABASE_URL: '' }
    const first = await startService({ folder: folder.path, env: embedded, fresh: true })
    await using writer = await connect(first)
    const { id } = await writer.call('notes_create', {
      title: 'Queue study',
      body: 'The broker drops messages.',
      project: 'global',
    })
    const url = await emptyDatabase()
    const beside = { folder: folder.path, env: embedded }
    const copied = await loam(['db', 'copy', '--quiet', '--to', url], beside)
    expect(copied).toMatchObject({ code: 0, stderr: '' })
    expect(copied.stdout).toMatch(/^\d+ rows of \d+ tables are copied and counted/)
    // Else whoever forgets the address works on in the tasks of before the move.
    expect(copied.stdout).toContain('move the db/ in it aside')
    await first.stop()
    await rename(join(folder.path, 'loam-data/db'), join(folder.path, 'db.before'))
    const forgotten = await loam(['project', 'list'], beside)
    expect(forgotten).toMatchObject({ code: 1, stdout: '' })
    expect(forgotten.stderr).toContain('when it is on a server, set LOAM_DATABASE_URL')

    const env = { LOAM_DATABASE_URL: url }
    await using second = await startService({ folder: folder.path, env, fresh: true })
    await using reader = await connect(second)
    expect(await reader.call('notes_read', { id })).toMatchObject({ title: 'Queue study' })
    const again = await loam(['db', 'copy', '--to', url], { folder: folder.path, env })
    expect(again).toMatchObject({ code: 1 })
    expect(again.stderr).toContain('the target is not empty')
  })
})

test.each(['', 'mysql://a/b', 'here', 'postgres://loam:12#34@db/loam'])(
  'db copy refuses a target that is none: "%s"',
  (to) => {
    expect(() => assertTarget(to)).toThrow('db copy: --to must be a postgres:// address')
  },
)
