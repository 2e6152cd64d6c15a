import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { NOBODY } from '../../src/kernel/kernel.ts'
import { listPlans } from '../../src/plans/plans.ts'
import { ownerScope, scopeAt } from '../../src/projects/projects.ts'
import { addTask } from '../../src/tasks/tasks.ts'
import { openHouse, type House } from '../helpers/house.ts'
import type { Agent } from '../helpers/agent.ts'

const UNKNOWN = '01K9ZC4T7Q8V2M5N6P3R1S0WXY'

const memory = async (agent: Agent, name: string, project?: string): Promise<string> => {
  const { id } = await agent.call('memory_write', {
    name,
    kind: 'gotcha',
    description: `about ${name}`,
    body: `The body of ${name}.\n`,
    ...(project && { project }),
  })
  return id as string
}

const task = async ({ app }: House, project: string, plan = ''): Promise<string> => {
  const scope = await scopeAt(app.kernel.db, project)
  const draft = { title: 'Grease the winch', plan }
  return (await addTask(app.kernel, NOBODY, { project, scope }, draft)).id
}

const row = ({ app }: House, table: 'memories' | 'notes' | 'tasks' | 'sessions', id: string) =>
  app.kernel.db
    .selectFrom(table)
    .select(['favorite', 'updated_at', 'project'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

describe('favorite_set', () => {
  test('stars a memory in its file, echoes what was asked and leaves updated as it was', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    const id = await memory(agent, 'csv-last-row')
    const before = await row(house, 'memories', id)
    const path = join(house.dir, 'memory/atlas/csv-last-row.md')
    const text = await readFile(path, 'utf8')

    const star = { kind: 'memory', id: ' CSV last row ', favorite: true }
    expect(await agent.call('favorite_set', star)).toEqual({ ...star })

    expect(await readFile(path, 'utf8')).toBe(text.replace('\n---\n', '\nfavorite: true\n---\n'))
    expect(await row(house, 'memories', id)).toEqual({ ...before, favorite: true })
    const read = await agent.call('memory_read', { name: 'csv-last-row' })
    expect(read).toMatchObject({ favorite: true })
    expect(read['content_hash']).toBe(await house.sha256('memory/atlas/csv-last-row.md'))
    expect(await house.events('favorite.changed')).toMatchObject([
      {
        item_id: id,
        project: 'atlas',
        payload: { kind: 'memory', id: 'CSV last row', favorite: true, by: 'agent' },
      },
    ])
    expect(await house.events('memory.written')).toHaveLength(1)

    await agent.call('favorite_set', { ...star, favorite: false })
    expect(await readFile(path, 'utf8')).toBe(text)
    expect(await row(house, 'memories', id)).toEqual(before)
  })

  test('of an item that is so already writes nothing, and says again that it was asked for', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    await memory(agent, 'twice')
    const star = { kind: 'memory', id: 'twice', favorite: true }
    await agent.call('favorite_set', star)
    const hash = await house.sha256('memory/atlas/twice.md')
    const path = join(house.dir, 'memory/atlas/twice.md')
    const { ino, mtimeMs } = await stat(path)

    expect(await agent.call('favorite_set', star)).toEqual(star)

    const now = await stat(path)
    expect([now.ino, now.mtimeMs]).toEqual([ino, mtimeMs])
    expect(await house.sha256('memory/atlas/twice.md')).toBe(hash)
    expect(await house.events('favorite.changed')).toHaveLength(2)
  })

  test('keeps what is in a file besides: keys of others, and every byte of the body', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    const { id } = await agent.call('notes_create', { title: 'Odd', body: 'a\r\nb  \n\n\nno end' })
    await agent.call('favorite_set', { kind: 'note', id, favorite: true })
    await agent.call('favorite_set', { kind: 'note', id, favorite: false })
    expect((await agent.call('notes_read', { id }))['body']).toBe('a\r\nb  \n\n\nno end')
  })

  test('stales the hash that somebody holds, and nothing else of a note', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    const { id } = await agent.call('notes_create', { title: 'Report', body: 'b' })
    const { content_hash } = await agent.call('notes_read', { id })
    const before = await row(house, 'notes', id)

    await agent.call('favorite_set', { kind: 'note', id: 'report', favorite: true })

    expect(await row(house, 'notes', id)).toEqual({ ...before, favorite: true })
    const append = { id, description: 'x', expect_hash: content_hash }
    await expect(agent.call('notes_update', append)).rejects.toThrow('is stale')
    expect(await house.events('note.written')).toHaveLength(1)
  })

  test('reaches memories and notes by name in the project and then in global, and by id anywhere', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    const [own, global] = [await memory(agent, 'own'), await memory(agent, 'everywhere', 'global')]
    const far = await memory(agent, 'far', 'delta')
    const note = await agent.call('notes_create', { title: 'World', body: 'b', project: 'global' })

    for (const id of ['own', 'everywhere']) {
      await agent.call('favorite_set', { kind: 'memory', id, favorite: true })
    }
    await agent.call('favorite_set', { kind: 'memory', id: far, favorite: true })
    await agent.call('favorite_set', { kind: 'note', id: 'world', favorite: true })

    for (const id of [own, global, far]) {
      expect(await row(house, 'memories', id)).toMatchObject({ favorite: true })
    }
    expect(await row(house, 'notes', note['id'] as string)).toMatchObject({ favorite: true })
    await expect(
      agent.call('favorite_set', { kind: 'memory', id: 'far', favorite: true }),
    ).rejects.toThrow('favorite_set: no memory "far" in project "atlas" nor in global')
    const there = { kind: 'memory', id: 'far', favorite: false, project: 'delta' }
    expect(await agent.call('favorite_set', there)).toMatchObject({ favorite: false })
  })

  test('stars projects, tasks and sessions in their rows, whoever holds them', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    const id = await task(house, 'atlas')
    await house.app.kernel.db
      .updateTable('tasks')
      .set({ status: 'in_progress', claimed_by: UNKNOWN, claim_token: 'T' })
      .execute()
    const session = await house.session('atlas')
    await house.app.kernel.db
      .updateTable('sessions')
      .set({ name: 'sess/quiet', status: 'completed' })
      .where('id', '=', session)
      .execute()
    const before = {
      task: await row(house, 'tasks', id),
      session: await row(house, 'sessions', session),
    }
    const project = () =>
      house.app.kernel.db
        .selectFrom('projects')
        .select(['favorite', 'updated_at'])
        .where('slug', '=', 'atlas')
        .executeTakeFirstOrThrow()
    const place = await project()

    for (const [kind, named] of [
      ['task', id],
      ['session', 'sess/quiet'],
      ['project', 'atlas'],
    ]) {
      await agent.call('favorite_set', { kind, id: named, favorite: true })
    }
    expect(await row(house, 'tasks', id)).toEqual({ ...before.task, favorite: true })
    expect(await row(house, 'sessions', session)).toEqual({ ...before.session, favorite: true })
    expect(await project()).toEqual({ ...place, favorite: true })
    expect((await house.events('favorite.changed')).map(({ item_id }) => item_id)).toEqual([
      id,
      session,
      'atlas',
    ])
    const { hits } = await agent.call('recall', { query: 'grease the winch' })
    expect(hits).toMatchObject([{ kind: 'task', favorite: true }])
    await agent.call('favorite_set', { kind: 'session', id: session, favorite: false })
    expect(await row(house, 'sessions', session)).toEqual(before.session)
  })

  test('keeps the star of a plan with its first note, and with its capture when it has one', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    const note = async (title: string, tags: string[]) =>
      (await agent.call('notes_create', { title, body: 'b', tags }))['id'] as string
    await note('Agent run', ['plan:launch', 'agent-cache'])
    const first = await note('First', ['plan:launch'])
    const capture = await note('Capture', ['plan:launch'])
    const plan = { kind: 'plan', id: 'launch', favorite: true }

    await agent.call('favorite_set', plan)
    expect(await row(house, 'notes', first)).toMatchObject({ favorite: true })
    expect(await row(house, 'notes', capture)).toMatchObject({ favorite: false })

    await agent.call('notes_update', { id: capture, tags_add: ['cc-plan'] })
    await agent.call('favorite_set', plan)
    expect(await row(house, 'notes', capture)).toMatchObject({ favorite: true })
    expect((await listPlans(house.app.kernel, ownerScope())).plans).toMatchObject([
      { plan: 'launch', note: { id: capture, favorite: true } },
    ])
    expect(await house.events('favorite.changed')).toMatchObject([
      { item_id: first, payload: { kind: 'plan', id: 'launch' } },
      { item_id: capture, payload: { kind: 'plan', id: 'launch' } },
    ])
  })

  test('means the plan of the project that is named when two have one of the same slug', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    const note = async (project: string) => {
      const draft = { title: 'Start', body: 'b', plan: 'launch', project }
      return (await agent.call('notes_create', draft))['id'] as string
    }
    const [own, other] = [await note('atlas'), await note('delta')]
    const plan = { kind: 'plan', id: 'launch', favorite: true }
    await agent.call('favorite_set', { ...plan, project: 'delta' })
    expect(await row(house, 'notes', own)).toMatchObject({ favorite: false })
    expect(await row(house, 'notes', other)).toMatchObject({ favorite: true })
  })

  test('pins a memory into briefings and lifts it in recall', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    for (const name of ['alpha', 'beta']) {
      await agent.call('memory_write', {
        name,
        kind: 'gotcha',
        description: 'harbour cranes jam in frost',
        body: 'harbour cranes jam in frost',
      })
    }
    const names = async () =>
      (await agent.call('recall', { query: 'harbour cranes' }))['hits'].map(
        ({ name }: { name: string }) => name,
      )
    expect(await names()).toEqual(['alpha', 'beta'])
    await agent.call('favorite_set', { kind: 'memory', id: 'beta', favorite: true })
    expect(await names()).toEqual(['beta', 'alpha'])
  })

  describe('refuses', () => {
    test.each([
      [{ id: 'x', favorite: true }, 'missing required: "kind"'],
      [
        { kind: 'lab', id: 'x', favorite: true },
        'invalid kind "lab": valid values are memory, note, project, plan, task, session, trial',
      ],
      [{ kind: 'memory', id: ' ', favorite: true }, 'id must not be blank'],
      [
        { kind: 'memory', id: 'x'.repeat(301), favorite: true },
        'id must have at most 300 characters',
      ],
      [{ kind: 'memory', id: 'x', favorite: 'often' }, 'invalid favorite'],
      [{ kind: 'memory', id: UNKNOWN, favorite: true }, `no memory with id "${UNKNOWN}"`],
      [
        { kind: 'note', id: 'x', favorite: true },
        'no note with the slug "x" in project "atlas" nor in global',
      ],
      [{ kind: 'note', id: UNKNOWN, favorite: true }, `no note with id "${UNKNOWN}"`],
      [
        { kind: 'project', id: 'nowhere', favorite: true },
        'no project "nowhere"; project_list names them all',
      ],
      [{ kind: 'project', id: 'global', favorite: true }, 'the global scope is no project'],
      [{ kind: 'task', id: 'x', favorite: true }, 'no task with id "x"'],
      [{ kind: 'session', id: 'x', favorite: true }, 'no session "x"'],
      [{ kind: 'plan', id: 'x', favorite: true }, 'no plan "x" here'],
      [{ kind: 'trial', id: 'x', favorite: true }, 'the research feature is disabled'],
    ])('%o', async (args, message) => {
      await using house = await openHouse()
      const agent = await house.inside('atlas')
      await expect(agent.call('favorite_set', args)).rejects.toThrow(`favorite_set: ${message}`)
      expect(await house.events('favorite.changed')).toEqual([])
    })

    test('a plan that has steps alone, and says how it gets a note', async () => {
      await using house = await openHouse()
      const agent = await house.inside('atlas')
      await task(house, 'atlas', 'launch')
      await expect(
        agent.call('favorite_set', { kind: 'plan', id: 'launch', favorite: true }),
      ).rejects.toThrow('no note in plan "launch": it has steps alone')
    })

    test('a memory that is superseded, and says where its successor is found', async () => {
      await using house = await openHouse()
      const agent = await house.inside('atlas')
      const old = await memory(agent, 'old')
      const next = { name: 'new', kind: 'gotcha', description: 'd', body: 'b', supersedes: 'old' }
      await agent.call('memory_write', next)
      for (const id of ['old', old]) {
        await expect(
          agent.call('favorite_set', { kind: 'memory', id, favorite: true }),
        ).rejects.toThrow(
          'memory "old" was superseded or archived, and only an active one has a star',
        )
      }
    })
  })
})

