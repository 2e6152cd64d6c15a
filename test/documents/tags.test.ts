import fc from 'fast-check'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { patchTags } from '../../src/documents/tags.ts'
import { openHouse } from '../helpers/house.ts'
import { fact } from '../memories/given.ts'

const RESERVED = ['created-by:human', 'created-by:gardener', 'digest', 'plan-status:approved']
const FREE = ['created-by:agent', 'plan:x', 'cc-plan', 'digests', 'plan-state', 'human', 'Été']

/** Ways to write a tag that looks the same. */
const DISGUISES: ((tag: string) => string)[] = [
  (tag) => tag,
  (tag) => tag.toUpperCase(),
  (tag) => ` ${tag}\n`,
  (tag) => tag.replaceAll(/[:-]/g, (sign) => ` ${sign} `),
  (tag) => tag.replaceAll(/[!-~]/g, (sign) => String.fromCodePoint(sign.codePointAt(0)! + 0xfee0)),
  (tag) => tag.replaceAll('-', '\u2011').replaceAll(':', '\u2236'),
  (tag) => [...tag].join('\u200b'),
  (tag) => tag.replace('e', 'e\u0301').replace('i', '\u0069\u0307'),
]

const reserved = fc
  .tuple(fc.constantFrom(...RESERVED), fc.constantFrom(...DISGUISES))
  .map(([tag, disguise]) => disguise(tag))
const free = fc.constantFrom(...FREE)
const tags = fc.uniqueArray(fc.oneof(free, reserved), { maxLength: 6 })

const isOwn = (tag: string): boolean => FREE.includes(tag)
const refused = 'is kept for Loam and its owner'

describe('a tag that Loam or its owner sets', () => {
  test('is neither added nor taken away by any patch, however it is spelled', () => {
    const patch = fc.record({ tags, tags_add: tags, tags_remove: tags }, { requiredKeys: [] })
    fc.assert(
      fc.property(tags, patch, (before, patch) => {
        const kept = (list: readonly string[]) => list.filter((tag) => !isOwn(tag)).toSorted()
        let after: string[]
        try {
          after = patchTags(before, patch)
        } catch (error) {
          expect(String(error)).toContain(refused)
          return
        }
        expect(kept(after)).toEqual(kept(before))
        const { tags: all = before, tags_add = [], tags_remove = [] } = patch
        const wanted = [...all, ...tags_add].filter(
          (tag) => isOwn(tag) && !tags_remove.includes(tag),
        )
        expect(new Set(after.filter(isOwn))).toEqual(new Set(wanted))
        expect(new Set(after).size).toBe(after.length)
      }),
      { numRuns: 5_000 },
    )
  })

  test('is refused when it is new, in every disguise', () => {
    for (const tag of RESERVED) {
      for (const disguise of DISGUISES) {
        for (const patch of [{ tags: [disguise(tag)] }, { tags_add: [disguise(tag)] }]) {
          expect(() => patchTags(['x'], patch), disguise(tag)).toThrow(refused)
        }
        expect(() => patchTags([tag], { tags_remove: [disguise(tag)] })).toThrow(refused)
        expect(patchTags([tag, 'x'], { tags: [disguise(tag), 'y'] })).toEqual([tag, 'y'])
      }
    }
  })

  test('is out of reach of every tool that takes tags, and nothing is written', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await agent.call('memory_write', fact('m'))
    const { id } = await agent.call('notes_create', { title: 'N', body: 'b', project: 'atlas' })
    const before = await house.files()
    for (const tag of ['Digest', ' created-by:human', 'PLAN-STATUS: approved']) {
      const calls: [string, Record<string, unknown>][] = [
        ['memory_write', fact('new', { tags: [tag] })],
        ['memory_write', fact('new', { tags: [tag], project: 'fresh' })],
        ['memory_write', fact('m', { tags: [tag] })],
        ['memory_edit', { name: 'm', project: 'atlas', tags_add: [tag] }],
        ['memory_edit', { name: 'm', project: 'atlas', tags_remove: [tag] }],
        ['notes_create', { title: 'New', body: 'b', project: 'fresh', tags: tag }],
        ['notes_update', { id, tags: [tag] }],
        ['notes_update', { id, tags_add: [tag] }],
        ['notes_update', { id, tags_remove: [tag] }],
      ]
      for (const [tool, args] of calls) {
        await expect(agent.call(tool, args), tool).rejects.toThrow(refused)
      }
    }
    expect(await house.files()).toEqual(before)
    expect(JSON.stringify(await agent.call('project_list'))).not.toContain('fresh')
  })

  test('stays when a list leaves it out, and when it is sent back', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await agent.call('memory_write', fact('m', { tags: ['x'] }))
    const path = join(house.dir, 'memory/atlas/m.md')
    const bytes = await readFile(path, 'utf8')
    await writeFile(path, bytes.replace('tags: [x]', 'tags: [created-by:human, x]'))
    expect(await readFile(path, 'utf8')).not.toBe(bytes)

    const read = async () =>
      (await agent.call('memory_read', { name: 'm', project: 'atlas' }))['tags'] as string[]
    const sent = await read()
    expect(sent).toContain('created-by:human')
    await agent.call('memory_write', fact('m', { tags: [...sent, 'y'] }))
    expect(await read()).toEqual(['created-by:human', 'x', 'y'])
    await agent.call('memory_write', fact('m', { tags: ['z'] }))
    expect(await read()).toEqual(['z', 'created-by:human'])
    await agent.call('memory_write', fact('m'))
    expect(await read()).toEqual(['z', 'created-by:human'])
  })
})
