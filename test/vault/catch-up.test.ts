import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { STILL_READING } from '../../src/kernel/catch-up.ts'
import type { FailpointName } from '../../src/kernel/failpoint.ts'
import { newId } from '../../src/kernel/id.ts'
import { reconcile } from '../../src/vault/reconcile.ts'
import { oweRows } from '../../src/vault/unindexed.ts'
import type { Agent } from '../helpers/agent.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { openFolder } from '../helpers/folder.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { send } from '../helpers/wire.ts'

const soon = <T>(work: () => Promise<T>): Promise<T> =>
  vi.waitFor(work, { timeout: 60_000, interval: 50 })

/** A store whose database is lost, entered before a single file has been read. */
async function lost(fill: (agent: Agent, house: House) => Promise<void>) {
  const folder = await openFolder()
  onTestFinished(() => folder[Symbol.asyncDispose]())
  const first = await openHouse({ dir: folder.path })
  await fill(await first.connect(), first)
  await first.close()
  let read = (): void => {}
  const gate = new Promise<void>((resolve) => (read = resolve))
  const failpoint = (name: FailpointName) => (name === 'before-catch-up' ? gate : undefined)
  const house = await openHouse({ dir: folder.path, failpoint, behind: true })
  onTestFinished(async () => {
    read()
    await house.close()
  })
  const caughtUp = async (): Promise<void> => {
    read()
    await house.app.caughtUp
  }
  return { house, agent: await house.connect(), caughtUp }
}

const UNKNOWN = '01K9ZC4T7Q8V2M5N6P3R1S0WXY'

