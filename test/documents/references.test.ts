import { beforeEach, describe, expect, test } from 'vitest'
import type { Agent } from '../helpers/agent.ts'
import { openHouse, type House } from '../helpers/house.ts'

let house: House
let atlas: Agent
let delta: Agent

beforeEach(async () => {
  house = await openHouse()
  atlas = await house.inside('atlas')
  delta = await house.inside('delta')
  return async () => house[Symbol.asyncDispose]()
})

const tide = { kind: 'gotcha', description: 'The tide turns', body: 'It turns at noon.' }
const write = (agent: Agent, name: string, more: object = {}) =>
  agent.call('memory_write', { name, ...tide, ...more })

/** The words of a refusal. */
const refused = (agent: Agent, tool: string, args: Record<string, unknown>): Promise<string> =>
  agent.call(tool, args).then(
    () => 'given',
    (error: Error) => error.message,
  )

/** Every tool that takes the name of a memory. */
const CALLS: [tool: string, args: (name: string) => Record<string, unknown>][] = [
  ['memory_read', (name) => ({ name })],
  ['memory_append', (name) => ({ name, body: 'more' })],
  ['memory_edit', (name) => ({ name, tags_add: ['sea'] })],
  ['favorite_set', (id) => ({ kind: 'memory', id, favorite: true })],
  ['memory_delete', (name) => ({ name })],
]

