import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openOperated } from '../helpers/operator.ts'

test('doctor names every file with a problem that the store lists', async () => {
  await using operated = await openOperated()
  await sql`
    insert into files (path, content_hash, size, mtime_ns, inode, problem)
    select 'notes/_global/' || n || '.md', '', 0, '0', '0', 'torn ' || n
    from generate_series(1, 250) n`.execute(operated.house.app.database.db)

  const { said } = await operated.loam('doctor')
  expect(said.filter((line) => /^warn {2}files {5}.*: torn \d+$/.test(line))).toHaveLength(250)
})
