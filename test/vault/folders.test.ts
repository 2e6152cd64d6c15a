import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { reconcile } from '../../src/vault/reconcile.ts'
import { openFolder } from '../helpers/folder.ts'
import { openHouse, type House, type HouseOptions } from '../helpers/house.ts'
import { openOperated } from '../helpers/operator.ts'
import { send } from '../helpers/wire.ts'

const soon = <T>(work: () => Promise<T>): Promise<T> =>
  vi.waitFor(work, { timeout: 60_000, interval: 50 })

const VANISHED = 'storage is missing: the folder notes/ has vanished from the data directory'

/** A house with a few notes and a memory, whose folder of notes is then moved away. */
async function openMoved(how: HouseOptions = {}) {
  const house = await openHouse({ env: { LOAM_LOG_LEVEL: 'error' }, ...how })
  const agent = await house.connect()
  const ids: string[] = []
  for (const title of ['one', 'two', 'three']) {
    const note = { title, body: `of ${title}`, project: 'atlas' }
    ids.push((await agent.call('notes_create', note))['id'])
  }
  const memory = { name: 'rule', description: 'd', content: 'c', kind: 'gotcha', project: 'atlas' }
  await agent.call('memory_write', memory)
  const [there, away] = [join(house.dir, 'notes'), join(house.dir, 'away')]
  await rename(there, away)
  return { house, agent, ids, there, away }
}

const health = async ({ url }: House): Promise<string> =>
  (await send(url, { path: '/healthz' })).body.status

const slugs = async ({ app }: House): Promise<string[]> =>
  (await app.database.db.selectFrom('notes').select('slug').orderBy('slug').execute()).map(
    ({ slug }) => slug,
  )

describe('a folder of files that vanishes as a whole', () => {
  test('degrades health and takes no writes, and nothing of it is forgotten or denied', async () => {
    const { house, agent, ids } = await openMoved()
    await using _ = house

    for (const [tool, args] of [
      ['notes_create', { title: 'new', body: 'b', project: 'atlas' }],
      ['notes_append', { id: ids[0], body: 'more' }],
      ['notes_delete', { id: ids[0] }],
      ['notes_read', { id: ids[0] }],
      ['notes_read', { slug: 'two', project: 'atlas' }],
      ['notes_read', { slug: 'nothing', project: 'atlas' }],
    ] as const) {
      await expect(agent.call(tool, args)).rejects.toThrow(`${tool}: ${VANISHED}`)
    }
    await soon(async () => expect(await health(house)).toBe('degraded'))
    await reconcile(house.app.kernel)
    expect(await slugs(house)).toEqual(['one', 'three', 'two'])
    expect(await house.events('note.deleted')).toEqual([])
    // The other folders are as they were.
    await agent.call('memory_append', { name: 'rule', content: 'more', project: 'atlas' })
    expect(existsSync(join(house.dir, 'notes'))).toBe(false)
  })

  test('is as before when it is back, with nothing twice', async () => {
    const { house, agent, ids, there, away } = await openMoved()
    await using _ = house
    await expect(agent.call('notes_read', { id: ids[0] })).rejects.toThrow(VANISHED)
    await soon(async () => expect(await health(house)).toBe('degraded'))

    await rename(away, there)

    await soon(async () => expect(await health(house)).toBe('ok'))
    expect(await agent.call('notes_read', { id: ids[0] })).toMatchObject({ body: 'of one' })
    await agent.call('notes_create', { title: 'four', body: 'b', project: 'atlas' })
    expect(await reconcile(house.app.kernel)).toMatchObject({ forgotten: 0, problems: 0 })
    expect(await slugs(house)).toEqual(['four', 'one', 'three', 'two'])
  })

  test('is not back when somebody makes an empty one in its place', async () => {
    const { house, agent, there } = await openMoved()
    await using _ = house
    const draft = { title: 'new', body: 'b', project: 'atlas' }
    await expect(agent.call('notes_create', draft)).rejects.toThrow(VANISHED)

    await mkdir(there)

    await expect(agent.call('notes_create', draft)).rejects.toThrow(VANISHED)
    await reconcile(house.app.kernel)
    expect(await slugs(house)).toHaveLength(3)
  })

  test('stays missing over a start', async () => {
    await using folder = await openFolder()
    const { house: first, there } = await openMoved({ dir: folder.path, onDisk: true })
    await first.close()

    await using house = await openHouse({ dir: folder.path, onDisk: true })

    expect(existsSync(there)).toBe(false)
    expect(await slugs(house)).toHaveLength(3)
    await soon(async () => expect(await health(house)).toBe('degraded'))
  })

  test('is forgotten when an operator says that it is gone', async () => {
    await using operated = await openOperated()
    const { house, loam } = operated
    const agent = await house.connect()
    const draft = { title: 'one', body: 'b', project: 'atlas' }
    const { id } = await agent.call('notes_create', draft)
    await rm(join(house.dir, 'notes'), { recursive: true })
    await expect(agent.call('notes_create', { ...draft, title: 'two' })).rejects.toThrow(VANISHED)

    const unsaid = await loam('reindex')
    expect(unsaid.code).toBe(1)
    expect(unsaid.complained).toContain('--forget-missing')
    expect(await slugs(house)).toEqual(['one'])

    const { code, said } = await loam('reindex', '--forget-missing', 'note')
    expect([code, said.at(-1)]).toEqual([0, expect.stringContaining(' 1 forgotten')])
    await expect(agent.call('notes_read', { id })).rejects.toThrow('no note with id')
    await agent.call('notes_create', { ...draft, title: 'two' })
    expect(await slugs(house)).toEqual(['two'])
  })
})
