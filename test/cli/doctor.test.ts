import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { FailpointName } from '../../src/kernel/failpoint.ts'
import { openFolder } from '../helpers/folder.ts'
import { openHouse } from '../helpers/house.ts'
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

test('doctor tells how far the rows are behind the files, and that they have caught up', async () => {
  await using store = await openFolder()
  const first = await openHouse({ dir: store.path })
  const agent = await first.connect()
  for (const title of ['one', 'two', 'three'])
    await agent.call('notes_create', { title, body: 'b', project: 'atlas' })
  await first.close()
  let read = (): void => {}
  const gate = new Promise<void>((resolve) => (read = resolve))
  const failpoint = (name: FailpointName) => (name === 'before-catch-up' ? gate : undefined)
  await using operated = await openOperated({ dir: store.path, failpoint, behind: true })

  const files = async (): Promise<string[]> =>
    (await operated.loam('doctor')).said.filter((line) => line.includes('files'))
  try {
    expect(await files()).toEqual([
      expect.stringMatching(/^warn {2}files {5}catching up: 0 of \d+ are read; ask again$/),
    ])
  } finally {
    read()
  }
  await operated.house.app.caughtUp
  expect(await files()).toEqual(['ok    files     all indexed'])
})

test.each([
  ["interval '1 hour 0.25 seconds'", 'set back: it is corrected by +3,600.3 s'],
  ["interval '-1 day'", 'set ahead: it is corrected by -86,400 s'],
])('doctor says that the clock is corrected, and by how much: %s', async (correction, told) => {
  await using operated = await openOperated()
  const { db } = operated.house.app.database
  const clock = async (): Promise<string[]> =>
    (await operated.loam('doctor')).said.filter((line) => line.includes('clock'))
  expect(await clock()).toEqual([])
  const line = `info  clock     the database's clock was ${told}, so that leases and sessions go on by elapsed time`
  try {
    // Whoever keeps the clock takes it back within moments.
    let said: string[] = []
    for (let tries = 0; tries < 5 && said[0] !== line; tries++) {
      await sql`update clock set correction = ${sql.raw(correction)}`.execute(db)
      said = await clock()
    }
    expect(said).toEqual([line])
  } finally {
    await sql`update clock set correction = '0'`.execute(db)
  }
})
