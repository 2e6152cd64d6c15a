import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import {
  byMeaning,
  embeddingStatus,
  embeddingWorker,
  embedQuery,
  openEmbedder,
  reembed,
  switchEmbeddings,
  type Meant,
  type Worker,
} from '../../src/embeddings/embeddings.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { Kernel } from '../../src/kernel/kernel.ts'
import { withLease } from '../../src/postgres/leases.ts'
import { dropItem, indexItem, indexQueued, type Item } from '../../src/passages/passages.ts'
import { scopeOver } from '../helpers/places.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { openProvider } from '../helpers/provider.ts'

const database = await openTestDatabase()
const { db } = database
const provider = await openProvider({ dims: 256 })
const log = pino({ level: 'silent' })
let kernel: Kernel
let work: Worker
const opened: Kernel[] = []

beforeEach(async () => {
  provider.fault = undefined
  provider.requests.length = 0
  for (const table of [
    ...['passages', 'passage_queue', 'passage_changes', 'passage_totals'],
    ...['lexeme_stats', 'lexeme_totals'],
    ...['vectors', 'embedding_queue', 'models', 'settings', 'leases', 'notes', 'projects'],
  ]) {
    await sql`delete from ${sql.table(table)}`.execute(db)
  }
  await sql`update clock set shift = '0'`.execute(db)
  await sql`insert into projects (id, slug, name) values ('A', 'atlas', 'Atlas'), ('B', 'ledger', 'Ledger')`.execute(
    db,
  )
  await start()
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ embedder }) => embedder.close()))
})
afterAll(async () => {
  await provider.close()
  await database.close()
})

/** A process begins: its embedder, and a worker that remembers nothing. */
async function start(env: Record<string, string> = {}): Promise<void> {
  const { config } = await loadConfig({
    env: { HOME: '/nowhere', ...provider.env, ...env },
    cwd: '/nowhere',
  })
  const embedder = await openEmbedder({ db, config, log })
  kernel = { db, config, log, embedder, clock: systemClock } as Kernel
  opened.push(kernel)
  work = embeddingWorker({ deadlineMs: 20_000, attempts: 1 })
}

/** Writes a note as its room does. */
async function write(id: string, text: string, over: Partial<Item> = {}): Promise<void> {
  const item: Item = { kind: 'note', id, project: 'atlas', active: true, title: id, text, ...over }
  await sql`insert into notes (id, project, slug, title, body, path, content_hash, created_at, updated_at)
    values (${id}, ${item.project}, ${id}, ${item.title}, ${text}, ${`notes/${id}.md`}, '', loam_now(), loam_now())
    on conflict (id) do update set body = excluded.body, title = excluded.title, project = excluded.project`.execute(
    db,
  )
  await indexItem(kernel, item)
}

const patient = { timeout: 60_000, interval: 100 }

/** The question as a vector. A busy machine may be too slow for it at first. */
async function asked(question: string): Promise<Meant> {
  let query: Awaited<ReturnType<typeof embedQuery>>
  await expect
    .poll(async () => {
      query = await embedQuery(kernel, question)
      return query && 'cause' in query ? query.cause : ''
    }, patient)
    .toBe('')
  return query as Meant
}

async function found(question: string, ...searched: string[]): Promise<string[]> {
  const scope = searched.length > 0 ? scopeOver(...searched) : scopeOver('atlas', '')
  const near = await byMeaning(db, scope, await asked(question), ['note'], 60)
  return near.filter(({ similarity }) => similarity > 0.3).map(({ id }) => id)
}

const vectors = async () =>
  db
    .selectFrom('vectors')
    .select(['id', 'chunk', 'model', 'active', 'made_at'])
    .orderBy('id')
    .orderBy('chunk')
    .execute()
const queued = async () =>
  db.selectFrom('embedding_queue').select(['id', 'tries', 'error']).orderBy('id').execute()
