import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { statusLines } from '../../src/cli/operator/embeddings/status-lines.ts'
import { loadConfig } from '../../src/config.ts'
import {
  embeddingStatus,
  embeddingWorker,
  foldLeft,
  learnAgain,
  learningInTurns,
  learnedStatus,
  likenessOf,
  openEmbedder,
  reembed,
} from '../../src/embeddings/embeddings.ts'
import { foldAll } from '../../src/embeddings/learned/fold-in.ts'
import {
  openStoreEmbedder,
  type StoreEmbedder,
} from '../../src/embeddings/learned/store-embedder.ts'
import type { Embedder } from '../../src/kernel/embedder.ts'
import type { Kernel } from '../../src/kernel/kernel.ts'
import { inTransaction } from '../../src/postgres/transaction.ts'
import type { Agent } from '../helpers/agent.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { openProvider } from '../helpers/provider.ts'
import { NOTES, PASSAGES, stock, textOf } from '../helpers/subjects.ts'

async function openLearned(): Promise<{ house: House; agent: Agent }> {
  const house = await openHouse({ env: ROOMY })
  const agent = await house.connect()
  await agent.call('project_create', { name: 'Atlas' })
  await stock(agent)
  expect(await learnAgain(house.app.kernel)).toBe(true)
  return { house, agent }
}

/** Answers are as long as they are. */
const ROOMY = { LOAM_BUDGETS_RECALL_BUDGET_TOKENS: '1000000' }

interface Hit {
  title: string
  source: string
  score: number
}
const ask = async (agent: Agent, query: string): Promise<Hit[]> =>
  (await agent.call('recall', { query, project: 'atlas', limit: 20 })).hits as Hit[]

/** Kills the process that learns as a machine without memory does; false when it ended without one. */
async function killedWhile(learning: Promise<unknown>): Promise<boolean> {
  let isOver = false
  void learning.finally(() => (isOver = true))
  while (!isOver) {
    const pid = await learner()
    if (pid !== undefined) return process.kill(pid, 'SIGKILL')
    await sleep(5)
  }
  return false
}

/** The process that learns for this one. */
async function learner(): Promise<number | undefined> {
  const tasks = `/proc/${process.pid}/task`
  for (const task of await readdir(tasks)) {
    const children = await readFile(`${tasks}/${task}/children`, 'utf8').catch(() => '')
    for (const child of children.split(' ').filter(Boolean)) {
      const command = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '')
      if (command.includes('fit-process')) return Number(child)
    }
  }
  return undefined
}

/** What becomes of each model, the oldest first. */
async function states({ db }: Kernel): Promise<string[]> {
  const { rows } = await sql<{
    state: string
  }>`select state from models order by number`.execute(db)
  return rows.map(({ state }) => state)
}

/** Learns anew, and stops as soon as the new model is kept and known. */
async function learnHalf(kernel: Kernel): Promise<void> {
  const store = kernel.embedder as Embedder & { refresh(): Promise<void> }
  const { refresh } = store
  let stopped = false
  store.refresh = async () => {
    await refresh()
    stopped = (await states(kernel)).includes('filling')
  }
  expect(await learnAgain(kernel, { anew: true, going: () => !stopped })).toBe(false)
  store.refresh = refresh
  expect(await states(kernel)).toEqual(['serving', 'filling'])
}

