import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { assignByModel, type Dividing } from '../../src/gardener/split/by-model.ts'
import { scopeAt } from '../../src/projects/projects.ts'
import type { Agent } from '../helpers/agent.ts'
import { chatSaying, noChat, type FakeChat } from '../helpers/chat.ts'
import { openHouse, type House } from '../helpers/house.ts'

describe('a project, divided by a model', () => {
  let house: House
  let agent: Agent
  let ids: Record<string, string>
  beforeEach(async () => {
    house = await openHouse()
    agent = await house.connect()
    ids = {}
    // The newest is shown first: "hull" is number 1, "rope" is number 4.
    for (const name of ['rope', 'sail', 'keel', 'hull']) await write(name)
    await write('weather', 'global')
  })
  afterEach(() => house[Symbol.asyncDispose]())

  const write = async (name: string, project = 'atlas', by = agent) => {
    const { id } = await by.call('memory_write', {
      ...{ name, project, kind: 'gotcha', description: `About ${name}`, body: 'b' },
    })
    ids[name] = id as string
  }
  const divide = async (chat: FakeChat, more: Partial<Dividing> = {}, at = 'atlas') =>
    assignByModel({ ...house.app.kernel, chat }, await scopeAt(house.app.kernel.db, at), {
      ...{ source: 'atlas', instruction: 'by what floats and what flies' },
      ...more,
    })
  const CHILDREN = [
    { slug: 'Water Line', label: 'Below' },
    { slug: 'rigging', label: '' },
  ]
  const children = [
    { slug: 'water-line', label: 'Below' },
    { slug: 'rigging', label: 'rigging' },
  ]

  test('has children, what they share, and a place for its own memories', async () => {
    const chat = chatSaying({
      children: [...CHILDREN, { slug: 'water-line', label: 'again' }],
      shared: { slug: 'ship', label: 'The ship' },
      assignments: [
        { to: 'water-line', memories: [1, 2], rationale: 'wet' },
        { to: 'Rigging', memory: 3, rationale: 'in\nthe wind' },
        { to: 'ship', memories: [4] },
      ],
    })
    expect(await divide(chat)).toEqual({
      children,
      shared: { slug: 'ship', label: 'The ship' },
      assignments: [
        { id: ids['hull'], to: 'water-line', rationale: 'wet' },
        { id: ids['keel'], to: 'water-line', rationale: 'wet' },
        { id: ids['sail'], to: 'rigging', rationale: 'in the wind' },
        { id: ids['rope'], to: 'ship', rationale: '' },
      ],
      skipped: [],
      model: 'fake-1',
    })
    const [prompt] = chat.prompts
    expect(prompt).toMatchObject({ deadlineMs: 60_000 })
    expect(prompt!.user).toContain('"by what floats and what flies"')
    expect(prompt!.user).toContain('"name":"hull","project":"atlas"')
    expect(prompt!.user).not.toContain('weather')
  })

  test('skips what the model says wrong, each with its reason', async () => {
    const NO = 'is the number of no memory in the list'
    const chat = chatSaying({
      children: [...CHILDREN, { slug: 'all' }, { slug: '…' }, 7],
      shared: { slug: 'global' },
      assignments: [
        { to: 'water-line', memories: [1, 0, 5, '2', ids['weather']] },
        { to: 'elsewhere', memories: [2] },
        { memories: [2] },
        { to: 'rigging', memories: [1, 3] },
        { to: 'rigging' },
        'all to rigging',
      ],
    })
    const { assignments, shared, skipped } = await divide(chat)
    expect(assignments).toEqual([
      { id: ids['hull'], to: 'water-line', rationale: '' },
      { id: ids['sail'], to: 'rigging', rationale: '' },
    ])
    expect(shared).toBeUndefined()
    const NONE = 'which is none of the children and not what they share'
    expect(skipped).toEqual([
      '{"slug":"all"} can be no project',
      '{"slug":"…"} can be no project',
      '7 can be no project',
      '{"slug":"global"} can be no project',
      `assignment 1 of the model: 0 ${NO}`,
      `assignment 1 of the model: 5 ${NO}`,
      `assignment 1 of the model: "2" ${NO}`,
      `assignment 1 of the model: "${ids['weather']}" ${NO}`,
      `assignment 2 of the model: to is "elsewhere", ${NONE}`,
      `assignment 3 of the model: to is missing, ${NONE}`,
      'assignment 4 of the model: "hull" has a place already',
      `assignment 5 of the model: missing ${NO}`,
      'assignment 6 of the model: it is no object',
    ])
  })

  test.each([[{}], [{ slug: '' }], [null], ['ship'], [{ slug: 'atlas' }], [{ slug: 'rigging' }]])(
    'shares nothing when the model says %j',
    async (shared) => {
      expect((await divide(chatSaying({ children: CHILDREN, shared }))).shared).toBeUndefined()
    },
  )

  test('is refused with fewer than two children, with itself as a child, and with none', async () => {
    const badly = (problem: string) =>
      `the chat model divides it badly: ${problem}; ask again, or name children and assignments yourself`
    const two = badly('a project is divided into two children or more')
    const self = badly('project atlas cannot be a child of itself')
    for (const [named, message] of [
      [[], two],
      [[CHILDREN[0]], two],
      [[CHILDREN[0], { slug: 'water line' }], two],
      [[...CHILDREN, { slug: 'Atlas' }], self],
      ['rigging, hull', 'the chat model gave an answer that cannot be read'],
      [undefined, 'the chat model gave an answer that cannot be read'],
    ] as const) {
      await expect(divide(chatSaying({ children: named, assignments: [] }))).rejects.toThrow(
        message,
      )
    }
  })

  test('is refused when the answer cannot be read or the model cannot be asked', async () => {
    await expect(divide(chatSaying('{"children": [{"slug"'))).rejects.toThrow(
      'the chat model gave an answer that cannot be read: ask again, or name children and assignments yourself',
    )
    await expect(divide(chatSaying({ kind: 'slow', cause: 'it is slow' }))).rejects.toThrow(
      'it is slow; name children and assignments yourself',
    )
    await expect(divide(noChat as FakeChat)).rejects.toThrow('no chat model is set up')
  })

  test('has the children that its caller names, whatever the model makes up', async () => {
    const chat = chatSaying({
      children: [{ slug: 'made-up' }, { slug: 'rigging' }],
      shared: { slug: 'made-up-too' },
      assignments: [
        { to: 'below-deck', memories: [1] },
        { to: 'made-up', memories: [2] },
        { to: 'made-up-too', memories: [3] },
        { to: 'ship', memories: [4] },
      ],
    })
    const divided = await divide(chat, { children: ['Below deck', 'rigging'], shared: 'ship' })
    expect(divided).toMatchObject({
      children: [
        { slug: 'below-deck', label: 'Below deck' },
        { slug: 'rigging', label: 'rigging' },
      ],
      shared: { slug: 'ship', label: 'ship' },
      assignments: [
        { id: ids['hull'], to: 'below-deck' },
        { id: ids['rope'], to: 'ship' },
      ],
    })
    expect(divided.skipped).toHaveLength(2)
    expect(chat.prompts[0]!.user).toContain('{"slug":"below-deck","label":"Below deck"}')
  })

  test('asks no model for children that cannot be, and where there is nothing to move', async () => {
    const chat = chatSaying({ children: CHILDREN })
    await expect(divide(chat, { children: ['rigging'] })).rejects.toThrow(
      'a project is divided into two children or more',
    )
    await expect(divide(chat, { children: ['rigging', 'Atlas'] })).rejects.toThrow(
      'project atlas cannot be a child of itself',
    )
    expect(await divide(chat, { source: 'delta' })).toEqual({
      children: [],
      shared: undefined,
      assignments: [],
      skipped: ['project delta has no active memory that you may read'],
      model: '',
    })
    expect(chat.prompts).toEqual([])
  })

  test('shows the model nothing across a fence', async () => {
    await write('vault-code', 'crypt', await house.inside('crypt', 'sealed'))
    const chat = chatSaying({ children: CHILDREN, assignments: [{ to: 'rigging', memories: [1] }] })
    expect(await divide(chat, { source: 'crypt' })).toMatchObject({ assignments: [] })
    expect(await divide(chat, {}, 'crypt')).toMatchObject({ assignments: [] })
    expect(chat.prompts).toEqual([])
    expect(await divide(chat, { source: 'crypt' }, 'crypt')).toMatchObject({
      assignments: [{ id: ids['vault-code'] }],
    })
  })

  test('says which memories the model was not shown', async () => {
    for (let n = 0; n < 147; n++) await write(`buoy-${n}`)
    const { skipped } = await divide(chatSaying({ children: CHILDREN, assignments: [] }))
    expect(skipped).toEqual([
      'the model was shown the 150 memories that were changed last, and not the other 1',
    ])
  })
})