describe('between projects', () => {
  test('a confidential project takes no star from outside, and an item of it answers like one that does not exist', async () => {
    await using house = await openHouse()
    const inside = await house.inside('ledger', 'confidential')
    const id = await memory(inside, 'secret-books')
    const outside = await house.inside('atlas')
    const star = { kind: 'memory', id, favorite: true }
    await expect(outside.call('favorite_set', star)).rejects.toThrow(`no memory with id "${id}"`)
    expect(await row(house, 'memories', id)).toMatchObject({ favorite: false })
    await expect(
      outside.call('favorite_set', { ...star, id: 'secret-books', project: 'ledger' }),
    ).rejects.toThrow('project ledger is confidential')
    await house.session('ledger', { name: 'inside' })
    for (const name of ['inside', 'nowhere']) {
      await expect(
        outside.call('favorite_set', { kind: 'session', id: name, favorite: true }),
      ).rejects.toThrow(`no session "${name}"`)
    }
    await expect(
      outside.call('favorite_set', { kind: 'project', id: 'ledger', favorite: true }),
    ).rejects.toThrow(
      'project ledger is confidential; from outside something new can be put there, and nothing ' +
        'that is there is reached',
    )
  })

  test('a sealed item answers like one that does not exist, and a sealed session stars only at home', async () => {
    await using house = await openHouse()
    const inside = await house.inside('crypt', 'sealed')
    const id = await memory(inside, 'bones')
    const outside = await house.inside('atlas')
    await memory(outside, 'shared', 'global')
    await expect(
      outside.call('favorite_set', { kind: 'memory', id, favorite: true }),
    ).rejects.toThrow(`no memory with id "${id}"`)
    await expect(
      outside.call('favorite_set', { kind: 'project', id: 'crypt', favorite: true }),
    ).rejects.toThrow('project crypt is sealed; only a session bound to it can write there')
    await expect(
      inside.call('favorite_set', { kind: 'memory', id: 'shared', favorite: true }),
    ).rejects.toThrow("global is outside this session's world")
    await expect(
      inside.call('favorite_set', { kind: 'project', id: 'atlas', favorite: true }),
    ).rejects.toThrow('session is bound to sealed project crypt and can write nowhere else')
    const own = { kind: 'memory', id: 'bones', favorite: true }
    expect(await inside.call('favorite_set', own)).toEqual(own)
    expect(
      await inside.call('favorite_set', { ...own, kind: 'project', id: 'crypt' }),
    ).toMatchObject({ favorite: true })
  })

  test('a confidential session reads global items and stars none of them', async () => {
    await using house = await openHouse()
    const outside = await house.connect()
    await memory(outside, 'shared', 'global')
    const inside = await house.inside('ledger', 'confidential')
    await expect(
      inside.call('favorite_set', { kind: 'memory', id: 'shared', favorite: true }),
    ).rejects.toThrow('session is bound to confidential project ledger and can write nowhere else')
    expect(await house.events('favorite.changed')).toEqual([])
  })
})