describe('project/name', () => {
  test.each(CALLS)('is a name to %s', async (tool, args) => {
    const { id } = await write(atlas, 'tide')
    await write(delta, 'tide')
    await atlas.call('memory_read', { name: 'tide' })
    for (const name of ['atlas/tide', ' atlas/Tide ']) {
      if (tool === 'memory_delete' && name !== 'atlas/tide') continue
      const answer = await delta.call(tool, args(name))
      if (tool !== 'favorite_set') expect(answer).toMatchObject({ id, name: 'tide' })
    }
    const own = await delta.call('memory_read', { name: 'tide' })
    expect(own).toMatchObject({ project: 'delta', body: expect.not.stringContaining('more') })
    expect(own).not.toHaveProperty('favorite')
  })

  test.each(CALLS)(
    'means to %s one that has ended, and none that is global',
    async (tool, args) => {
      const { id } = await write(atlas, 'tide')
      const { id: shared } = await write(atlas, 'tide', { project: 'global' })
      await write(atlas, 'tide-two', { supersedes: 'atlas/tide' })
      const before = await house.sha256('memory/_global/tide.md')

      const answer = await atlas.call(tool, args('atlas/tide')).catch(String)

      const opens = tool === 'memory_read' || tool === 'memory_delete'
      const expected = expect.stringContaining('superseded or archived')
      expect(answer).toEqual(opens ? expect.objectContaining({ id }) : expected)
      expect(await house.sha256('memory/_global/tide.md')).toBe(before)
      expect(await atlas.call('memory_read', { id: shared as string })).not.toHaveProperty(
        'favorite',
      )
    },
  )

  test('is what supersedes takes, and what its answer, its warning and its tombstone print', async () => {
    await write(atlas, 'tide')
    const { superseded } = await write(delta, 'tide-two', { supersedes: 'atlas/tide' })
    expect(superseded).toBe('atlas/tide')
    const old = await atlas.call('memory_read', { name: superseded })
    const [, printed = ''] = /superseded by (\S+) /.exec(old['warning'] as string) ?? []
    expect(printed).toBe('delta/tide-two')
    expect(await atlas.call('memory_read', { name: printed })).toMatchObject({ name: 'tide-two' })
    const [, pointed = ''] = /> Superseded by (\S+) /.exec(old['body'] as string) ?? []
    expect(await atlas.call('memory_read', { name: pointed })).toMatchObject({ name: 'tide-two' })
  })

  test('is the slug of a note as well', async () => {
    const { id, slug } = await atlas.call('notes_create', { title: 'The tide', body: 'b' })
    for (const [tool, args] of [
      ['notes_read', { slug: `atlas/${slug as string}` }],
      ['favorite_set', { kind: 'note', id: `atlas/${slug as string}`, favorite: true }],
    ] as const) {
      expect(await delta.call(tool, args)).toBeDefined()
    }
    expect(await delta.call('notes_read', { id })).toMatchObject({ favorite: true })
  })

  test('names the global scope as global/name', async () => {
    await write(atlas, 'tide')
    await write(atlas, 'tide', { project: 'global' })
    expect(await atlas.call('memory_read', { name: 'global/tide' })).toMatchObject({
      project: 'global',
    })
    expect(await atlas.call('memory_read', { name: 'tide' })).toMatchObject({ project: 'atlas' })
  })

  test('needs no session to infer from, and agrees with a project that is named as well', async () => {
    await write(atlas, 'tide')
    const stranger = await house.connect()
    const wanted = { name: 'atlas/tide' }
    expect(await stranger.call('memory_read', wanted)).toMatchObject({ project: 'atlas' })
    const named = { ...wanted, project: 'atlas' }
    expect(await stranger.call('memory_read', named)).toMatchObject({ project: 'atlas' })
  })

  test('is a name like any other where no project is called so, or another one is named', async () => {
    await write(delta, 'src/tide table')
    await write(delta, 'atlas/tide')
    for (const name of ['src/tide table', 'atlas/tide', 'delta/atlas/tide']) {
      expect(await delta.call('memory_read', { name })).toMatchObject({ project: 'delta' })
    }
    const named = { name: 'atlas/tide', project: 'delta' }
    expect(await delta.call('memory_read', named)).toMatchObject({ name: 'atlas-tide' })
    await write(atlas, 'tide')
    expect(await delta.call('memory_read', { name: 'atlas/tide' })).toMatchObject({ name: 'tide' })
    expect(await delta.call('memory_read', named)).toMatchObject({ name: 'atlas-tide' })
  })

  test('that is not there is missed in plain words', async () => {
    expect(await refused(delta, 'memory_read', { name: 'atlas/tide' })).toBe(
      'memory_read: no memory "tide" in project "atlas" nor in global; try recall, or its id',
    )
    expect(await refused(delta, 'memory_read', { name: 'nowhere/tide' })).toBe(
      'memory_read: no memory "nowhere-tide" in project "delta" nor in global; try recall, or its id',
    )
    for (const name of ['all/tide', '../tide', '/tide', 'atlas/']) {
      expect(await refused(delta, 'memory_read', { name })).toMatch(/no memory "/)
    }
  })

  test('opens no fence, in the words of a project that is asked for', async () => {
    const ledger = await house.inside('ledger', 'confidential')
    const crypt = await house.inside('crypt', 'sealed')
    for (const agent of [ledger, crypt, atlas]) await write(agent, 'tide')
    const asked = (agent: Agent, tool: string, name: string, project?: string) =>
      refused(agent, tool, { name, body: 'more', ...(project && { project }) })
    for (const [agent, project] of [
      [delta, 'ledger'],
      [delta, 'crypt'],
      [ledger, 'crypt'],
      [crypt, 'ledger'],
      [crypt, 'atlas'],
    ] as const) {
      for (const name of ['tide', 'nothing']) {
        const words = await asked(agent, 'memory_append', name, project)
        expect(words).toMatch(/^memory_append: (project|session)/)
        expect(await asked(agent, 'memory_append', `${project}/${name}`)).toBe(words)
      }
    }
    // A name of one's own is never refused for the fence of a project of that name.
    await write(delta, 'ledger/tide')
    expect(await delta.call('memory_read', { name: 'ledger/tide' })).toMatchObject({
      name: 'ledger-tide',
    })
  })

  test('is whole in a briefing, however long, and opens what was inherited', async () => {
    const name = 'n'.repeat(80)
    await write(atlas, name, { kind: 'constraint' })
    await house.app.kernel.db
      .updateTable('projects')
      .set({ parent_slug: 'atlas' })
      .where('slug', '=', 'delta')
      .execute()
    const child = await house.connect()
    const { briefing } = await child.call('session_start', { project: 'delta' })
    const [printed = ''] = /atlas\/n+(?= \(constraint)/.exec(briefing as string) ?? []
    expect(printed).toBe(`atlas/${name}`)
    expect(await child.call('memory_read', { name: printed })).toMatchObject({ project: 'atlas' })
  })
})
