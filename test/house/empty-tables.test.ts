import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { openTestDatabase } from '../helpers/database.ts'
import { emptyTables } from '../helpers/empty-tables.ts'

const server = process.env['LOAM_TEST_DATABASE_URL']

describe.runIf(server)('a database that is emptied', () => {
  test('keeps nothing that its background moves meanwhile', async () => {
    const database = await openTestDatabase()
    const { db } = database
    await sql`insert into passage_changes (project, passages, length, lexemes, changes)
      values (1, 1, 1, '{tide}', '{1}')`.execute(db)

    let emptied: Promise<void> | undefined
    await db.transaction().execute(async (background) => {
      await sql`delete from passage_changes`.execute(background)
      await sql`insert into lexeme_stats (lexeme, project, passages) values ('tide', 1, 1)`.execute(
        background,
      )
      emptied = emptyTables(db)
      await sleep(100)
    })
    await emptied

    const { rows } = await sql`select from lexeme_stats`.execute(db)
    expect(rows).toEqual([])
    await database.close()
  })
})
