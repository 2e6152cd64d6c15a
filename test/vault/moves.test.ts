import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Failpoint, FailpointName } from '../../src/kernel/failpoint.ts'
import { openFolder } from '../helpers/folder.ts'
import { openHouse } from '../helpers/house.ts'

/** Copies nothing, keeps everything: what a process leaves that dies at this moment. */
class Died extends Error {}

/** A move from atlas to delta that is stopped for good at the failpoint; its intent stays behind. */
async function stopped(dir: string, at: FailpointName): Promise<{ id: string }> {
  let armed = false
  const failpoint: Failpoint = async (name) => {
    if (!armed || name !== at) return
    // A dead process neither completes nor cleans up.
    await new Promise(() => {})
    throw new Died()
  }
  const house = await openHouse({ dir, failpoint })
  const agent = await house.connect()
  const { id } = await agent.call('notes_create', { title: 'T', body: 'B1', project: 'atlas' })
  armed = true
  const moving = agent.call('notes_update', { id, body: 'B2', project: 'delta' })
  moving.catch(() => {})
  for (;;) {
    const intents = await readdir(join(dir, '.intents')).catch(() => [])
    if (intents.some((name) => name.endsWith('.json'))) break
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  // Until the steps before the failpoint are done.
  await new Promise((resolve) => setTimeout(resolve, 300))
  return { id }
}

describe('a move that is cut off', () => {
  test.each(['after-rename', 'after-dir-fsync', 'before-commit'] as const)(
    '%s is completed by the next start, once',
    async (at) => {
      await using folder = await openFolder()
      const { id } = await stopped(folder.path, at)

      // The first call comes before a single file has been looked at beyond those of the move.
      await using house = await openHouse({
        dir: folder.path,
        behind: true,
        failpoint: (name) => (name === 'before-catch-up' ? sleep(500) : undefined),
      })
      const agent = await house.connect()

      expect(await house.files()).toEqual(['notes/delta/t.md'])
      expect(await readdir(join(folder.path, '.intents'))).toEqual([])
      expect(await agent.call('notes_read', { id })).toMatchObject({ project: 'delta', body: 'B2' })
    },
  )
})

describe('an intent that a crash left', () => {
  const base = '---\nid: 01K9ZC4T7Q8V2M5N6P3R1S0WXY\ntitle: T\ncreated: 2026-01-01T00:00:00Z\n'
  const text = (body: string) => `${base}updated: 2026-01-01T00:00:00Z\n---\n${body}`

  /** A store with a note in atlas and an intent to move it to delta, at any stage. */
  async function withIntent(dir: string, stage: 'nothing' | 'put' | 'all') {
    const house = await openHouse({ dir })
    const agent = await house.connect()
    await agent.call('notes_create', { title: 'Other', body: 'B', project: 'delta' })
    await agent.call('notes_create', { title: 'Other', body: 'B', project: 'atlas' })
    await house.close()
    const { openDisk } = await import('../../src/vault/disk.ts')
    const { writeIntent } = await import('../../src/vault/intent.ts')
    const { contentHash } = await import('../../src/vault/paths.ts')
    const [from, to] = ['notes/atlas/t.md', 'notes/delta/t.md']
    const temp = 'notes/delta/.t.md.01K9ZC4T7Q8V2M5N6P3R1S0WXY.tmp'
    const [old, new_] = [Buffer.from(text('old')), Buffer.from(text('new'))]
    if (stage !== 'all') await writeFile(join(dir, from), old)
    await writeFile(join(dir, stage === 'nothing' ? temp : to), new_)
    const intent = {
      puts: [{ path: to, temp, hash: contentHash(new_), base: null }],
      removes: [{ path: from, base: contentHash(old) }],
    }
    const disk = await openDisk(dir)
    const path = await writeIntent(disk, intent)
    disk.held.close()
    return { from: join(dir, from), to: join(dir, to), path }
  }
  const bodies = async (dir: string) => {
    const house = await openHouse({ dir })
    await house.app.caughtUp
    const files = await house.files()
    await house.close()
    const moved = files.filter((path) => path.endsWith('/t.md'))
    return Promise.all(
      moved.map(async (path) => [path, (await readFile(join(dir, path), 'utf8')).slice(-3)]),
    )
  }

  test.each(['nothing', 'put', 'all'] as const)(
    'is carried out when %s was done',
    async (stage) => {
      await using folder = await openFolder()
      await withIntent(folder.path, stage)

      expect(await bodies(folder.path)).toEqual([['notes/delta/t.md', 'new']])
      expect(await readdir(join(folder.path, '.intents'))).toEqual([])
    },
  )

  test('removes nothing when somebody made the target meanwhile', async () => {
    await using folder = await openFolder()
    const { to } = await withIntent(folder.path, 'nothing')
    await writeFile(to, text('his').replace('WXY', 'WXZ'))

    expect(await bodies(folder.path)).toEqual([
      ['notes/atlas/t.md', 'old'],
      ['notes/delta/t.md', 'his'],
    ])
  })

  test('leaves the old file when somebody changed it meanwhile', async () => {
    await using folder = await openFolder()
    const { from } = await withIntent(folder.path, 'put')
    await writeFile(from, text('his'))

    expect(await bodies(folder.path)).toEqual([
      ['notes/atlas/t.md', 'his'],
      ['notes/delta/t.md', 'new'],
    ])
  })

  test('leaves the old file when the new one never reached the disk', async () => {
    await using folder = await openFolder()
    const { to } = await withIntent(folder.path, 'put')
    await rm(to)

    expect(await bodies(folder.path)).toEqual([['notes/atlas/t.md', 'old']])
  })

  test('is swept when it is torn, and so is what it was written to', async () => {
    await using folder = await openFolder()
    const { path } = await withIntent(folder.path, 'nothing')
    const whole = await readFile(join(folder.path, path))
    await rm(join(folder.path, path))
    await writeFile(join(folder.path, `${path}.tmp`), whole.subarray(0, 40))

    expect(await bodies(folder.path)).toEqual([['notes/atlas/t.md', 'old']])
    expect(await readdir(join(folder.path, '.intents'))).toEqual([])
    const names = await readdir(join(folder.path, 'notes/delta'))
    expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([])
  })
})