describe('what is learned of the passages themselves', () => {
  test('finds what has none of the words that are asked, and what was just written', async () => {
    const { house, agent } = await openLearned()
    await using _ = house
    const found = await ask(agent, 'harbour ferry')
    expect(found.some(({ source }) => source === 'semantic' || source === 'fused')).toBe(true)

    const { kernel } = house.app
    const learned = await learnedStatus(kernel)
    expect(learned).toMatchObject({ passages: PASSAGES, questions: expect.any(Number) })
    expect(learned!.fused).toBeGreaterThanOrEqual(learned!.words - 0.005)
    // It tells subjects apart, and not what is said of one.
    expect(await likenessOf(kernel)).toBeUndefined()
    const lines = [...statusLines({ ...(await embeddingStatus(kernel)), learned })]
    expect(lines[0]).toBe('on: store (store)')
    expect(lines[1]).toMatch(
      /^learned from 330 passages, answering since 2\S+, at weight 0: no sentence of them stands in one item alone/,
    )

    await agent.call('notes_create', {
      title: 'Fresh',
      body: 'lighthouse mooring buoy',
      project: 'atlas',
    })
    const began = performance.now()
    const { hits } = await agent.call('recall', {
      query: 'harbour ferry tide',
      project: 'atlas',
      limit: 100,
      explain: true,
    })
    expect((hits as Hit[]).find(({ title }) => title === 'Fresh')).toMatchObject({
      source: 'semantic',
    })
    expect(performance.now() - began).toBeLessThan(2_000)
  })

  test('is seen by who has just changed it, though a look of before is still under way', async () => {
    const { house } = await openLearned()
    await using _ = house
    const { kernel } = house.app
    const [seen, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let isHeld = false
    const db = kernel.db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (!isHeld) return result
        isHeld = false
        seen.resolve()
        await held.promise
        return result
      },
    })
    const store = await openStoreEmbedder({ db, log: kernel.log })
    expect(store.readers().size).toBe(1)
    isHeld = true
    const looking = store.look()
    await seen.promise
    await sql`update models set state = 'leaving' where learned`.execute(kernel.db)
    const refreshed = store.refresh()
    held.resolve()
    await Promise.all([looking, refreshed])
    expect(store.readers().size).toBe(0)
  })

  test('is held up by nothing, though the provider before it was', async () => {
    const { house } = await openLearned()
    await using _ = house
    await using provider = await openProvider()
    provider.fault = { status: 500 }
    const { kernel } = house.app
    const { db, log } = kernel
    const { config } = await loadConfig({
      env: { HOME: '/nowhere', ...provider.env },
      cwd: '/nowhere',
    })
    const embedder = await openEmbedder({ db, config, log })
    await embeddingWorker({ deadlineMs: 20_000, attempts: 1 })({ ...kernel, config, embedder })
    expect((await embeddingStatus({ ...kernel, config, embedder })).trouble).not.toBeNull()
    await embedder.close()

    const status = await embeddingStatus(kernel)
    expect(status).toMatchObject({ enabled: true, model: 'store', trouble: null })
    expect([...statusLines(status)].join('\n')).not.toContain('held up')
  })

  test('is not asked beside words that leave it no room, where it counts nothing', async () => {
    const { house, agent } = await openLearned()
    await using _ = house
    expect(await learnedStatus(house.app.kernel)).toMatchObject({ weight: 0 })
    const sources = async () =>
      new Set((await ask(agent, 'harbour ferry')).map(({ source }) => source))
    expect(await sources()).not.toEqual(new Set(['fts']))
    await Promise.all(
      Array.from({ length: 60 }, (_, nth) =>
        agent.call('memory_write', {
          ...{ name: `berth-${nth}`, kind: 'reference', project: 'atlas' },
          ...{ description: `The harbour has berth ${nth}`, body: 'The ferry calls there.' },
        }),
      ),
    )
    expect(await sources()).toEqual(new Set(['fts']))
  })

  test('shows a new memory no memory like itself but another, however late it is looked for', async () => {
    const { house, agent } = await openLearned()
    await using _ = house
    const { kernel } = house.app
    const write = (name: string) =>
      agent.call('memory_write', {
        ...{ name, kind: 'reference', project: 'atlas' },
        ...{
          description: 'The harbour has a ferry and a lighthouse',
          body: 'With a mooring buoy.',
        },
      })
    const { embedder } = kernel
    const embed: Embedder['embed'] = async (...asked) => {
      await sleep(300)
      return embedder.embed(...asked)
    }
    kernel.embedder = new Proxy(embedder, {
      get: (own, key) => {
        const value: unknown = key === 'embed' ? embed : Reflect.get(own, key)
        return typeof value === 'function' ? value.bind(own) : value
      },
    })
    expect(await write('first')).not.toHaveProperty('similar')
    expect(await write('second')).toMatchObject({ similar: { name: 'first' } })
    expect(await write('second')).not.toHaveProperty('similar')
  })

  test('needs nobody to set it up, and begins with 300 passages', async () => {
    await using house = await openHouse({ env: ROOMY })
    const agent = await house.connect()
    await stock(agent, 1)
    expect(await learnAgain(house.app.kernel)).toBe(false)
    const status = await embeddingStatus(house.app.kernel)
    expect(status).toMatchObject({ enabled: false, provider: 'store', misconfigured: false })
    expect(await agent.call('recall', { query: 'harbour', project: 'atlas' })).not.toHaveProperty(
      'degraded',
    )
  })

  test('the same passages give the same model, whatever a fence hides', async () => {
    const bytes: string[] = []
    for (const hidden of [false, true]) {
      await using house = await openHouse({ env: ROOMY })
      const agent = await house.connect()
      if (hidden) await stock(await house.inside('ledger', 'confidential'), 2, 'ledger')
      await stock(agent)
      expect(await learnAgain(house.app.kernel)).toBe(true)
      const { rows } = await sql<{ name: string; checked: unknown }>`
        select name, checked from models where learned`.execute(house.app.kernel.db)
      bytes.push(JSON.stringify(rows))
      // What a fence hides is read, though nothing is learned of it.
      const { rows: counts } = await sql<{ unread: number }>`
        select count(*)::int as unread from passages p where not exists (
          select from vectors v where v.kind = p.kind and v.id = p.id and v.chunk = p.chunk)`.execute(
        house.app.kernel.db,
      )
      expect(counts).toEqual([{ unread: 0 }])
    }
    expect(bytes[0]).toBe(bytes[1])
  })

  test('a new model answers whole, and the old one goes', async () => {
    const { house, agent } = await openLearned()
    await using _ = house
    const { kernel } = house.app
    const served = async () =>
      (
        await sql<{ number: number; state: string; vectors: number }>`
          select m.number, m.state, (select count(*)::int from vectors v where v.model = m.number) as vectors
          from models m order by m.number`.execute(kernel.db)
      ).rows
    const [first] = await served()
    expect(first).toMatchObject({ state: 'serving', vectors: PASSAGES })
    // Nothing new: the same model, which stays.
    expect(await learnAgain(kernel, { anew: true })).toBe(false)
    expect(await served()).toEqual([first])

    await agent.call('notes_create', {
      title: 'One more',
      body: textOf(1) + ' orchestra',
      project: 'atlas',
    })
    expect(await learnAgain(kernel, { anew: true })).toBe(true)
    expect(await served()).toMatchObject([
      { number: first!.number, state: 'leaving', vectors: PASSAGES + 1 },
      { state: 'serving', vectors: PASSAGES + 1 },
    ])
    await sql`update models set since = since - interval '1 minute'`.execute(kernel.db)
    // Whoever may not know yet that it leaves is waited for: any transaction of the server, of other tests too.
    await expect
      .poll(
        async () => {
          await learnAgain(kernel)
          return served()
        },
        { timeout: 30_000 },
      )
      .toMatchObject([{ state: 'serving', vectors: PASSAGES + 1 }])
    expect((await ask(agent, 'harbour ferry')).length).toBeGreaterThan(0)
  })

  test('stopped on its way, the old model answers, and the next run goes on', async () => {
    const { house, agent } = await openLearned()
    await using _ = house
    const { kernel } = house.app
    const text = `${textOf(1)} orchestra`
    await agent.call('notes_create', { title: 'One more', body: text, project: 'atlas' })
    await learnHalf(kernel)
    expect((await ask(agent, 'harbour ferry')).length).toBeGreaterThan(0)
    // What is written meanwhile is read by both.
    await agent.call('notes_create', { title: 'Between', body: text, project: 'atlas' })
    const { rows } = await sql<{ models: number }>`
      select count(*)::int as models from vectors v join notes n on n.id = v.id where n.title = 'Between'`.execute(
      kernel.db,
    )
    const waits = await kernel.db.selectFrom('fold_queue').selectAll().execute()
    expect(rows[0]!.models === 2 || waits.length > 0).toBe(true)

    expect(await learnAgain(kernel)).toBe(true)
    expect(await states(kernel)).toEqual(['leaving', 'serving'])
    const { rows: unread } = await sql<{ unread: number }>`
      select count(*)::int as unread from passages p where not exists (
        select from vectors v join models m on m.number = v.model and m.state = 'serving'
        where v.kind = p.kind and v.id = p.id and v.chunk = p.chunk)`.execute(kernel.db)
    expect(unread).toEqual([{ unread: 0 }])
  })

  test('half learned and restored into another cluster, it is learned to its end, and the old model goes', async () => {
    const { house, agent } = await openLearned()
    await using _ = house
    const { kernel } = house.app
    await agent.call('notes_create', {
      title: 'One more',
      body: `${textOf(1)} orchestra`,
      project: 'atlas',
    })
    await learnHalf(kernel)
    // The numbers of transactions in a dump are those of the cluster that it is from.
    await sql`update models set after = '18446744073709551000'`.execute(kernel.db)
    const end = performance.now() + 20_000
    const going = () => performance.now() < end
    expect(await learnAgain(kernel, { going })).toBe(true)
    expect(await states(kernel)).toEqual(['leaving', 'serving'])
    await sql`update models set after = '18446744073709551000', since = since - interval '1 minute'`.execute(
      kernel.db,
    )
    await learnAgain(kernel, { going })
    expect(await states(kernel)).toEqual(['serving'])
  })

  test('making all vectors again learns anew, and ends when that answers', async () => {
    const { house, agent } = await openLearned()
    await using _ = house
    const { kernel } = house.app
    await agent.call('notes_create', {
      title: 'One more',
      body: `${textOf(1)} orchestra`,
      project: 'atlas',
    })
    expect(await reembed(kernel)).toMatchObject({ running: true, total: NOTES + 1, done: 0 })
    await expect(reembed(kernel)).rejects.toThrow('are being made again already')
    expect(await learnAgain(kernel, { going: () => false })).toBe(false)
    expect((await embeddingStatus(kernel)).reembed.running).toBe(true)

    expect(await learnAgain(kernel)).toBe(true)
    const ended = { running: false, total: NOTES + 1, done: NOTES + 1, failed: 0 }
    expect((await embeddingStatus(kernel)).reembed).toMatchObject(ended)
    expect(await learnAgain(kernel)).toBe(false)
    // Of the same passages the same model comes: there is nothing to turn to.
    await reembed(kernel)
    expect(await learnAgain(kernel)).toBe(false)
    expect((await embeddingStatus(kernel)).reembed).toMatchObject(ended)
  })

  test('ended by the machine again and again, it is tried less and less often, and at once when asked', async () => {
    const { house } = await openLearned()
    await using _ = house
    const { kernel } = house.app
    await sql`update models set made_at = made_at - interval '2 days'`.execute(kernel.db)
    let nowMs = 0
    const learn = learningInTurns(() => nowMs)
    const isTried = async (): Promise<boolean> => {
      const learning = learn(kernel, {})
      const killed = await killedWhile(learning)
      expect(await learning).toBe(false)
      return killed
    }
    const minutesUntilTried = async (): Promise<number> => {
      for (let minutes = 1; minutes <= 10; minutes++) {
        nowMs += 60_000
        if (await isTried()) return minutes
      }
      return Infinity
    }
    const tried: number[] = []
    for (let n = 0; n < 4; n++) tried.push(await minutesUntilTried())
    expect(tried).toEqual([1, 1, 2, 4])

    expect(await isTried()).toBe(false)
    await reembed(kernel)
    expect(await isTried()).toBe(true)
    expect(await isTried()).toBe(false)
    expect(await states(kernel)).toEqual(['serving'])

    const isAsked = async () => (await embeddingStatus(kernel)).reembed.running
    expect(await isAsked()).toBe(true)
    // Left alone it learns what it knew, since nothing was written.
    nowMs += 16 * 60_000
    await learn(kernel, {})
    expect(await isAsked()).toBe(false)
    expect(await states(kernel)).toEqual(['serving'])
  })

  test('what one process has learned answers in another one as well', async () => {
    await using house = await openHouse({ env: ROOMY })
    const { kernel } = house.app
    const agent = await house.connect()
    const learning = kernel.embedder
    const other = await openEmbedder(kernel)
    await stock(agent)
    expect(await learnAgain(kernel)).toBe(true)

    kernel.embedder = other
    // It looks once a second whether another one has learned something.
    const means = async () =>
      (await ask(agent, 'harbour ferry')).some(
        ({ source }) => source === 'semantic' || source === 'fused',
      )
    await expect.poll(means, { timeout: 5_000, interval: 100 }).toBe(true)
    expect(await embeddingStatus(kernel)).toMatchObject({ enabled: true, missing: 0 })
    kernel.embedder = learning
  })

  test('what a process wrote that did not know of the model is read later', async () => {
    const { house, agent } = await openLearned()
    await using _ = house
    const { kernel } = house.app
    const { embedder } = kernel
    const fold = embedder.fold
    embedder.fold = () => ({ folds: [], held: [] })
    await agent.call('notes_create', {
      title: 'Late',
      body: 'lighthouse mooring buoy',
      project: 'atlas',
    })
    embedder.fold = fold
    const waits = async () =>
      (await kernel.db.selectFrom('fold_queue').selectAll().execute()).length
    if ((await waits()) > 0) await foldLeft(kernel, { going: () => true })
    await expect.poll(waits).toBe(0)
    const { hits } = await agent.call('recall', {
      query: 'harbour ferry tide',
      project: 'atlas',
      limit: 100,
      explain: true,
    })
    expect((hits as Hit[]).map(({ title }) => title)).toContain('Late')
  })
  test.skipIf(!process.env['LOAM_TEST_DATABASE_URL'])(
    'what somebody moves while it is to be read is read afterwards',
    async () => {
      const { house, agent } = await openLearned()
      await using _ = house
      const { kernel } = house.app
      const going = () => true
      const write = async (title: string): Promise<string> => {
        const note = { title, body: 'lighthouse mooring buoy', project: 'atlas' }
        return ((await agent.call('notes_create', note)) as { id: string }).id
      }
      const unread = async (id: string) =>
        (
          await sql<{ models: number }>`
            select m.number from models m where m.state = 'serving' and not exists (
              select from vectors v where v.model = m.number and v.id = ${id})`.execute(kernel.db)
        ).rows.length
      /** As who moves it, or sets it to rest, changes its passages. */
      const whileMoved = (id: string, work: () => Promise<unknown>) =>
        inTransaction(kernel, async ({ db }) => {
          await sql`update passages set place = place where id = ${id}`.execute(db)
          await work()
        })
      const { embedder } = kernel
      const fold = embedder.fold
      embedder.fold = () => ({ folds: [], held: [] })
      const late = await write('Late')
      embedder.fold = fold
      await whileMoved(late, () => foldLeft(kernel, { going }))
      await expect
        .poll(async () => (await foldLeft(kernel, { going }), unread(late)), { timeout: 10_000 })
        .toBe(0)

      // So it is where a new model reads everything.
      const moved = await write('Moved')
      await sql`delete from vectors where id = ${moved}`.execute(kernel.db)
      const [[number, reader] = expect.fail()] = (embedder as StoreEmbedder).readers()
      await whileMoved(moved, () => foldAll(kernel, number, reader, { going }))
      await expect
        .poll(async () => (await foldLeft(kernel, { going }), unread(moved)), { timeout: 10_000 })
        .toBe(0)
    },
  )

  test('goes in the night when too little is left to learn from, with the words of what was deleted', async () => {
    const { house, agent } = await openLearned()
    await using _ = house
    const { kernel } = house.app
    const [note] = await kernel.db.selectFrom('notes').select('id').limit(1).execute()
    await agent.call('notes_delete', { id: note!.id })
    const left = async () =>
      (
        await sql<{ models: number; vectors: number; parts: number }>`
          select (select count(*)::int from models) as models, (select count(*)::int from vectors) as vectors,
            (select count(*)::int from model_parts) as parts`.execute(kernel.db)
      ).rows[0]!
    expect(await learnAgain(kernel)).toBe(false)
    expect(await learnedStatus(kernel)).toBeDefined()

    await sql`update models set made_at = made_at - interval '1 day'`.execute(kernel.db)
    expect(await learnAgain(kernel)).toBe(false)
    expect(await learnedStatus(kernel)).toBeUndefined()
    expect(kernel.embedder.state()).toMatchObject({ on: false, chosen: true })
    const sources = (await ask(agent, 'harbour ferry')).map(({ source }) => source)
    expect(new Set(sources)).toEqual(new Set(['fts']))
    await sql`update models set since = since - interval '1 minute'`.execute(kernel.db)
    await expect
      .poll(async () => (await learnAgain(kernel), left()), { timeout: 30_000 })
      .toEqual({ models: 0, vectors: 0, parts: 0 })
  })
})
