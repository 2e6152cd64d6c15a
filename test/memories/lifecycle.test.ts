import { describe, expect, test } from 'vitest'
import { NOBODY, type Kernel } from '../../src/kernel/kernel.ts'
import { archive, supersede, unarchive, unsupersede } from '../../src/memories/memories.ts'
import { openHouse } from '../helpers/house.ts'
import { byHand, fileOf, recalls, remember, rowOf } from './given.ts'

const today = () => new Date().toISOString().slice(0, 10)

/** Each of the four, as a test calls it. */
const acts = (kernel: Kernel) => ({
  supersede: (old: string, next: string) => supersede(kernel, NOBODY, old, next),
  archive: (id: string, reason = '') => archive(kernel, NOBODY, id, { reason }),
  unarchive: (id: string) => unarchive(kernel, NOBODY, id),
  unsupersede: (id: string) => unsupersede(kernel, NOBODY, id),
})

describe('a memory that is retired', () => {
  test.each([
    ['with a line break at its end', 'Filled at start.\n', '\n> LINE\n'],
    ['without one', 'Filled at start.', '\n\n> LINE'],
    ['with blanks at its end', 'Filled at start.\n\n  ', '\n\n> LINE'],
    ['of another system', 'Filled\r\nat start.\r\n', '\n> LINE\n'],
  ])('says so in the last line of a body %s, and comes back as it was', async (_, body, tail) => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { archive, unarchive, supersede, unsupersede } = acts(house.app.kernel)
    const { id } = await remember(agent, 'old', { body })
    const { id: next } = await remember(agent, 'new', { project: 'global' })

    await archive(id, 'of no\nuse')
    expect((await rowOf(house, id))?.body).toBe(
      body + tail.replace('LINE', `Archived (of no use) on ${today()}`),
    )
    await unarchive(id)
    expect((await rowOf(house, id))?.body).toBe(body)
    await archive(id)
    expect((await rowOf(house, id))?.body).toContain(`> Archived on ${today()}`)
    await unarchive(id)
    await supersede(id, next)
    expect((await rowOf(house, id))?.body).toBe(
      body + tail.replace('LINE', `Superseded by global/new (${next}) on ${today()}`),
    )
    await unsupersede(id)

    expect(await rowOf(house, id)).toMatchObject({ body, invalid_at: null, superseded_by: '' })
    expect(await recalls(agent, 'old', id)).toBe(true)
  })

  test('keeps the line when the body went on behind it', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { archive, unarchive } = acts(house.app.kernel)
    const { id } = await remember(agent, 'old', { body: 'One.\n' })
    await archive(id)
    await byHand(house, 'memory/atlas/old.md', (text) => `${text}\nAnd yet.\n`)

    await unarchive(id)

    expect((await rowOf(house, id))?.body).toBe(`One.\n\n> Archived on ${today()}\n\nAnd yet.\n`)
  })

  test('leaves one event for each act, under its own project', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { kernel } = house.app
    const { id } = await remember(agent, 'old')
    const { id: next } = await remember(agent, 'new')

    await archive(kernel, NOBODY, id, { reason: 'stale', agent: 'gardener' })
    await unarchive(kernel, NOBODY, id, { agent: 'gardener' })
    await supersede(kernel, NOBODY, id, next, { agent: 'gardener' })

    expect(await house.events('memory.archived')).toMatchObject([
      { item_id: id, project: 'atlas', payload: { name: 'old', reason: 'stale', by: 'gardener' } },
    ])
    expect((await house.events('memory.written')).at(-1)).toMatchObject({
      item_id: id,
      payload: { name: 'old', revived: true, by: 'gardener' },
    })
    expect(await house.events('memory.superseded')).toMatchObject([
      { item_id: id, payload: { name: 'old', superseded_by: next, by: 'gardener' } },
    ])
  })

  test('keeps keys that are not ours, its star and its tags', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { archive } = acts(house.app.kernel)
    const { id } = await remember(agent, 'old', { tags: ['a'] })
    await byHand(house, 'memory/atlas/old.md', (text) =>
      text.replace('tags:', 'favorite: true\ntags:').replace('\n---\nThe', '\nby: ana\n---\nThe'),
    )

    await archive(id)

    const text = await fileOf(house, 'memory/atlas/old.md')
    expect(text).toContain('favorite: true\ntags: [a]\nby: ana\n---\n')
    expect(text).toMatch(/invalid_at: \d{4}-/)
  })
})

describe('refused is', () => {
  test('what would retire twice, by itself, by nothing or by what is retired', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { archive, supersede, unarchive, unsupersede } = acts(house.app.kernel)
    const [a, b, c] = await Promise.all(
      ['a', 'b', 'c'].map(async (name) => (await remember(agent, name))['id'] as string),
    )

    await expect(supersede(a!, a!)).rejects.toThrow('a memory cannot supersede itself')
    await expect(supersede(a!, '01K9ZC4T7Q8V2M5N6P3R1S0WXY')).rejects.toThrow('no memory with id')
    await expect(unarchive(a!)).rejects.toThrow('memory "a" is not archived; nothing to undo')
    await expect(unsupersede(a!)).rejects.toThrow('memory "a" is not superseded')
    await supersede(a!, b!)
    await supersede(a!, b!)
    await expect(supersede(a!, c!)).rejects.toThrow('memory "a" was already superseded')
    await expect(archive(a!)).rejects.toThrow('memory "a" was already superseded')
    await expect(unarchive(a!)).rejects.toThrow('memory "a" is not archived')
    await expect(supersede(c!, a!)).rejects.toThrow('"a" was itself superseded or archived')
    await archive(b!)
    await expect(archive(b!)).rejects.toThrow('memory "b" was already archived')
    await expect(supersede(b!, c!)).rejects.toThrow('memory "b" was already archived')
    expect(await house.events('memory.superseded')).toHaveLength(1)
  })

  test('a replacement that those who read the old one may not read', async () => {
    await using house = await openHouse()
    await house.inside('ledger', 'confidential')
    const agent = await house.connect()
    const { id: old } = await remember(agent, 'shared', { project: 'global' })
    const { id: heir } = await remember(agent, 'own', { project: 'ledger' })
    const { supersede } = acts(house.app.kernel)

    await expect(supersede(old, heir)).rejects.toThrow('the fence stands between')
    await expect(
      remember(agent, 'next', { project: 'ledger', supersedes: 'global/shared' }),
    ).rejects.toThrow('put into project ledger from outside replaces no other')
    expect(await rowOf(house, old)).toMatchObject({ invalid_at: null })
    expect(await fileOf(house, 'memory/_global/shared.md')).not.toContain('ledger')
  })
})

describe('at the same time', () => {
  test('two memories that retire each other: one does', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { supersede } = acts(house.app.kernel)
    for (let round = 0; round < 5; round++) {
      const { id: a } = await remember(agent, `a${round}`)
      const { id: b } = await remember(agent, `b${round}`)

      const ends = await Promise.allSettled([supersede(a, b), supersede(b, a)])

      expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      const active = [await rowOf(house, a), await rowOf(house, b)].filter(
        (row) => row?.invalid_at === null,
      )
      expect(active).toHaveLength(1)
    }
  })

  test('a memory is retired by one of many', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { supersede } = acts(house.app.kernel)
    const { id: old } = await remember(agent, 'old')
    const heirs = await Promise.all(
      Array.from({ length: 6 }, async (_, i) => (await remember(agent, `heir-${i}`))['id']),
    )

    const ends = await Promise.allSettled(heirs.map((heir) => supersede(old, heir)))

    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await house.events('memory.superseded')).toHaveLength(1)
  })
})
