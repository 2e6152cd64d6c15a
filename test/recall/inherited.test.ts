import { beforeEach, describe, expect, test } from 'vitest'
import type { Agent } from '../helpers/agent.ts'
import { callHook, fixture } from '../helpers/call-hook.ts'
import { openHouse, type House } from '../helpers/house.ts'

let house: House
let parent: Agent
let child: Agent

beforeEach(async () => {
  house = await openHouse()
  parent = await house.inside('platform')
  child = await house.inside('orders')
  await house.inside('group')
  await inherits('orders', 'platform')
  return async () => house[Symbol.asyncDispose]()
})

async function inherits(project: string, parent_slug: string): Promise<void> {
  const { db } = house.app.kernel
  await db.updateTable('projects').set({ parent_slug }).where('slug', '=', project).execute()
}

const QUERY = 'how does the harbour lantern flicker'
const lantern = {
  name: 'harbour-lantern',
  kind: 'gotcha',
  description: 'The harbour lantern flickers when the generator starts',
  body: 'b',
}

interface Found {
  kind: string
  name: string
  project?: string
}
const recalled = async (agent: Agent, args: object = {}): Promise<Found[]> =>
  ((await agent.call('recall', { query: QUERY, ...args }))['hits'] as Found[]).map(
    ({ kind, name, project }) => ({ kind, name, ...(project && { project }) }),
  )

/** What a prompt in the child tells, in a session of its own. */
let sessions = 0
async function told(prompt = QUERY): Promise<string> {
  const session_id = `s${++sessions}`
  const where = { cwd: '/home/ana/src/orders', repo_root: '/home/ana/src/orders' }
  await callHook(house, 'session-start', { session_id, ...where, source: 'startup' })
  // The briefing has told what there is: a context that begins without one has not.
  await house.app.kernel.db.deleteFrom('told').execute()
  const payload = { ...fixture('claude-code/user-prompt-submit'), session_id, prompt }
  return (await callHook(house, 'user-prompt-submit', payload)).context ?? ''
}

const INHERITED = { kind: 'memory', name: 'harbour-lantern', project: 'platform' }

describe('what a project inherits', () => {
  test('is found by its recall and told with its prompts, under the name that opens it', async () => {
    await parent.call('memory_write', lantern)
    expect(await recalled(child)).toEqual([INHERITED])
    expect(await recalled(child, { query: '', kind: 'gotcha' })).toEqual([INHERITED])
    const [name = ''] = /(?<=^- )\S+/m.exec(await told()) ?? []
    expect(name).toBe('platform/harbour-lantern')
    const read = await child.call('memory_read', { name })
    expect(read).toMatchObject({ project: 'platform', name: 'harbour-lantern' })
  })

  test('is told to its subagents', async () => {
    await parent.call('memory_write', lantern)
    await told()
    const spawn = fixture('claude-code/subagent-start', {
      session_id: `s${sessions}`,
      spawn_prompt: QUERY,
    })
    const { context } = await callHook(house, 'subagent-start', spawn)
    expect(context).toContain('- platform/harbour-lantern (')
  })

  test('is found from elsewhere too, when the project is asked for', async () => {
    await parent.call('memory_write', lantern)
    const other = await house.inside('delta')
    expect(await recalled(other, { project: 'orders' })).toEqual([INHERITED])
    expect(await recalled(other)).toEqual([])
    const ledger = await house.inside('ledger', 'confidential')
    expect(await recalled(ledger, { project: 'orders' })).toEqual([INHERITED])
  })

  test('is memories alone, of the parent alone, and nothing goes the other way', async () => {
    await parent.call('notes_create', { title: 'The harbour lantern flickers', body: QUERY })
    await parent.call('tasks_add', { title: 'Mend the harbour lantern', body: QUERY })
    await parent.call('session_update', { findings: QUERY })
    const group = await house.inside('group')
    await group.call('memory_write', lantern)
    await inherits('platform', 'group')
    expect(await recalled(child)).toEqual([])
    expect(await told()).toBe('')
    expect(await recalled(parent, { scope: 'memories' })).toMatchObject([{ project: 'group' }])
    await child.call('memory_write', { ...lantern, name: 'own-lantern' })
    expect((await recalled(parent, { scope: 'memories' })).map(({ name }) => name)).toEqual([
      'harbour-lantern',
    ])
  })

  test('is not found while its fence is closed, nor by who may not read the child', async () => {
    await parent.call('memory_write', lantern)
    const { db } = house.app.kernel
    const close = (slug: string, isolation: string) =>
      db.updateTable('projects').set({ isolation }).where('slug', '=', slug).execute()
    for (const isolation of ['confidential', 'sealed']) {
      await close('platform', isolation)
      expect(await recalled(child)).toEqual([])
      expect(await told()).toBe('')
    }
    await close('platform', 'open')
    expect(await recalled(child)).toEqual([INHERITED])
    const crypt = await house.inside('crypt', 'sealed')
    await expect(recalled(crypt, { project: 'orders' })).rejects.toThrow(/sealed/)
  })

  test('is what the owner lets briefings tell of it', async () => {
    await parent.call('memory_write', lantern)
    const { db } = house.app.kernel
    const value = JSON.stringify({ includeParentMemories: false })
    await db.insertInto('settings').values({ key: 'briefing_config', value }).execute()
    expect(await recalled(child)).toEqual([])
    expect(await told()).toBe('')
  })

  test('is found through a link, after what the project has of that name', async () => {
    const body = 'see [[generator]]'
    await parent.call('memory_write', { ...lantern, body })
    const generator = { name: 'generator', kind: 'reference', description: 'Diesel', body: 'x' }
    await parent.call('memory_write', generator)
    expect(await recalled(child)).toContainEqual({
      kind: 'memory',
      name: 'generator',
      project: 'platform',
    })
    await child.call('memory_write', generator)
    expect(await recalled(child)).toContainEqual({
      kind: 'memory',
      name: 'generator',
      project: 'orders',
    })
  })
})
