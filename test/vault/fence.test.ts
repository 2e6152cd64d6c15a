import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { FailpointName } from '../../src/kernel/failpoint.ts'
import { lockKey } from '../../src/vault/paths.ts'
import { vaultWriter } from '../../src/vault/write.ts'
import { appendToDocument } from '../../src/documents/documents.ts'
import { noteDocument } from '../../src/notes/notes.ts'
import { scopesFor } from '../../src/projects/projects.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { NOBODY_KNOWN } from '../helpers/callers.ts'

const PATH = 'notes/atlas/t.md'

/** Every connection that a pool of this process has opened, so that one can be cut. */
const clients = new Set<pg.Client>()
const connect = pg.Client.prototype.connect
vi.spyOn(pg.Client.prototype, 'connect').mockImplementation(function (this: pg.Client, done) {
  clients.add(this)
  this.on('end', () => clients.delete(this))
  return connect.call(this, done)
} as typeof connect)
afterEach(() => clients.clear())

/** Cuts every connection that is in a transaction: what ended with its backend ended its locks. */
async function cutWriters(house: House): Promise<void> {
  const { kind, db } = house.app.database
  if (kind === 'server') {
    const key = lockKey(PATH)
    await sql`
      select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())
        and (classid::bigint << 32 | objid::bigint) = ${key}::bigint`.execute(db)
    return
  }
  for (const client of clients) {
    const { connection, _txStatus } = client as unknown as {
      connection: { stream: { destroy(): void } }
      _txStatus?: string
    }
    if (_txStatus === 'T') connection.stream.destroy()
  }
}

/** A house whose next write does something at a failpoint, once. */
async function armedHouse() {
  let armed: { at: FailpointName; act: () => Promise<void> | void } | undefined
  const house = await openHouse({
    database: await openTestDatabase({ pool: 8 }),
    async failpoint(name) {
      if (name !== armed?.at) return
      const { act } = armed
      armed = undefined
      await act()
    },
  })
  const agent = await house.connect()
  const note = { title: 'T', body: 'first\n', project: 'atlas' }
  const { id } = await agent.call('notes_create', note)
  const arm = (at: FailpointName, act: () => Promise<void> | void): void =>
    void (armed = { at, act })
  return { house, agent, id: id as string, arm }
}

/** By another process: this one's queue would make it wait for the first writer. */
function appendElsewhere(house: House, id: string, text: string): Promise<unknown> {
  const { vault } = house.app.kernel
  const { disk, health, folders, assertPresent } = vault
  const write = vaultWriter({ disk, health, folders, assertPresent, writers: 2, inTurns: false })
  const kernel = { ...house.app.kernel, vault: { ...vault, write } }
  const { reach, actor } = scopesFor(kernel, NOBODY_KNOWN)
  const target = { scope: reach, address: { id } }
  return appendToDocument(kernel, actor, noteDocument, target, text)
}

const bodyOf = async (house: House): Promise<string> =>
  (await readFile(join(house.dir, PATH), 'utf8')).split('---\n').at(-1) ?? ''

/** File and row say the same, and the log has each act once. */
async function consistent(house: House, id: string, acts: number): Promise<void> {
  expect((await house.note(id)).content_hash).toBe(await house.sha256(PATH))
  expect(await house.events('note.written')).toHaveLength(acts)
}

describe('a writer whose connection dies during the fsync', () => {
  test('does not overwrite who wrote and was acknowledged meanwhile', async () => {
    const { house, agent, id, arm } = await armedHouse()
    await using _ = house
    let second: Promise<unknown> = Promise.resolve()
    arm('after-fsync', async () => {
      // A slow disk: the rows have long been written when the connection goes.
      await sleep(1_000)
      await cutWriters(house)
      second = appendElsewhere(house, id, 'second')
      await second
    })

    const first = agent.call('notes_append', { id, body: 'lost or last' })
    const outcome = await first.then(
      () => 'written',
      (error: Error) => error.message,
    )
    await second

    const body = await bodyOf(house)
    expect(body).toContain('second')
    // Refused, or begun again on top of what the other wrote: never in its place.
    if (outcome === 'written') expect(body).toMatch(/second[^]*lost or last/)
    else {
      expect(outcome).toBe('notes_append: the database does not answer; try again')
      expect(body).not.toContain('lost or last')
    }
    await consistent(house, id, outcome === 'written' ? 3 : 2)
  })
})