describe('before the rows have caught up with the files', () => {
  test('an item is found by its id and by its name, and can be changed', async () => {
    const ids: Record<string, string> = {}
    const { agent } = await lost(async (agent) => {
      for (const title of ['one', 'two', 'three', 'four', 'five']) {
        const note = { title, body: `of ${title}`, project: 'atlas' }
        ids[title] = (await agent.call('notes_create', note))['id']
      }
      for (const name of ['rule', 'habit', 'limit']) {
        const memory = { name, description: name, content: `of ${name}`, kind: 'gotcha' }
        await agent.call('memory_write', { ...memory, project: 'atlas' })
      }
    })

    expect(await agent.call('notes_read', { id: ids['one'] })).toMatchObject({ body: 'of one' })
    const named = await agent.call('notes_read', { slug: 'two', project: 'atlas' })
    expect(named).toMatchObject({ body: 'of two' })
    await agent.call('notes_append', { id: ids['three'], body: 'more' })
    await agent.call('favorite_set', { kind: 'note', id: ids['four'], favorite: true })
    await agent.call('notes_delete', { id: ids['five'] })
    expect(await agent.call('memory_read', { name: 'atlas/rule' })).toMatchObject({ name: 'rule' })
    await agent.call('memory_append', { name: 'habit', content: 'more', project: 'atlas' })
    const next = { name: 'next', description: 'd', content: 'c', kind: 'gotcha', project: 'atlas' }
    expect(await agent.call('memory_write', { ...next, supersedes: 'limit' })).toMatchObject({
      superseded: 'atlas/limit',
    })
  })

  test('what cannot be found yet is not denied, and is once all has been read', async () => {
    const { house, agent, caughtUp } = await lost(async (agent) => {
      await agent.call('notes_create', { title: 'one', body: 'b', project: 'atlas' })
    })
    const calls = [
      ['notes_read', { id: UNKNOWN }],
      ['notes_append', { id: UNKNOWN, body: 'more' }],
      ['notes_delete', { id: UNKNOWN }],
      ['memory_read', { name: 'nothing' }],
      ['memory_delete', { name: 'nothing' }],
      ['favorite_set', { kind: 'memory', id: 'nothing', favorite: true }],
      ['tasks_update', { id: UNKNOWN, title: 'T' }],
    ] as const
    const page = { path: `/console/notes/${UNKNOWN}?format=json` }
    const headers = { authorization: `Bearer ${house.key}` }

    for (const [tool, args] of calls) {
      await expect(agent.call(tool, args)).rejects.toThrow(`${tool}: ${STILL_READING}`)
    }
    expect(await send(house.url, { ...page, headers })).toMatchObject({
      status: 503,
      body: { error: STILL_READING },
    })
    await caughtUp()
    for (const [tool, args] of calls) {
      await expect(agent.call(tool, args)).rejects.toThrow(/: no (note|memory) |: task not found/)
    }
    expect(await send(house.url, { ...page, headers })).toMatchObject({ status: 404 })
  })

  test('an item behind a fence answers like one that does not exist', async () => {
    let hidden = ''
    const { agent, caughtUp } = await lost(async (agent, house) => {
      await agent.call('project_create', { name: 'ledger', isolation: 'confidential' })
      const inside = await house.inside('ledger', 'confidential')
      hidden = (await inside.call('notes_create', { title: 'secret', body: 'b' }))['id']
    })
    const ask = async (id: string): Promise<string> => {
      const text = await agent.call('notes_read', { id }).then(
        () => 'found',
        (error: Error) => error.message,
      )
      return text.replace(id, '…')
    }

    expect(await ask(hidden)).toBe(await ask(UNKNOWN))
    expect(await ask(hidden)).toBe(`notes_read: ${STILL_READING}`)
    await caughtUp()
    expect(await ask(hidden)).toBe(await ask(UNKNOWN))
  })

  test('a search and a briefing say that they may lack something', async () => {
    const { house, agent, caughtUp } = await lost(async (agent) => {
      await agent.call('notes_create', { title: 'zebra', body: 'b', project: 'global' })
    })
    const brief = async (): Promise<string> => {
      const bob = await house.connect('bob')
      return (await bob.call('session_start', { project: 'global' }))['briefing']
    }

    const before = await agent.call('recall', { query: 'zebra', project: 'global' })
    expect(before).toMatchObject({ hits: [], incomplete: STILL_READING })
    expect(await brief()).toContain('The store is still being read')
    expect(await brief()).not.toContain('nothing is known yet')
    await caughtUp()
    const after = await agent.call('recall', { query: 'zebra', project: 'global' })
    expect(after['hits']).toHaveLength(1)
    expect(after).not.toHaveProperty('incomplete')
    expect(await brief()).not.toContain('still being read')
  })

  test.runIf(process.env['LOAM_TEST_DATABASE_URL'])(
    'a search says so where another process has yet to read them, as of when it was asked',
    async () => {
      await using house = await openHouse({ database: await openTestDatabase() })
      const { db } = house.app.kernel
      const agent = await house.connect()
      const lacks = async (): Promise<unknown> =>
        (await agent.call('recall', { query: 'zebra', project: 'global' }))['incomplete']
      const say = (files_read_at: Date | null) =>
        db.updateTable('store').set({ files_read_at }).execute()

      expect(await lacks()).toBeUndefined()
      await say(null)
      expect(await lacks()).toBe(STILL_READING)
      expect(await lacks()).toBe(STILL_READING)
      // Whoever hears of it first cannot know how long it has been so.
      await say(new Date())
      expect(await lacks()).toBe(STILL_READING)
      expect(await lacks()).toBeUndefined()
    },
  )

  test('health says so, and readiness waits for it', async () => {
    const { house, caughtUp } = await lost(async (agent) => {
      await agent.call('notes_create', { title: 'one', body: 'b', project: 'atlas' })
    })
    const look = async (path: string) => {
      const { status, body } = await send(house.url, { path })
      return [status, body.status]
    }

    expect(await look('/healthz')).toEqual([200, 'catching up'])
    expect(await look('/healthz?ready=1')).toEqual([503, 'catching up'])
    await caughtUp()
    expect(await look('/healthz')).toEqual([200, 'ok'])
    expect(await look('/healthz?ready=1')).toEqual([200, 'ok'])
  })
})

