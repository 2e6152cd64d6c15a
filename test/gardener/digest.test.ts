import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { propose, runGardener, undoProposal } from '../../src/gardener/gardener.ts'
import { draftDigest } from '../../src/gardener/passes/digest.ts'
import { newId } from '../../src/kernel/id.ts'
import { NOBODY } from '../../src/kernel/kernel.ts'
import { ownerScope, scopeAt } from '../../src/projects/projects.ts'
import type { Agent } from '../helpers/agent.ts'
import { callHook, fixture } from '../helpers/call-hook.ts'
import { openChatProvider } from '../helpers/chat-provider.ts'
import { openHouse, type House } from '../helpers/house.ts'

const NONE = { proposed: 0, held_back: 0 }
const one = (proposed = 1) => ({ proposed, held_back: 0 })

describe('the pass digest', () => {
  let house: House
  let agent: Agent
  beforeEach(async () => {
    house = await openHouse()
    agent = await house.connect()
  })
  afterEach(() => house[Symbol.asyncDispose]())

  /** Sets the clock of the database, whatever the day of the test is. */
  const goTo = async (time: string) => {
    const { rows } = await sql<{ away: number }>`
      select extract(epoch from ${time}::timestamptz - clock_timestamp())::float8 as away`.execute(
      house.app.database.db,
    )
    await house.moveClock(`${rows[0]!.away} seconds`)
  }
  const work = async (name: string, findings: string, project = 'atlas') => {
    await agent.call('session_start', { name, project })
    await agent.call('session_end', { findings })
  }
  const run = async () => {
    const { passes } = await runGardener(house.app.kernel, ownerScope(), { only: 'digest' })
    const [{ pass: _, ms: __, ...report }] = passes as [any]
    return report
  }
  const proposals = async (): Promise<any[]> =>
    (await agent.call('gardener_proposals', { kind: 'digest' })).proposals
  const decide = async (action = 'apply'): Promise<any> => {
    const [{ id }] = (await proposals()) as [any]
    return { id, ...(await agent.call('gardener_apply', { id, action })) }
  }
  const draft = (project: string, month?: string) =>
    draftDigest(house.app.kernel, ownerScope(), project, month, { request_text: 'sum it up' })
  /** As somebody asks for it. */
  const ask = async (project: string, month?: string) =>
    propose(house.app.kernel, NOBODY, [(await draft(project, month))!])

  test('tells what the sessions of a month found and what came to an end, once the month is over', async () => {
    await goTo('2040-06-10T09:00:00Z')
    await agent.call('session_start', { name: 'harbor', project: 'atlas' })
    const task = await agent.call('tasks_add', { title: 'Build the\nlock', plan: 'launch' })
    await agent.call('tasks_update', { id: task['id'], status: 'done' })
    const kept = { kind: 'decision', description: 'Which clock counts' }
    await agent.call('memory_write', { ...kept, name: 'use-utc', body: 'UTC' })
    const next = { ...kept, name: 'use-local-time', body: 'Local', supersedes: 'use-utc' }
    await agent.call('memory_write', next)
    await agent.call('session_end', { findings: 'The lock needs two keys.\n\n# And a door' })
    await goTo('2040-06-12T23:59:00Z')
    await work('bay', 'The tide comes early.')
    await goTo('2040-06-12T12:00:00Z')
    await work('cape', 'The light is out.')

    await goTo('2040-06-30T23:59:00Z')
    expect(await run()).toEqual(NONE)
    await goTo('2040-07-01T00:01:00Z')
    expect(await run()).toEqual(one())
    const [{ payload }] = (await proposals()) as [any]
    expect(payload).toEqual({
      key: 'digest:atlas:2040-06',
      id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      project: 'atlas',
      month: '2040-06',
      since: '2040-06-01',
      until: '2040-06-30',
      session_count: 3,
      title: 'Digest of atlas, 2040-06-01 to 2040-06-30',
      body: [
        "> Made of the sessions' own words: 3 sessions of atlas, 2040-06-01 to 2040-06-30.",
        '',
        '## 2040-06-12',
        '',
        '- bay: The tide comes early.',
        '- cape: The light is out.',
        '',
        '## 2040-06-10',
        '',
        '- harbor: The lock needs two keys. # And a door',
        '',
        '## Shipped and done',
        '',
        '- 2040-06-10: Build the lock (plan launch)',
        '',
        '## Decisions that were replaced',
        '',
        '- 2040-06-10: use-utc, replaced by use-local-time',
        '',
      ].join('\n'),
      model: '',
    })
    expect(await run()).toEqual(NONE)
    expect(await proposals()).toHaveLength(1)
  })

  test('counts only sessions that ended with findings, each project and month by itself', async () => {
    await goTo('2040-05-31T23:58:00Z')
    await work('harbor', 'Found in May.')
    await work('bay', 'Found elsewhere.', 'delta')
    await work('cape', 'True everywhere.', 'global')
    const start = fixture('claude-code/session-start', {
      ...{ repo: 'git@github.com:acme/atlas.git', repo_root: '/home/ana/src/orders' },
    })
    await callHook(house, 'session-start', start)
    await callHook(house, 'session-end', fixture('claude-code/session-end'))
    const silent = house.app.database.db.selectFrom('sessions').where('ambient', '=', true)
    expect(await silent.select(['project', 'status', 'findings']).execute()).toEqual([
      {
        project: 'atlas',
        status: 'completed',
        findings: '(auto) session ended, no summary harvested',
      },
    ])
    await goTo('2040-06-01T00:02:00Z')
    await work('shoal', 'Found in June.')
    await work('reef', 'True again.', 'global')
    await agent.call('session_start', { name: 'at work', project: 'delta' })
    await agent.call('session_update', { findings: 'Not over yet.' })
    await goTo('2040-06-20T12:00:00Z')
    expect(await run()).toEqual(NONE)

    await work('kelp', 'Found in June, too.')
    await work('sand', 'True once more.', 'global')
    await goTo('2040-07-02T12:00:00Z')
    expect(await run()).toEqual(one(2))
    const found = (await proposals()).map(({ payload: { key, title, session_count } }) => [
      key,
      title,
      session_count,
    ])
    expect(found.toSorted()).toEqual([
      ['digest::2040-06', 'Digest of global, 2040-06-01 to 2040-06-30', 2],
      ['digest:atlas:2040-06', 'Digest of atlas, 2040-06-01 to 2040-06-30', 2],
    ])
  })

  test.each([
    ['as long as it ended no more than so many days ago', '2040-07-30T23:59:00Z', one()],
    ['and not any more afterwards', '2040-07-31T00:01:00Z', NONE],
  ])('proposes a month %s', async (_, time, report) => {
    await goTo('2040-06-10T12:00:00Z')
    await work('harbor', 'Found.')
    await work('bay', 'Found, too.')
    await goTo(time)
    expect(await run()).toEqual(report)
  })

  test.each([
    ['a dismissed one not after one more session of its month', 'dismiss', 1, NONE],
    ['a dismissed one again after two more sessions of its month', 'dismiss', 2, one()],
    ['a hidden one never again', 'hide', 2, NONE],
    ['the whole month when only a part of it was applied', 'apply', 2, one()],
  ])('proposes %s', async (_, action, more, report) => {
    await goTo('2040-06-10T12:00:00Z')
    await work('harbor', 'Found.')
    await work('bay', 'Found, too.')
    await ask('atlas')
    await goTo('2040-06-15T12:00:00Z')
    await decide(action)
    for (let n = 0; n < more; n++) await work(`later-${n}`, 'Found later.')
    await goTo('2040-07-01T12:00:00Z')
    expect(await run()).toEqual(report)
    const covered = (await proposals()).map(({ payload }) => [payload.since, payload.until])
    expect(covered).toEqual(report === NONE ? [] : [['2040-06-01', '2040-06-30']])
  })

  test('is asked for of a month that has begun, of one long over, and without one of the latest with findings', async () => {
    await goTo('2040-06-10T12:00:00Z')
    await work('harbor', 'Found.')
    await work('bay', 'Found, too.')
    expect(await draft('atlas')).toMatchObject({
      key: 'digest:atlas:2040-06',
      projects: ['atlas'],
      items: [],
      payload: {
        ...{ month: '2040-06', since: '2040-06-01', until: '2040-06-10', session_count: 2 },
        ...{ source: 'request', request_text: 'sum it up' },
      },
    })
    await goTo('2040-07-01T00:01:00Z')
    await work('cape', 'Found later.')
    const asked = (await draft('atlas'))!
    expect(asked.payload).toMatchObject({ month: '2040-06', until: '2040-06-30' })
    expect(asked.evidence_at?.toISOString()).toMatch(/^2040-07-01T00:/)
    expect(await draft('atlas', '2040-07')).toBeUndefined()
    expect(await draft('delta')).toBeUndefined()
    await goTo('2041-01-01T00:01:00Z')
    expect(await draft('atlas')).toBeUndefined()
    expect(await draft('atlas', '2040-06')).toMatchObject({ key: 'digest:atlas:2040-06' })
    for (const month of ['2040-13', '2040-6', '0000-01', 'June']) {
      await expect(draft('atlas', month)).rejects.toThrow(
        `invalid month "${month}": write it as YYYY-MM`,
      )
    }
  })

  test('is not made for a caller who may not read the project', async () => {
    await goTo('2040-06-10T12:00:00Z')
    const inside = await house.inside('ledger', 'confidential')
    await inside.call('session_end', { findings: 'The sum is wrong.' })
    await inside.call('session_start', { name: 'again', project: 'ledger' })
    await inside.call('session_end', { findings: 'It is still wrong.' })
    const { kernel } = house.app
    const [own, other] = [await scopeAt(kernel.db, 'ledger'), await scopeAt(kernel.db, 'atlas')]
    expect(await draftDigest(kernel, other, 'ledger')).toBeUndefined()
    expect(await draftDigest(kernel, own, 'ledger')).toMatchObject({
      payload: { body: expect.stringContaining('The sum is wrong.'), session_count: 2 },
    })
    await goTo('2040-07-01T12:00:00Z')
    expect(await run()).toEqual(one())
    expect(await proposals()).toEqual([])
    const asker = await house.inside('ledger')
    expect((await asker.call('gardener_proposals', {})).proposals).toMatchObject([
      { payload: { project: 'ledger' } },
    ])
  })

  test('of many sessions is bounded, and says how much it leaves out', async () => {
    await goTo('2040-06-10T12:00:00Z')
    await agent.call('session_start', { name: 'harbor', project: 'atlas' })
    const { db } = house.app.database
    const day = new Date('2040-06-10T12:00:00Z')
    const sessions = Array.from({ length: 150 }, (_, n) => ({
      id: newId(new Date()),
      name: `session ${String(n).padStart(3, '0')}`,
      project: 'atlas',
      status: 'completed',
      findings: `Finding ${n}. ${'word '.repeat(200)}`,
      updated_at: new Date(day.getTime() + n * 60_000),
    }))
    await db.insertInto('sessions').values(sessions).execute()
    const tasks = Array.from({ length: 30 }, (_, n) => ({
      id: newId(new Date()),
      project: 'atlas',
      title: `Task ${n}`,
      status: 'done',
      closed_at: day,
    }))
    await db.insertInto('tasks').values(tasks).execute()
    await goTo('2040-07-01T12:00:00Z')
    await run()
    const [{ payload }] = (await proposals()) as [any]
    expect(payload.session_count).toBe(150)
    expect(payload.body.length).toBeLessThan(24_000)
    const told = payload.body.match(/^- session \d+: Finding/gm).length
    expect(told).toBeGreaterThan(20)
    expect(payload.body).toContain('- session 149: Finding 149. word')
    expect(payload.body).toContain(`\n${150 - told} earlier sessions are left out.\n`)
    expect(payload.body).toContain('\n- 10 earlier tasks are left out\n')
  })

  test('is written by the chat model when one is set up, and of the findings themselves when it fails', async () => {
    await using provider = await openChatProvider('**Topics**\n\n- Locks')
    await house[Symbol.asyncDispose]()
    house = await openHouse({ env: provider.env })
    agent = await house.connect()
    await goTo('2040-06-10T12:00:00Z')
    for (const project of ['atlas', 'delta']) {
      await work(`harbor-${project}`, `Found in ${project}.`, project)
      await work(`bay-${project}`, 'Found, too.', project)
    }
    await goTo('2040-07-01T12:00:00Z')
    const { id, payload } = (await draft('atlas'))!
    expect(payload).toMatchObject({ body: '**Topics**\n\n- Locks', model: 'gpt-test' })
    expect(JSON.stringify(provider.requests[0]!.body)).toContain('Found in atlas.')
    expect(id).not.toBe(payload.id)
    provider.fault = { status: 400 }
    const plain = (await draft('delta'))!
    expect(plain.payload.model).toBe('')
    expect(plain.payload.body).toContain('- harbor-delta: Found in delta.')

    provider.fault = undefined
    await ask('atlas')
    const { note_id } = await decide()
    expect(await agent.call('notes_read', { id: note_id })).toMatchObject({
      body: '**Topics**\n\n- Locks',
      model: 'gpt-test',
    })
  })

  describe('once applied', () => {
    const PATH = 'notes/atlas/digest-of-atlas-2040-06-01-to-2040-06-30.md'
    const bytes = (path: string) => readFile(join(house.dir, path), 'utf8')
    const files = async () =>
      Object.fromEntries(
        await Promise.all((await house.files()).map(async (path) => [path, await bytes(path)])),
      )
    const rows = async () => {
      const { db } = house.app.database
      return {
        notes: await db.selectFrom('notes').selectAll().orderBy('id').execute(),
        passages: await db
          .selectFrom('passages')
          .select(['kind', 'id', 'chunk', 'hash', 'words'])
          .orderBy('id')
          .orderBy('chunk')
          .execute(),
        files: await db
          .selectFrom('files')
          .select(['path', 'content_hash'])
          .orderBy('path')
          .execute(),
        links: await db.selectFrom('links').selectAll().orderBy('name').execute(),
      }
    }
    /** As a kill leaves it between the file and the transaction: no row, no decision. */
    const loseDecision = async (id: string, path: string) => {
      const { db } = house.app.database
      const note = await db.selectFrom('notes').select('id').where('path', '=', path).execute()
      await db.deleteFrom('notes').where('path', '=', path).execute()
      await db.deleteFrom('files').where('path', '=', path).execute()
      await db.deleteFrom('passages').where('id', '=', note[0]!.id).execute()
      await db.deleteFrom('proposal_files').where('proposal_id', '=', id).execute()
      await db
        .updateTable('proposals')
        .set({ status: 'pending', resolved_at: null, result: null })
        .where('id', '=', id)
        .execute()
      const { reconcile } = await import('../../src/vault/reconcile.ts')
      await reconcile(house.app.kernel as never)
    }

    beforeEach(async () => {
      await goTo('2040-06-10T12:00:00Z')
      await work('harbor', 'The lock needs two keys.')
      await work('bay', 'The tide comes early.')
      await goTo('2040-07-01T12:00:00Z')
      await agent.call('session_start', { name: 'july', project: 'atlas', model: 'm-1' })
    })

    test('it is a note of the gardener, found by recall, and taken back byte for byte', async () => {
      const [before, rowsBefore] = [await files(), await rows()]
      await run()
      const [{ payload }] = (await proposals()) as [any]
      const { id, ...told } = await decide()
      expect(told).toEqual({
        status: 'applied',
        kind: 'digest',
        note_id: payload.id,
        title: payload.title,
        project: 'atlas',
      })
      const note = await agent.call('notes_read', { id: told.note_id })
      expect(note).toMatchObject({
        title: payload.title,
        slug: 'digest-of-atlas-2040-06-01-to-2040-06-30',
        description: 'Monthly session digest',
        project: 'atlas',
        body: payload.body,
        tags: ['created-by:gardener', 'digest'],
      })
      expect(note).not.toHaveProperty('model')
      const { hits } = await agent.call('recall', { query: 'lock needs two keys', scope: 'notes' })
      expect(hits).toMatchObject([{ id: told.note_id }])
      expect(await house.events('note.written')).toMatchObject([
        { item_id: told.note_id, project: 'atlas', payload: { title: payload.title } },
      ])
      expect((await house.events('gardener.action')).at(-1)).toMatchObject({
        item_id: id,
        payload: { action: 'apply', kind: 'digest' },
      })
      expect(await run()).toEqual(NONE)

      await undoProposal(house.app.kernel, NOBODY, id)
      expect(await files()).toEqual(before)
      expect(await rows()).toEqual(rowsBefore)
      expect((await house.events('note.written')).at(-1)).toMatchObject({
        item_id: told.note_id,
        payload: { slug: note['slug'], deleted: true },
      })
      expect(await decide()).toMatchObject({ id, note_id: told.note_id })
      expect(await house.files()).toContain(PATH)
    })

    test('it is numbered where another note has its name, and that note stays', async () => {
      await run()
      const [{ payload }] = (await proposals()) as [any]
      await agent.call('notes_create', { title: payload.title, body: 'Mine.' })
      const before = await files()
      const { id } = await decide()
      const second = PATH.replace('.md', '-2.md')
      expect(Object.keys(await files())).toEqual([...Object.keys(before), second].toSorted())
      await undoProposal(house.app.kernel, NOBODY, id)
      expect(await files()).toEqual(before)
    })

    test.each([
      ['', PATH],
      ['under a number', PATH.replace('.md', '-2.md')],
    ])(
      'an apply that was cut off finds its own note %s again, and can be taken back',
      async (_, path) => {
        await run()
        if (path !== PATH) {
          const [{ payload }] = (await proposals()) as [any]
          await agent.call('notes_create', { title: payload.title, body: 'Mine.' })
        }
        const before = await files()
        const { id, note_id } = await decide()
        const after = await files()
        await loseDecision(id, path)
        expect(await decide()).toMatchObject({ id, note_id, status: 'applied' })
        expect(await files()).toEqual(after)
        await undoProposal(house.app.kernel, NOBODY, id)
        expect(await files()).toEqual(before)
      },
    )

    test('a note left by an apply that was cut off, and moved since, is not written twice', async () => {
      await run()
      const { id, note_id } = await decide()
      await loseDecision(id, PATH)
      await agent.call('notes_update', { id: note_id, project: 'delta' })
      const before = await files()
      await expect(decide()).rejects.toThrow(`the note with id "${note_id}" is in delta already`)
      expect(await files()).toEqual(before)
    })

    test('it is not taken back once it was changed, moved or deleted', async () => {
      await run()
      const { id, note_id } = await decide()
      const text = await bytes(PATH)
      const undo = () => undoProposal(house.app.kernel, NOBODY, id)
      await agent.call('notes_append', { id: note_id, text: 'And this.' })
      await expect(undo()).rejects.toThrow('was changed after the proposal was applied')
      expect(await bytes(PATH)).toContain('And this.')

      await writeFile(
        join(house.dir, PATH),
        text.replace('created-by:gardener', 'created-by:nobody'),
      )
      await expect(undo()).rejects.toThrow('was changed after the proposal was applied')
      await rm(join(house.dir, PATH))
      await expect(undo()).rejects.toThrow('was removed after the proposal was applied')
      expect((await house.events('gardener.action')).at(-1)).toMatchObject({
        payload: { action: 'apply' },
      })
    })
  })
})