/** Whether the model in use has read what stood when it came, and the ones before it are gone. */
const answers = async () => {
  const { models } = await embeddingStatus(kernel)
  return models.length > 0 && models.every(({ stale }) => !stale)
}
/** More notes than are written in the time of some looks. */
const STEADY = 300
const readSoFar = () => provider.requests.flatMap(({ texts }) => texts)
const moveClock = (by: string) => sql`update clock set shift = ${by}::interval`.execute(db)

describe('a written item', () => {
  test('is found by its meaning when the background has read it', async () => {
    await write('tides', 'the moon pulls the sea')
    await write('bread', 'flour and water and salt')
    expect(await queued()).toHaveLength(2)

    expect(await work(kernel)).toBe(2)

    expect(await queued()).toEqual([])
    expect(await found('what pulls the sea')).toEqual(['tides'])
    expect(await work(kernel)).toBe(0)
  })

  test('is read anew where its text changed, and only there', async () => {
    const section = (word: string) => `# ${word}\n\n${Array(200).fill(word).join(' ')}`
    await write('tides', `${section('moon')}\n\n${section('sun')}`)
    await work(kernel)
    const before = await vectors()
    expect(before).toHaveLength(2)
    provider.requests.length = 0

    await write('tides', `${section('moon')}\n\n${section('wind')}`)
    // The vector went with its text: nothing is found by what is no longer said.
    expect(await found('sun')).toEqual([])
    await work(kernel)

    expect(readSoFar().filter((text) => text.includes('wind'))).toHaveLength(1)
    expect(readSoFar().some((text) => text.includes('moon'))).toBe(false)
    expect(
      (await vectors()).filter(({ made_at }) => +made_at === +before[0]!.made_at),
    ).toHaveLength(1)
    expect(await found('wind')).toEqual(['tides'])
  })

  test('carries its vectors along when it moves or goes to rest', async () => {
    await write('tides', 'the moon pulls the sea')
    await work(kernel)
    provider.requests.length = 0

    await write('tides', 'the moon pulls the sea', { project: 'ledger' })
    expect(await found('the moon', 'atlas', '')).toEqual([])
    expect(await found('the moon', 'ledger')).toEqual(['tides'])

    await write('tides', 'the moon pulls the sea', { active: false })
    expect(await found('the moon')).toEqual([])
    expect(await vectors()).toMatchObject([{ active: false }])

    await write('tides', 'the moon pulls the sea')
    expect(await found('the moon')).toEqual(['tides'])
    expect(new Set(readSoFar())).toEqual(new Set(['the moon']))
  })

  test('leaves nothing behind when it is deleted', async () => {
    await write('tides', 'the moon pulls the sea')
    await work(kernel)
    await write('bread', 'flour')
    for (const id of ['tides', 'bread']) await dropItem(kernel, 'note', id)
    expect(await vectors()).toEqual([])
    expect(await queued()).toEqual([])
  })

  test('of many passages is read to its end', async () => {
    const words = Array.from({ length: 150 }, (_, i) => `word${i}`)
    const text = words.map((word) => `# ${word}\n\n${Array(180).fill(word).join(' ')}`).join('\n\n')
    await write('long', text)
    await work(kernel)
    expect(await vectors()).toHaveLength(64)
    while ((await indexQueued(kernel)) > 0);
    await work(kernel)
    expect(await vectors()).toHaveLength(150)
    expect(await queued()).toEqual([])
    expect(await found('word149')).toEqual(['long'])
  })

  test('is not kept by what was read of it before it changed', async () => {
    await write('tides', 'the moon pulls the sea')
    provider.fault = { delay: 300 }
    const working = work(kernel)
    await expect.poll(() => readSoFar().length).toBeGreaterThan(1)
    await write('tides', 'the wind makes waves')
    provider.fault = undefined
    await working
    await work(kernel)
    expect(await found('the wind')).toEqual(['tides'])
    expect(await queued()).toEqual([])
  })
})

