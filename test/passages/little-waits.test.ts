import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'

/** 64 kB in pages, and one that is begun. */
const MOST_PAGES = 9

test('little of what is written waits to be sorted into the index of words, which each search would read', async () => {
  await using house = await openHouse()
  const agent = await house.inside('atlas')
  const words = (n: number) => Array.from({ length: 80 }, (_, at) => `w${n}x${at}`).join(' ')
  for (let n = 0; n < 80; n++) {
    const memory = { name: `fact ${n}`, kind: 'reference', description: 'd', body: words(n) }
    await agent.call('memory_write', memory)
  }
  const { rows } = await sql<{ pages: number }>`
    select gin_clean_pending_list('passages_words')::int as pages`.execute(house.app.kernel.db)
  expect(rows[0]!.pages).toBeLessThanOrEqual(MOST_PAGES)
})

test('the same holds for every inverted index', async () => {
  await using house = await openHouse()
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_am m on m.oid = c.relam
    where m.amname = 'gin' and c.relkind = 'i' and c.relnamespace = current_schema()::regnamespace
      and not 'gin_pending_list_limit=64' = any (coalesce(c.reloptions, '{}'))`.execute(
    house.app.kernel.db,
  )
  expect(rows).toEqual([])
})