describe('a failure before the rename', () => {
  test.each(['before-temp', 'after-temp', 'after-fsync', 'before-rename'] as const)(
    '%s leaves file, row and log as they were',
    async (at) => {
      const { house, agent, id, arm } = await armedHouse()
      await using _ = house
      arm(at, () => {
        throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
      })

      await expect(agent.call('notes_append', { id, body: 'more' })).rejects.toThrow(
        /^notes_append: storage full$/,
      )

      expect(await bodyOf(house)).toBe('first\n')
      expect(await house.files()).toEqual([PATH])
      await consistent(house, id, 1)
    },
  )
})

describe('a failure after the rename', () => {
  test.each(['after-rename', 'after-dir-fsync', 'before-commit', 'after-commit'] as const)(
    '%s is answered as a success that was applied once',
    async (at) => {
      const { house, agent, id, arm } = await armedHouse()
      await using _ = house
      arm(at, () => {
        throw new Error('the cable is out')
      })

      const answer = await agent.call('notes_append', { id, body: 'more' })

      expect(answer).not.toHaveProperty('indexed')
      expect((await bodyOf(house)).match(/more/g)).toHaveLength(1)
      await consistent(house, id, 2)
    },
  )

  test('with the connection lost as well is completed on another one', async () => {
    const { house, agent, id, arm } = await armedHouse()
    await using _ = house
    arm('before-commit', () => cutWriters(house))

    const answer = await agent.call('notes_append', { id, body: 'more' })

    expect(answer).not.toHaveProperty('indexed')
    expect((await bodyOf(house)).match(/more/g)).toHaveLength(1)
    await consistent(house, id, 2)
  })

  test('with the connection lost and another writer first is in the log all the same', async () => {
    const { house, agent, id, arm } = await armedHouse()
    await using _ = house
    arm('after-rename', async () => {
      await cutWriters(house)
      await appendElsewhere(house, id, 'second')
    })

    await agent.call('notes_append', { id, body: 'first of two' })

    expect(await bodyOf(house)).toMatch(/first of two[^]*second/)
    await consistent(house, id, 3)
  })

  test('of a move is answered as a success, with the note in one place', async () => {
    const { house, agent, id, arm } = await armedHouse()
    await using _ = house
    arm('after-rename', () => {
      throw new Error('the cable is out')
    })

    await agent.call('notes_update', { id, project: 'delta' })

    expect(await house.files()).toEqual(['notes/delta/t.md'])
    expect(await agent.call('notes_read', { id })).toMatchObject({ project: 'delta' })
  })

  test('says that the note is not indexed when the database stays away', async () => {
    const { house, agent, id, arm } = await armedHouse()
    await using _ = house
    const { kernel } = house.app
    const writes = kernel.db.transaction
    arm('before-commit', () => {
      vi.spyOn(kernel.db, 'transaction').mockImplementation(() => {
        throw Object.assign(new Error('connection terminated'), { code: 'ECONNRESET' })
      })
      throw new Error('the cable is out')
    })

    const answer = await agent.call('notes_append', { id, body: 'more' })
    vi.mocked(kernel.db.transaction).mockImplementation(() => writes.call(kernel.db))

    expect(answer).toMatchObject({ id, indexed: false })
    expect((await bodyOf(house)).match(/more/g)).toHaveLength(1)
    expect((await agent.call('notes_read', { id }))['body']).toContain('more')
    expect((await house.note(id)).content_hash).toBe(await house.sha256(PATH))
  })
})