describe('while the provider is in trouble', () => {
  test.each([
    [{ status: 401 }, 'the embedding provider refuses the key (status 401)'],
    [
      { status: 429, retryAfter: '1' },
      'the embedding provider asks for fewer requests (status 429)',
    ],
    [{ status: 500 }, 'the embedding provider is in trouble (status 500)'],
    [{ body: 'sorry' }, 'the embedding provider answers with something that is not JSON'],
    [
      { dims: 4001 },
      'the embedding provider gives vectors of 4001 dimensions and at most 4000 can be kept: set embeddings.dims',
    ],
    [{ status: 400 }, 'the embedding provider refuses the request (status 400)'],
  ])(
    '%o: writes go on, the cause is told, and the backlog drains afterwards',
    async (fault, cause) => {
      await work(kernel)
      provider.fault = fault
      await write('tides', 'the moon pulls the sea')
      await write('bread', 'flour and water')
      expect(await work(kernel)).toBe(0)
      await expect.poll(() => embedQuery(kernel, 'moon'), patient).toEqual({ cause })
      expect(await embeddingStatus(kernel)).toMatchObject({
        enabled: true,
        backlog: 2,
        failed: 0,
        missing: 2,
        trouble: { cause },
      })

      provider.fault = undefined
      // Asked again after a pause of a second or as long as the provider wished.
      await expect.poll(() => work(kernel), { timeout: 60_000, interval: 100 }).toBe(2)
      expect(await embeddingStatus(kernel)).toMatchObject({ backlog: 0, missing: 0, trouble: null })
      expect(await found('moon')).toEqual(['tides'])
    },
  )

  test('slow answers make smaller requests', async () => {
    await work(kernel)
    work = embeddingWorker({ deadlineMs: 1_000, attempts: 1 })
    for (let i = 0; i < 8; i++) await write(`n${i}`, `text ${i}`)
    provider.fault = { delay: 5_000, when: (texts) => texts.length > 2 }
    const left = async () => {
      await work(kernel)
      return (await queued()).length
    }
    await expect.poll(left, patient).toBe(0)
    expect(await vectors()).toHaveLength(8)
  })

  test('a text that the provider refuses is put off alone, longer each time', async () => {
    for (let i = 0; i < 9; i++) await write(`n${i}`, i === 4 ? 'poison' : `text ${i}`)
    provider.fault = { status: 400, when: (texts) => texts.some((text) => text.includes('poison')) }
    await work(kernel)
    const error = 'the embedding provider refuses the request (status 400)'
    expect(await queued()).toEqual([{ id: 'n4', tries: 1, error }])
    expect(await embeddingStatus(kernel)).toMatchObject({
      backlog: 1,
      failed: 1,
      lastError: error,
      trouble: null,
    })

    await work(kernel)
    expect(await queued()).toMatchObject([{ tries: 1 }])
    await moveClock('40 seconds')
    await work(kernel)
    expect(await queued()).toMatchObject([{ tries: 2 }])
    await moveClock('80 seconds')
    await work(kernel)
    expect(await queued()).toMatchObject([{ tries: 2 }])

    await write('n4', 'good again')
    await work(kernel)
    expect(await queued()).toEqual([])
  })

  test.each([
    [{ status: 500 }, 'the embedding provider is in trouble (status 500)'],
    [
      { body: '{"data":[{"index":0,"embedding":[null]}]}' },
      'the embedding provider answers with JSON that holds no vectors',
    ],
  ])('a text that it cannot read (%o) keeps no other from its vector', async (fault, error) => {
    await work(kernel)
    for (let i = 0; i < 9; i++) await write(`n${i}`, i === 4 ? 'poison' : `text ${i}`)
    provider.fault = { ...fault, when: (texts) => texts.some((text) => text.includes('poison')) }
    await work(kernel)
    expect(await vectors()).toHaveLength(8)
    expect(await queued()).toEqual([{ id: 'n4', tries: 1, error }])
    expect(await embeddingStatus(kernel)).toMatchObject({ failed: 1, trouble: null })
  })

  test('a text that never comes to an end keeps no other from its vector', async () => {
    await work(kernel)
    work = embeddingWorker({ deadlineMs: 1_000, attempts: 1 })
    for (let i = 0; i < 9; i++) await write(`n${i}`, i === 4 ? 'poison' : `text ${i}`)
    provider.fault = {
      delay: 5_000,
      when: (texts) => texts.some((text) => text.includes('poison')),
    }
    const read = async () => {
      await work(kernel)
      return (await vectors()).length
    }
    await expect.poll(read, patient).toBe(8)
    const error = 'the embedding provider did not answer within 1 s'
    expect(await queued()).toMatchObject([{ id: 'n4', error }])
    expect(await embeddingStatus(kernel)).toMatchObject({ failed: 1, trouble: null })
  })

  test('passages that it cannot read keep no other passage of their item from its vector', async () => {
    await work(kernel)
    const words = Array.from({ length: 150 }, (_, i) => (i < 70 ? `poison${i}` : `word${i}`))
    const text = words.map((word) => `# ${word}\n\n${Array(150).fill(word).join(' ')}`).join('\n\n')
    await write('long', text)
    while ((await indexQueued(kernel)) > 0);
    provider.fault = { status: 400, when: (texts) => texts.some((text) => text.includes('poison')) }
    await work(kernel)
    expect(await vectors()).toHaveLength(80)
    expect(await queued()).toMatchObject([{ id: 'long', tries: 1 }])

    provider.fault = undefined
    await moveClock('40 seconds')
    await work(kernel)
    expect(await vectors()).toHaveLength(150)
    expect(await queued()).toEqual([])
  })

  test.each([{ status: 500 }, { body: 'sorry' }])(
    'where it reads nothing (%o) no text is blamed: it is asked twice, and left alone',
    async (fault) => {
      await work(kernel)
      for (let i = 0; i < 9; i++) await write(`n${i}`, `text ${i}`)
      provider.fault = fault
      provider.requests.length = 0
      await work(kernel)
      expect(provider.requests.map(({ texts }) => texts.length)).toEqual([9, 1])
      expect(await queued()).toMatchObject(Array.from({ length: 9 }, () => ({ tries: 0 })))
    },
  )
})

