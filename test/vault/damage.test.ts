import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Agent } from '../helpers/agent.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { CASES, freshId, healthy, type Case, type Place } from './damage.cases.ts'

const cases = CASES.filter(({ unprivileged }) => !unprivileged || process.getuid?.() !== 0)
const closers: (() => void)[] = []
afterAll(() => closers.forEach((close) => close()))

const projectOf = (each: Case): string => `case-${cases.indexOf(each)}`
const folderOf = (each: Case): string => `notes/${projectOf(each)}`
const pathOf = (each: Case): string => posix.join(folderOf(each), each.path ?? 'x.md')

/** A healthy note beside every damaged one. */
async function damage(root: string, each: Case): Promise<void> {
  const folder = join(root, folderOf(each))
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'beside.md'), healthy(freshId(), { title: 'Beside' }))
  const place: Place = {
    root,
    folder,
    file: join(folder, 'x.md'),
    id: freshId(),
    later: (close) => closers.push(close),
  }
  await each.make(place)
}

/** What has become of the case, and of the healthy note beside it. */
async function judge(house: House, agent: Agent, each: Case): Promise<void> {
  const project = projectOf(each)
  const beside = await agent.call('notes_read', { slug: 'beside', project })
  expect(beside).toMatchObject({ title: 'Beside' })
  const listed = await house.app.kernel.db
    .selectFrom('files')
    .select(['path', 'problem'])
    .where('path', '=', pathOf(each))
    .executeTakeFirst()
  if (each.becomes === 'ignored') return expect(listed).toBeUndefined()
  if (each.becomes === 'listed') {
    expect(listed?.problem).toMatch(each.says instanceof RegExp ? each.says : /./)
    return
  }
  expect(listed).toEqual({ path: pathOf(each), problem: null })
  expect(await agent.call('notes_read', { slug: 'x', project })).toMatchObject(each.says ?? {})
}

const table = cases.map((each) => [`${each.name} is ${each.becomes}`, each] as const)
let dir: string
beforeAll(async () => {
  expect(CASES.length).toBeGreaterThanOrEqual(44)
  dir = await mkdtemp(join(tmpdir(), 'loam-damage-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

describe('a file damaged at rest:', () => {
  let house: House
  let agent: Agent

  beforeAll(async () => {
    const root = join(dir, 'rest')
    for (const each of cases) await damage(root, each)
    house = await openHouse({ dir: root })
    await house.app.caughtUp
    agent = await house.connect()
  })
  afterAll(() => house?.close())

  test.each(table)('%s', (_, each) => judge(house, agent, each))

  test('what a dead write left beside its target is swept', async () => {
    const dead = cases.find(({ path }) => path?.endsWith('.tmp'))!
    expect(await readdir(join(dir, 'rest', folderOf(dead)))).toEqual(['beside.md'])
  })
})

describe('a file damaged live:', () => {
  let house: House
  let agent: Agent

  beforeAll(async () => {
    house = await openHouse({ dir: join(dir, 'live') })
    await house.app.caughtUp
    agent = await house.connect()
    for (const each of cases) await damage(house.dir, each)
  })
  afterAll(() => house?.close())

  test.each(table)('%s', (_, each) =>
    vi.waitFor(() => judge(house, agent, each), { timeout: 60_000, interval: 100 }),
  )

  test('every problem goes away when its file is mended', async () => {
    const mendable = cases.filter((each) => each.becomes === 'listed' && !each.path)
    for (const each of mendable) {
      const file = join(house.dir, pathOf(each))
      await rm(file, { recursive: true, force: true })
      await writeFile(file, healthy(freshId(), { title: 'Mended' }))
    }

    await vi.waitFor(
      async () => {
        const problems = await house.app.kernel.db
          .selectFrom('files')
          .select('path')
          .where('problem', 'is not', null)
          .where('path', 'in', mendable.map(pathOf))
          .execute()
        expect(problems).toEqual([])
      },
      { timeout: 60_000, interval: 100 },
    )
    for (const each of mendable.slice(0, 5)) {
      const address = { slug: 'x', project: projectOf(each) }
      expect(await agent.call('notes_read', address)).toMatchObject({ title: 'Mended' })
    }
  })
})
