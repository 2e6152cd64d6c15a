/** A document that is somewhere else each time its lock is taken. */
import { mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { reindexFile } from '../../src/vault/reindex.ts'
import type { FileKind } from '../../src/vault/vault.ts'
import { openHouse, type House } from '../helpers/house.ts'

const KINDS = {
  note: {
    make: { tool: 'notes_create', args: { title: 'X', body: 'B' } },
    places: ['notes/atlas/x.md', 'notes/_global/x.md'],
    address: (id: string) => ({ id }),
    append: 'notes_append',
    delete: 'notes_delete',
  },
  memory: {
    make: {
      tool: 'memory_write',
      args: { name: 'x', kind: 'gotcha', description: 'D', body: 'B' },
    },
    places: ['memory/atlas/x.md', 'memory/_global/x.md'],
    address: () => ({ name: 'x', project: 'atlas' }),
    append: 'memory_append',
    delete: 'memory_delete',
  },
}

/** Moves the file between two places, so often, each time a write is about to lock it. */
function restless({ app: { kernel }, dir }: House, places: readonly string[], moves: number): void {
  const { vault } = kernel
  const { write } = vault
  const fileKind = vault.fileKinds.find(({ root }) => places[0]!.startsWith(`${root}/`)) as FileKind
  let left = moves
  vault.write = async (kernel, paths, decide, how) => {
    const from = places.find((place) => paths.includes(place))
    if (from !== undefined && left-- > 0) {
      const to = places.find((place) => place !== from)!
      await mkdir(dirname(join(dir, to)), { recursive: true })
      await rename(join(dir, from), join(dir, to))
      await reindexFile(kernel, fileKind, to)
      await reindexFile(kernel, fileKind, from)
    }
    return write(kernel, paths, decide, how)
  }
  onTestFinished(() => void (vault.write = write))
}

describe.each(['note', 'memory'] as const)(
  'a %s that is moved between look-up and lock',
  (kind) => {
    const { make, places, address, append, delete: drop } = KINDS[kind]
    const acts: Record<string, (id: string) => [string, Record<string, unknown>]> = {
      [append]: (id: string) => [append, { ...address(id), body: 'more' }],
      [drop]: (id: string) => [drop, address(id)],
      favorite_set: (id: string) => ['favorite_set', { kind, id, favorite: true }],
    }

    test.each(Object.keys(acts))('twice is found again by %s', async (name) => {
      await using house = await openHouse()
      const agent = await house.inside('atlas')
      const { id } = await agent.call(make.tool, { ...make.args, project: 'atlas' })
      restless(house, places, 2)

      await agent.call(...acts[name]!(id as string))
    })

    test.each(Object.keys(acts))('three times is left to those who move it by %s', async (name) => {
      await using house = await openHouse()
      const agent = await house.inside('atlas')
      const { id } = await agent.call(make.tool, { ...make.args, project: 'atlas' })
      restless(house, places, 3)

      await expect(agent.call(...acts[name]!(id as string))).rejects.toThrow(
        `${name}: the ${kind} is being moved by others; try again`,
      )
    })
  },
)
