import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase, type Database } from '../../src/postgres/database.ts'
import { migrate } from '../../src/postgres/migrate.ts'
import {
  dropItem,
  indexingOf,
  indexItem,
  indexQueued,
  queueStale,
  updateStatistics,
  type Item,
} from '../../src/passages/passages.ts'
import { openTestDatabase, testDatabase } from '../helpers/database.ts'
import { schemaBefore } from '../helpers/earlier-schema.ts'
import { bareKernel } from '../helpers/kernel.ts'

const database: Database = await openTestDatabase()
const { db } = database
const kernel = bareKernel(database)
afterAll(() => database.close())

const TABLES = ['passages', 'passage_queue', 'passage_changes', 'passage_totals']
const WORDS = ['lexeme_stats', 'lexeme_totals']
beforeEach(async () => {
  for (const table of [...TABLES, ...WORDS, 'notes', 'projects']) {
    await sql`delete from ${sql.table(table)}`.execute(db)
  }
  await sql`insert into projects (id, slug, name) values ('A', 'atlas', 'Atlas'), ('B', 'ledger', 'Ledger')`.execute(
    db,
  )
})

const note = (over: Partial<Item> = {}): Item => ({
  kind: 'note',
  id: 'N1',
  project: 'atlas',
  active: true,
  title: 'Tides',
  text: sections('moon', 'sun', 'wind'),
  ...over,
})

const section = (word: string): string => `# About ${word}\n\n${Array(180).fill(word).join(' ')}`
const sections = (...words: string[]): string => words.map(section).join('\n\n')

interface Row {
  chunk: number
  place: number
  size: number
  length: number
  version: string
  words: string
}