describe('another model', () => {
  test('is read by in the background, and the old vectors are never compared with it', async () => {
    await write('tides', 'the moon pulls the sea')
    await write('bread', 'flour and water')
    await work(kernel)
    const [old] = await vectors()

    await start({ LOAM_EMBEDDINGS_MODEL: 'others' })
    expect(await found('the moon')).toEqual([])
    await work(kernel)

    expect(await found('the moon')).toEqual(['tides'])
    const now = await vectors()
    expect(now).toHaveLength(2)
    expect(now.every(({ model }) => model !== old!.model)).toBe(true)
  })

  test('goes on where a process was stopped, and newer writes come first', async () => {
    for (let i = 0; i < 40; i++) await write(`n${i}`, `text ${i}`)
    await work(kernel)
    await start({ LOAM_EMBEDDINGS_MODEL: 'others' })
    let rounds = 0
    await work(kernel, { going: () => ++rounds <= 3 })
    const status = await embeddingStatus(kernel)
    expect(status.stale).toBeGreaterThan(0)
    expect(status.stale).toBeLessThan(40)
    expect(status.models.map(({ model, stale }) => [model, stale]).sort()).toEqual([
      ['others', false],
      ['words', true],
    ])

    await start({ LOAM_EMBEDDINGS_MODEL: 'others' })
    await write('fresh', 'just now')
    provider.requests.length = 0
    await work(kernel)
    expect(readSoFar()[0]).toContain('just now')
    expect(readSoFar()).toHaveLength(status.stale + 1)
    expect(await embeddingStatus(kernel)).toMatchObject({ stale: 0, missing: 0, backlog: 0 })
  })

  test('answers when it has read what stood before it, while more is written all the time', async () => {
    for (let i = 0; i < 40; i++) await write(`n${i}`, `text ${i}`)
    await work(kernel)
    await start({ LOAM_EMBEDDINGS_MODEL: 'others' })
    let written = 0
    // Whenever the model has read something, something is there that it has not.
    provider.fault = {
      delay: 20,
      when: (texts) => texts.length > 1 || texts[0]!.includes('steady'),
      meanwhile: async () => {
        if (written < STEADY && !(await answers()))
          await write(`s${++written}`, `steady ${written}`)
      },
    }
    await work(kernel)

    expect(await answers()).toBe(true)
    expect(written).toBeLessThan(STEADY)
    expect(await queued()).toEqual([])
  })

  test('reads at once what the one before it refused', async () => {
    for (let i = 0; i < 3; i++) await write(`n${i}`, i === 1 ? 'poison' : `text ${i}`)
    provider.fault = { status: 400, when: (texts) => texts.some((text) => text.includes('poison')) }
    for (const shift of ['0', '1 minute', '3 minutes', '8 minutes']) {
      await moveClock(shift)
      await work(kernel)
    }
    expect(await queued()).toMatchObject([{ id: 'n1', tries: 4 }])
    provider.fault = undefined
    await start({ LOAM_EMBEDDINGS_MODEL: 'others' })
    await work(kernel)
    expect((await vectors()).map(({ id }) => id)).toEqual(['n0', 'n1', 'n2'])
    expect(await embeddingStatus(kernel)).toMatchObject({ backlog: 0, failed: 0, lastError: '' })
  })

  test('that is given up on its way leaves nothing behind: no vector, no failure and no trouble', async () => {
    for (let i = 0; i < 40; i++) await write(`n${i}`, i === 0 ? 'poison' : `text ${i}`)
    await work(kernel)
    const [{ model } = { model: 0 }] = await vectors()

    await start({ LOAM_EMBEDDINGS_MODEL: 'others' })
    provider.fault = { status: 400, when: (texts) => texts.some((text) => text.includes('poison')) }
    await work(kernel, { going: () => readSoFar().length < 60 })
    provider.fault = { status: 500 }
    await work(kernel)
    expect(new Set((await vectors()).map(({ model }) => model)).size).toBe(2)
    expect(await embeddingStatus(kernel)).toMatchObject({
      failed: 1,
      trouble: { cause: 'the embedding provider is in trouble (status 500)' },
    })

    provider.fault = undefined
    await start()
    // A stop while they are taken away, and another process.
    let rounds = 0
    await work(kernel, { going: () => ++rounds <= 1 })
    await start()
    await work(kernel)
    expect(await vectors()).toHaveLength(40)
    expect((await vectors()).every((one) => one.model === model)).toBe(true)
    expect(await embeddingStatus(kernel)).toMatchObject({ backlog: 0, failed: 0, trouble: null })
  })

  test('keeps the vectors of the one before it until all is tried that it can read', async () => {
    const words = Array.from({ length: 90 }, (_, i) => (i === 0 ? 'poison' : `word${i}`))
    const text = words.map((word) => `# ${word}\n\n${Array(150).fill(word).join(' ')}`).join('\n\n')
    await write('long', text)
    while ((await indexQueued(kernel)) > 0);
    await work(kernel)
    expect(await vectors()).toHaveLength(90)

    await start({ LOAM_EMBEDDINGS_MODEL: 'others' })
    provider.fault = { status: 400, when: (texts) => texts.some((text) => text.includes('poison')) }
    await work(kernel)
    expect(await answers()).toBe(true)
    expect(await vectors()).toHaveLength(89)
    expect(await found('word89')).toEqual(['long'])
  })

  test('that never answered leaves no trouble behind', async () => {
    await write('tides', 'the moon pulls the sea')
    await work(kernel)
    await start({ LOAM_EMBEDDINGS_MODEL: 'others' })
    provider.fault = { status: 404 }
    await work(kernel)
    expect((await embeddingStatus(kernel)).trouble).toMatchObject({
      cause: expect.stringContaining('others'),
    })

    provider.fault = undefined
    await start()
    await work(kernel)
    expect((await embeddingStatus(kernel)).trouble).toBeNull()
  })

  test('what was written while embeddings were off is read when they are on', async () => {
    await switchEmbeddings(kernel, 'off')
    expect(await embeddingStatus(kernel)).toMatchObject({
      enabled: true,
      modeOff: true,
      restartNeeded: true,
    })
    await start()
    await write('tides', 'the moon pulls the sea')
    expect(await work(kernel)).toBe(0)
    expect(await embedQuery(kernel, 'moon')).toBeUndefined()
    expect(await embeddingStatus(kernel)).toMatchObject({
      enabled: false,
      overriddenOff: true,
      restartNeeded: false,
      missing: 1,
    })

    await switchEmbeddings(kernel, 'auto')
    expect(await embeddingStatus(kernel)).toMatchObject({ restartNeeded: true })
    await start()
    await work(kernel)
    expect(await found('the moon')).toEqual(['tides'])
  })

  test('items older than the vectors are read too', async () => {
    await write('tides', 'the moon pulls the sea')
    await sql`delete from embedding_queue`.execute(db)
    await work(kernel)
    expect(await found('the moon')).toEqual(['tides'])
  })
})