describe('a file whose rows are owed', () => {
  test('is found by id and by name at once, by any process on the store', async () => {
    await using house = await openHouse({ database: await openTestDatabase() })
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', { title: 'T', body: 'b', project: 'atlas' })
    const { db, vault } = house.app.kernel
    for (const named of [{ id }, { slug: 't', project: 'atlas' }]) {
      await db.deleteFrom('notes').execute()
      await db.deleteFrom('files').execute()
      await oweRows(vault.disk, ['notes/atlas/t.md'])

      expect(await agent.call('notes_read', named)).toMatchObject({ id, body: 'b' })
    }
    await soon(async () => expect(await readdir(join(house.dir, '.unindexed'))).toEqual([]))
  })

  test('gets them by itself, without anybody asking', async () => {
    await using house = await openHouse({ database: await openTestDatabase() })
    const agent = await house.connect()
    await agent.call('notes_create', { title: 'T', body: 'b', project: 'atlas' })
    const { db, vault } = house.app.kernel
    await db.deleteFrom('notes').execute()
    await db.deleteFrom('files').execute()

    await oweRows(vault.disk, ['notes/atlas/t.md'])

    await soon(async () =>
      expect(await db.selectFrom('notes').select('slug').execute()).toEqual([{ slug: 't' }]),
    )
    expect(await house.events('note.deleted')).toEqual([])
    expect((await house.events('note.written')).map(({ payload }) => payload['outside'])).toEqual([
      undefined,
    ])
  })
})

describe('a file that another program moved a moment ago', () => {
  test('is followed by a read and by a write, before anybody has noticed', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', { title: 'T', body: 'b', project: 'atlas' })
    await mkdir(join(house.dir, 'notes/delta'), { recursive: true })
    await rename(join(house.dir, 'notes/atlas/t.md'), join(house.dir, 'notes/delta/t.md'))

    expect(await agent.call('notes_read', { id })).toMatchObject({ project: 'delta', body: 'b' })
    await rename(join(house.dir, 'notes/delta/t.md'), join(house.dir, 'notes/atlas/t.md'))
    await agent.call('notes_append', { id, body: 'more' })
    expect(await agent.call('notes_read', { id })).toMatchObject({ project: 'atlas' })
  })

  test('is followed among hundreds that moved with it, and these are not waited for', async () => {
    await using house = await openHouse()
    await house.app.caughtUp
    const folder = join(house.dir, 'notes/atlas')
    await mkdir(folder, { recursive: true })
    const ids = Array.from({ length: 250 }, () => newId(new Date()))
    for (const [n, id] of ids.entries())
      await writeFile(join(folder, `n${n + 100}.md`), `---\nid: ${id}\ntitle: T\n---\nB\n`)
    await reconcile(house.app.kernel)
    const agent = await house.connect()

    await rename(folder, join(house.dir, 'notes/delta'))
    expect(await agent.call('notes_read', { id: ids.at(-1) })).toMatchObject({ project: 'delta' })

    const { db } = house.app.kernel
    const moved = await db.selectFrom('notes').select('id').where('project', '=', 'delta').execute()
    expect(moved.length).toBeLessThan(200)
  })

  test('is refused as removed when it lies nowhere', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', { title: 'T', body: 'b', project: 'atlas' })
    await rm(join(house.dir, 'notes/atlas/t.md'))

    await expect(agent.call('notes_read', { id })).rejects.toThrow(
      /^notes_read: no note with id "[^"]+"(: its file was removed)?$/,
    )
  })

  test('and one put there by hand is found by its name', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await agent.call('notes_create', { title: 'T', body: 'b', project: 'atlas' })
    const head = `---\nid: ${UNKNOWN}\ntitle: U\ncreated: 2026-01-01T00:00:00Z\n`
    const text = `${head}updated: 2026-01-01T00:00:00Z\n---\nby hand\n`
    await writeFile(join(house.dir, 'notes/atlas/u.md'), text)

    const note = await agent.call('notes_read', { slug: 'u', project: 'atlas' })
    expect(note).toMatchObject({ id: UNKNOWN, body: 'by hand\n' })
  })
})
