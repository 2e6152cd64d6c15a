/** A dump is restored without any of the names that a connection finds by itself (pg_dump sets the path empty). */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'
import { tried, research } from '../helpers/research.ts'

/** Tables that are no part of another, with the columns that a dump holds. */
const TABLES = sql<{ name: string; columns: string[] }>`
  select c.relname as name, array_agg(quote_ident(a.attname)::text order by a.attnum) as columns
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
    and not c.relispartition and a.attgenerated = ''
  group by c.relname order by c.relname`

test('rows go into every table by its rules, its computed columns and its indexes', async () => {
  await using house = await openHouse()
  const agent = await house.connect()
  await agent.call('session_start', { project: 'orders', repo_root: '/home/ana/orders' })
  await agent.call('memory_write', {
    ...{ name: 'utc', kind: 'constraint', description: 'Times are UTC', body: 'Set TZ=UTC.' },
  })
  await agent.call('notes_create', { title: 'Queue study', body: '# Result\n\nit drains' })
  await agent.call('tasks_add', { title: 'Drain the queue' })
  await research(house)
  await tried(agent, 'Two queues', { actual: 'the queue drains' })
  await agent.call('session_end', { findings: 'The queue drains first.' })
  const { db } = house.app.kernel
  const { rows: tables } = await TABLES.execute(db)

  const filled: string[] = []
  for (const { name, columns } of tables) {
    const some = await sql`select from public.${sql.table(name)} limit 1`.execute(db)
    if (some.rows.length === 0) continue
    filled.push(name)
    await db.transaction().execute(async (db) => {
      await sql`select set_config('search_path', '', true)`.execute(db)
      const given = sql.raw(columns.join(', '))
      await sql`
        create temp table restored (like public.${sql.table(name)} including all) on commit drop`.execute(
        db,
      )
      await sql`
        insert into pg_temp.restored (${given}) overriding system value
        select ${given} from public.${sql.table(name)}`.execute(db)
    })
  }

  const wanted = ['events', 'memories', 'notes', 'passages', 'sessions', 'tasks', 'trials']
  expect(filled).toEqual(expect.arrayContaining(wanted))
})