/** In the order of the text. */
async function passages(id = 'N1'): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select chunk, place, size, length, xmin::text as version, array_to_string(tsvector_to_array(words), ' ') as words
    from passages where id = ${id} order by place`.execute(db)
  return rows
}

/** What the statistics say once told, and what the passages say themselves. */
async function stats(): Promise<{ told: unknown; counted: unknown }> {
  await updateStatistics(kernel)
  const told = await sql`
    select (select json_agg(t order by project) from passage_totals t where passages > 0) as totals,
      (select json_agg(s order by lexeme, project) from lexeme_stats s where passages <> 0) as words,
      (select json_agg(s order by lexeme) from lexeme_totals s where passages <> 0) as words_of_all`.execute(
    db,
  )
  const counted = await sql`
    select (select json_agg(t) from (
        select project, count(*) as passages, sum(length) as length from passages where active group by 1 order by 1) t) as totals,
      (select json_agg(s) from (
        select lexeme, project, count(*) as passages from passages, unnest(tsvector_to_array(words)) as lexeme
        where active group by 1, 2 order by lexeme collate "C", project) s) as words,
      (select json_agg(s) from (
        select lexeme, count(*) as passages from passages, unnest(tsvector_to_array(words)) as lexeme
        where active group by 1 order by lexeme collate "C") s) as words_of_all`.execute(db)
  return { told: told.rows[0], counted: counted.rows[0] }
}

test("the end of an item's own id in its name is no word, whatever its letters and digits", async () => {
  for (const id of ['01KAPN8Y6V0000000002ECX13', '01KAPN8Y6V000000000VKCPSE']) {
    const title = `common-${id.slice(-6).toLowerCase()}`
    await indexItem(kernel, note({ kind: 'memory', id, title, text: 'plain', whole: true }))
    expect(await passages(id)).toMatchObject([{ length: 2, words: 'common plain' }])
  }
  await indexItem(kernel, note({ id: 'N2', title: 'common-2ecx13', text: 'plain', whole: true }))
  expect(await passages('N2')).not.toMatchObject([{ length: 2 }])
})

describe('indexing an item', () => {
  test('makes passages that each carry its title and know where they lie', async () => {
    const text = `🦊 ${section('moon')}\n\n${section('sun')}`
    await indexItem(kernel, note({ text, description: 'What moves the sea' }))

    const rows = await passages()
    expect(rows.map(({ chunk }) => chunk)).toEqual([0, 1])
    expect(rows[0]!.words.split(' ')).toEqual(expect.arrayContaining(['tide', 'moon', 'sea']))
    expect(rows[1]!.words.split(' ')).toEqual(expect.arrayContaining(['tide', 'sun']))
    expect(rows[1]!.words).not.toContain('sea')
    const characters = [...text]
    for (const { place, size } of rows) {
      const piece = characters.slice(place, place + size).join('')
      expect(piece).toBe(piece.trim())
      expect(piece).toMatch(/# About/)
    }
  })

  test('is one passage when it has no text, or is to stay whole', async () => {
    await indexItem(kernel, note({ text: '' }))
    expect(await passages()).toMatchObject([{ place: 0, size: 0, words: 'tide', length: 1 }])

    await indexItem(kernel, note({ whole: true }))
    expect(await passages()).toHaveLength(1)
  })

  test('does not write a passage again whose text is as it was, wherever it lies now', async () => {
    await indexItem(kernel, note())
    const before = await passages()
    await indexItem(kernel, note())
    expect(await passages()).toEqual(before)

    await indexItem(kernel, note({ text: sections('rain', 'moon', 'wind') }))

    const after = await passages()
    expect(after.map(({ chunk }) => chunk)).toEqual([1, 0, 2])
    expect(after[1]!.place).toBeGreaterThan(0)
    expect(after[2]).toEqual({ ...before[2], place: after[2]!.place, version: after[2]!.version })
    // The last one neither moved nor changed.
    expect(after[2]!.place === before[2]!.place).toBe(after[2]!.version === before[2]!.version)
  })

  test('tells the statistics what changed, and nothing of what stayed', async () => {
    await indexItem(kernel, note())
    await updateStatistics(kernel)
    await indexItem(kernel, note({ text: sections('moon', 'sun', 'rain') }))

    const { rows } = await sql`select passages, lexemes, changes from passage_changes`.execute(db)
    expect(rows).toEqual([{ passages: 0, lexemes: ['rain', 'wind'], changes: [1, -1] }])
  })

  test('refuses a project that nobody registered', async () => {
    await expect(indexItem(kernel, note({ project: 'nowhere' }))).rejects.toThrow()
    expect(await passages()).toEqual([])
  })

  test('keeps the statistics equal to the passages through any history', async () => {
    const texts = ['', 'moon', sections('moon', 'sun'), sections('sun', 'rain', 'moon', 'sun')]
    let state = 7
    const pick = <T>(from: readonly T[]): T =>
      from[(state = (Math.imul(state, 48_271) >>> 0) % 2_147_483_647) % from.length]!
    for (let i = 0; i < 40; i++) {
      const id = pick(['N1', 'N2', 'N3'])
      const project = pick(['', 'atlas', 'ledger'])
      const active = pick([true, true, false])
      if (pick([0, 1, 2, 3]) === 0) await dropItem(kernel, 'note', id)
      else await indexItem(kernel, note({ id, project, active, text: pick(texts) }))
      if (i % 8 === 0) await updateStatistics(kernel)
    }
    const { told, counted } = await stats()
    expect(told).toEqual(counted)

    for (const id of ['N1', 'N2', 'N3']) await dropItem(kernel, 'note', id)
    expect((await stats()).told).toEqual({ totals: null, words: null, words_of_all: null })
  })

  test('lets writers of different items go on at once over the same words', async () => {
    const ids = Array.from({ length: 40 }, (_, i) => `W${i}`)
    await Promise.all(ids.map((id) => indexItem(kernel, note({ id }))))
    await Promise.all([updateStatistics(kernel), ...ids.map((id) => dropItem(kernel, 'note', id))])
    expect((await stats()).told).toEqual({ totals: null, words: null, words_of_all: null })
  })

  test('adds up after an upgrade what each word has in all projects', async () => {
    await using earlier = await schemaBefore('_words_of_all.sql')
    await using database = await openDatabase(await testDatabase({ empty: true }))
    const { db } = database
    await migrate(database, { folder: earlier.folder })
    await sql`insert into lexeme_stats values ('moon', 0, 2), ('moon', 1, 3), ('sun', 2, 1)`.execute(
      db,
    )
    await migrate(database)
    const { rows } = await sql`select * from lexeme_totals order by lexeme`.execute(db)
    expect(rows).toEqual([
      { lexeme: 'moon', passages: 5 },
      { lexeme: 'sun', passages: 1 },
    ])
  })
})

describe('a very long note', () => {
  const words = Array.from({ length: 150 }, (_, i) => `word${i}`)
  const insert = (body: string): Promise<unknown> =>
    sql`insert into notes (id, project, slug, title, body, path, content_hash, created_at, updated_at)
      values ('N1', 'atlas', 'tides', 'Tides', ${body}, 'notes/atlas/tides.md', '', loam_now(), loam_now())
      on conflict (id) do update set body = excluded.body`.execute(db)

  test('is found in part at once and wholly after the background went over it', async () => {
    await insert(sections(...words))
    await indexItem(kernel, note({ text: sections(...words) }))
    expect(await indexingOf(db, 'note', 'N1')).toEqual({ done: 64, of: 150 })

    expect(await indexQueued(kernel)).toBe(2)
    expect(await indexingOf(db, 'note', 'N1')).toBeUndefined()
    expect((await passages()).map(({ words }) => /word\d+/.exec(words)?.[0])).toEqual(words)
    const { told, counted } = await stats()
    expect(told).toEqual(counted)
  })

  test('that is changed at its beginning has most of its passages moved in the background', async () => {
    const many = Array.from({ length: 400 }, (_, i) => `word${i}`)
    await insert(sections(...many))
    await indexItem(kernel, note({ text: sections(...many) }))
    while ((await indexQueued(kernel)) > 0);
    const before = new Map((await passages()).map(({ words, version }) => [words, version]))
    expect(before.size).toBe(400)

    const text = sections('moon', ...many)
    await insert(text)
    await indexItem(kernel, note({ text }))
    const after = await passages()
    const written = after.filter(({ words, version }) => before.get(words) !== version)
    expect(written.length).toBeLessThan(200)
    expect(await indexingOf(db, 'note', 'N1')).toEqual({ done: 401, of: 401 })

    while ((await indexQueued(kernel)) > 0);
    expect(await indexingOf(db, 'note', 'N1')).toBeUndefined()
    const shown = (await passages()).map(({ place, size }) =>
      text.slice(place, place + size).trim(),
    )
    expect(shown).toEqual(['moon', ...many].map(section))
  })

  test.each<[string, { project?: string; active?: boolean }]>([
    ['goes to another project leaves the one before', { project: 'ledger' }],
    ['ends leaves what is found', { active: false }],
  ])('that %s at once, and is followed by its passages in the background', async (_, change) => {
    const many = Array.from({ length: 400 }, (_, i) => `word${i}`)
    const text = sections(...many)
    await insert(text)
    await indexItem(kernel, note({ text }))
    while ((await indexQueued(kernel)) > 0);
    const before = new Map((await passages()).map(({ words, version }) => [words, version]))

    await sql`update notes set project = ${change.project ?? 'atlas'}`.execute(db)
    await indexItem(kernel, note({ text, ...change }))
    const { rows: left } = await sql`
      select 1 from passages p join projects j on j.number = p.project
      where p.active and j.slug = 'atlas'`.execute(db)
    expect(left).toEqual([])
    const followed = await passages()
    expect(followed.length).toBeGreaterThan(0)
    expect(followed.length).toBeLessThan(200)
    expect(followed.filter(({ words, version }) => before.get(words) === version)).toEqual([])

    if (change.project) {
      while ((await indexQueued(kernel)) > 0);
      expect(await indexingOf(db, 'note', 'N1')).toBeUndefined()
      expect((await passages()).map(({ words }) => /word\d+/.exec(words)?.[0]).toSorted()).toEqual(
        many.toSorted(),
      )
    }
    const { told, counted } = await stats()
    expect(told).toEqual(counted)
  })

  test('keeps to what it says last when it is changed or deleted before that', async () => {
    await insert(sections(...words))
    await indexItem(kernel, note({ text: sections(...words) }))
    await insert(sections('moon'))
    await indexItem(kernel, note({ text: sections('moon') }))
    expect(await indexingOf(db, 'note', 'N1')).toBeUndefined()
    expect(await passages()).toHaveLength(1)

    await indexItem(kernel, note({ text: sections(...words) }))
    await sql`delete from notes`.execute(db)
    await indexQueued(kernel)
    expect(await passages()).toEqual([])
    expect(await indexingOf(db, 'note', 'N1')).toBeUndefined()
  })

  test('that cannot be indexed keeps no other waiting, and has its turn again', async () => {
    for (const [id, project] of [
      ['N1', 'nowhere'],
      ['N2', 'atlas'],
    ] as const) {
      await sql`insert into notes (id, project, slug, title, body, path, content_hash, created_at, updated_at)
        values (${id}, ${project}, ${id}, ${id}, 'moon', ${id}, '', loam_now(), loam_now())`.execute(
        db,
      )
      await sql`insert into passage_queue (kind, id, passages, queued_at)
        values ('note', ${id}, 1, loam_now() - interval '1 hour' + ${id.slice(1)} * interval '1 second')`.execute(
        db,
      )
    }

    expect(await indexQueued(kernel)).toBe(2)
    expect(await passages('N2')).toHaveLength(1)
    expect(await indexQueued(kernel)).toBe(0)

    await sql`insert into projects (id, slug, name) values ('C', 'nowhere', 'Nowhere')`.execute(db)
    await sql`update clock set shift = shift + interval '61 seconds'`.execute(db)
    await indexQueued(kernel)
    expect(await passages('N1')).toHaveLength(1)
  })

  test('is indexed again when an older normaliser read it', async () => {
    await insert(sections('moon', 'sun'))
    await indexItem(kernel, note({ text: sections('moon', 'sun') }))
    await sql`update passages set normaliser = 0, words = '' where chunk = 1`.execute(db)

    expect(await queueStale(kernel)).toBe(1)
    await indexQueued(kernel)

    expect((await passages())[1]!.words).toContain('sun')
    expect(await queueStale(kernel)).toBe(0)
  })
})