describe('making all vectors again', () => {
  test('replaces each, shows how far it is, and ends', async () => {
    for (let i = 0; i < 20; i++) await write(`n${i}`, `text ${i}`)
    await work(kernel)
    const before = await vectors()
    await moveClock('1 second')
    await start()
    expect(await reembed(kernel)).toMatchObject({ running: true, total: 20, done: 0 })
    await expect(reembed(kernel)).rejects.toThrow('already')
    // Nothing is missing meanwhile.
    expect(await found('text 7')).toContain('n7')

    let rounds = 0
    await work(kernel, { going: () => ++rounds <= 3 })
    const { reembed: part } = await embeddingStatus(kernel)
    expect(part).toMatchObject({ running: true, total: 20, failed: 0, finishedAt: null })
    expect(part.done).toBeGreaterThan(0)

    await start()
    await work(kernel)
    expect((await embeddingStatus(kernel)).reembed).toMatchObject({
      running: false,
      total: 20,
      done: 20,
      finishedAt: expect.any(String),
    })
    const after = await vectors()
    expect(after).toHaveLength(20)
    expect(Math.min(...after.map(({ made_at }) => +made_at))).toBeGreaterThan(
      Math.max(...before.map(({ made_at }) => +made_at)),
    )
    expect(await queued()).toEqual([])
  })

  test('ends when it has read what stood before it, though a note is written anew all the time', async () => {
    for (let i = 0; i < 20; i++) await write(`n${i}`, `text ${i}`)
    await work(kernel)
    await moveClock('1 second')
    await reembed(kernel)
    const isEnded = async () => !(await embeddingStatus(kernel)).reembed.running
    let written = 0
    // Whenever the model has read the note, it says something else.
    provider.fault = {
      delay: 20,
      meanwhile: async () => {
        if (written < STEADY && !(await isEnded())) await write('n7', `steady ${++written}`)
      },
    }
    await work(kernel)

    expect(written).toBeGreaterThan(0)
    expect(written).toBeLessThan(STEADY)
    const { reembed: state } = await embeddingStatus(kernel)
    expect(state).toMatchObject({ running: false, total: 20, done: 20 })
    expect(await queued()).toEqual([])
    expect(await found(`steady ${written}`)).toContain('n7')
  })

  test('takes other dimensions of the same model as they come', async () => {
    await write('tides', 'the moon pulls the sea')
    await work(kernel)
    provider.fault = { dims: 48 }
    await expect
      .poll(() => embedQuery(kernel, 'moon'), patient)
      .toMatchObject({ cause: expect.stringContaining('reembed') })

    await reembed(kernel)
    await work(kernel)

    expect(await found('the moon')).toEqual(['tides'])
    expect((await embeddingStatus(kernel)).models).toMatchObject([{ dims: 48, count: 1, notes: 1 }])
  })

  test('is refused without an embedder', async () => {
    await start({ LOAM_EMBEDDINGS_PROVIDER: 'off' })
    await expect(reembed(kernel)).rejects.toThrow('embeddings are off: embeddings.provider is off')
  })
})

test('what a process made after its lease has passed on is not kept', async () => {
  await write('tides', 'the moon pulls the sea')
  await withLease(kernel, 'embeddings', 60_000, async (lease) => {
    await moveClock('2 minutes')
    await expect(work(kernel, { lease })).rejects.toThrow('passed to another')
  })
  expect(await vectors()).toEqual([])
  expect(await queued()).toHaveLength(1)
})
