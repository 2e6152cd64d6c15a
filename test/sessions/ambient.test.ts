import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  ambientSession,
  beat,
  endByClient,
  expireSilent,
  harvest,
  NO_SUMMARY,
  type Ambience,
} from '../../src/sessions/sessions.ts'
import { handlesOf } from '../../src/sessions/handle.ts'
import type { Kernel } from '../../src/kernel/kernel.ts'
import { connect } from '../helpers/agent.ts'
import { openHouse, type House } from '../helpers/house.ts'

const HOUR = 3_600_000

const PREFIXES = {
  'claude-code': 'cc',
  codex: 'cx',
  opencode: 'oc',
  gemini: 'ge',
  qwen: 'qw',
  cursor: 'cu',
  vscode: 'vs',
}

/** Ids of a client whose shortest handles are all the same. */
function sameStart(wanted: number): string[] {
  const byHandle = new Map<string, string[]>()
  for (let i = 0; ; i++) {
    const [handle = ''] = handlesOf('codex', `id-${i}`)
    const same = [...(byHandle.get(handle) ?? []), `id-${i}`]
    if (same.length === wanted) return same
    byHandle.set(handle, same)
  }
}

describe('the ambient session of a client', () => {
  let house: House
  let kernel: Kernel
  beforeEach(async () => {
    house = await openHouse()
    kernel = house.app.kernel
  })
  afterEach(() => house[Symbol.asyncDispose]())

  const CODEX = { client: 'codex', external_id: '0199AA10-5b7e-7c31' }
  const begin = (told: Partial<Ambience> = {}) =>
    ambientSession(kernel, {
      ...CODEX,
      project: 'atlas',
      cwd: '/src/atlas',
      source: 'startup',
      model: 'gpt-5.5',
      ...told,
    })
  const row = (id: string) =>
    house.app.database.db
      .selectFrom('sessions')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  const starts = async () => (await house.events('session.started')).map(({ payload }) => payload)
  const found = async (query: string) => {
    const agent = await house.inside('atlas')
    return (await agent.call('recall', { query, scope: 'sessions' }))['hits'] as object[]
  }

  test('has a handle of a few characters, which follows from the id of the client', async () => {
    const names = new Set<string>()
    for (const [client, prefix] of Object.entries(PREFIXES)) {
      const session = await begin({ client })
      expect(session.name).toMatch(new RegExp(`^${prefix}/[b-df-hj-km-np-tv-z2-9]{4}$`))
      names.add(session.name)
    }
    await house.app.database.db.deleteFrom('sessions').execute()
    for (const client of Object.keys(PREFIXES)) names.add((await begin({ client })).name)
    expect(names.size).toBe(Object.keys(PREFIXES).length)
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (id) => {
        const handles = handlesOf('codex', id)
        expect(handles[0]).toMatch(/^cx\/[a-z2-9]{4}$/)
        for (const [i, handle] of handles.entries()) {
          expect(handle).toHaveLength(7 + i)
          if (i > 0) expect(handle.slice(0, -1)).toBe(handles[i - 1])
        }
      }),
    )
  })

  test('has a longer handle when the short one was ever taken, by any session or chosen name', async () => {
    const [short = '', longer = '', longest] = handlesOf('codex', CODEX.external_id)
    const agent = await house.connect()
    await agent.call('session_start', { name: short, project: 'delta' })
    await agent.call('session_end', { findings: 'over' })
    await agent.call('session_start', { name: longer, project: 'delta' })
    expect((await begin()).name).toBe(longest)
    expect((await begin({ source: 'resume' })).name).toBe(longest)
  })

  test('has a handle of its own, however many begin at once with the same first characters', async () => {
    const [one = '', ...others] = sameStart(3)
    const begun = await Promise.all(
      [one, one, ...others].map((external_id) => begin({ external_id })),
    )
    expect(new Set(begun.map(({ id }) => id)).size).toBe(3)
    const names = [...new Set(begun.map(({ name }) => name))].sort((a, b) => a.length - b.length)
    expect(names).toHaveLength(3)
    const [first = ''] = names
    expect(first).toMatch(/^cx\/.{4}$/)
    for (const name of names) expect(name.startsWith(first)).toBe(true)
  })

  test('keeps the name that it was given by an older version', async () => {
    const session = await begin()
    const name = 'cx/0199aa10-0123456789abcdef'
    await house.app.database.db.updateTable('sessions').set({ name }).execute()
    expect(await begin()).toMatchObject({ id: session.id, name })
    const agent = await house.connect()
    expect(await agent.call('session_update', { findings: 'f', session: name })).toMatchObject({
      session_id: session.id,
    })
  })

  test('begins with what its hook tells', async () => {
    const session = await begin()
    expect(session).toMatchObject({
      name: handlesOf('codex', CODEX.external_id)[0],
      project: 'atlas',
      isolation: 'open',
      model: 'gpt-5.5',
      ambient: true,
    })
    expect(await row(session.id)).toMatchObject({
      status: 'active',
      external_client: 'codex',
      client_session_id: CODEX.external_id,
      cwd: '/src/atlas',
      source: 'startup',
      metadata: {
        client_session_id: CODEX.external_id,
        external_client: 'codex',
        cwd: '/src/atlas',
        source: 'startup',
      },
    })
    expect(await starts()).toEqual([{ ambient: true }])
  })

  test('is one, however many hooks begin it at once', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => begin()))
    expect(new Set(all.map(({ id }) => id)).size).toBe(1)
    expect(await starts()).toEqual([{ ambient: true }])
  })

  test('is another one for another client with the same id', async () => {
    const [one, other] = [await begin(), await begin({ client: 'claude-code' })]
    expect(other.id).not.toBe(one.id)
  })

  test.each(['completed', 'expired'])('comes back by its hook when it is %s', async (status) => {
    const { id } = await begin()
    const set = { status, findings: 'kept', metadata: JSON.stringify({ mine: 1 }) }
    await house.app.database.db.updateTable('sessions').set(set).execute()
    expect(await begin({ source: 'resume', model: '', project: '' })).toMatchObject({ id })
    expect(await row(id)).toMatchObject({
      status: 'active',
      findings: 'kept',
      metadata: { mine: 1 },
      model: 'gpt-5.5',
      project: 'atlas',
      source: 'startup',
    })
    expect(await starts()).toEqual([{ ambient: true }, { ambient: true, resumed: true }])
  })

  test('that is active is told again without an event, and moves with its client', async () => {
    const { id } = await begin()
    await begin({ source: 'compact', project: 'delta', model: 'gpt-6' })
    expect(await row(id)).toMatchObject({ project: 'delta', model: 'gpt-6' })
    expect(await starts()).toHaveLength(1)
  })

  /** What two hooks find that begin while somebody writes the session, the first of them first. */
  const inTurn = async (
    id: string,
    first: () => Promise<unknown>,
    then: () => Promise<unknown>,
  ) => {
    const { both } = await house.app.database.db.transaction().execute(async (db) => {
      await db.selectFrom('sessions').select('id').where('id', '=', id).forUpdate().execute()
      const one = first()
      await sleep(300)
      const other = then()
      await sleep(300)
      return { both: Promise.all([one, other]) }
    })
    await both
  }

  test('that moves away and back at the same moment is found where it is', async () => {
    const { id } = await begin()
    await harvest(kernel, { id }, { findings: 'The tide gate jams at noon and wants oil.' })
    await inTurn(
      id,
      () => begin({ project: 'delta' }),
      () => begin({ project: 'atlas' }),
    )
    expect(await row(id)).toMatchObject({ project: 'atlas' })
    const agent = await house.inside('atlas')
    const { hits } = await agent.call('recall', { query: 'tide gate', scope: 'sessions' })
    expect(hits).toMatchObject([{ id, project: 'atlas' }])
  })

  test('that comes back at the moment of its end has begun again', async () => {
    const { id } = await begin()
    await inTurn(
      id,
      () => endByClient(kernel, CODEX),
      () => begin(),
    )
    expect(await row(id)).toMatchObject({ status: 'active' })
    expect(await starts()).toEqual([{ ambient: true }, { ambient: true, resumed: true }])
  })

  test('stays in a fenced project when its client moves', async () => {
    await house.inside('crypt', 'sealed')
    const { id } = await begin({ project: 'crypt' })
    expect(await begin({ project: 'atlas' })).toMatchObject({
      project: 'crypt',
      isolation: 'sealed',
    })
    expect(await row(id)).toMatchObject({ project: 'crypt' })
  })

  test('goes behind a fence as another one: what it found stays where it was', async () => {
    await house.inside('ledger', 'confidential')
    const { id, name } = await begin()
    await harvest(kernel, { id }, { findings: 'The quokka in src/tide.ts leaks.' })

    const inside = await begin({ project: 'ledger', cwd: '/src/ledger' })

    expect(inside).toMatchObject({ project: 'ledger', ambient: true, status: 'active' })
    expect(inside.name).toBe(`ledger/${name}`)
    expect(await row(id)).toMatchObject({ project: 'atlas', ambient: false, status: 'completed' })
    expect(await beat(kernel, { ...CODEX, sign: 'turn' })).toMatchObject({ id: inside.id })
    expect(await begin({ project: 'atlas' })).toMatchObject({ id: inside.id, project: 'ledger' })
    expect(await house.events('session.ended')).toMatchObject([
      { session_id: id, project: 'atlas', payload: { reason: 'moved' } },
    ])
  })

  describe('is kept alive', () => {
    test('by its hooks, with the explicit one that shares its identity', async () => {
      const { id } = await begin()
      const agent = await house.connect()
      const named = await agent.call('session_start', { name: 'harbor', cwd: '/src/atlas' })
      await house.moveClock('1 hour')
      expect(await beat(kernel, { ...CODEX, model: 'gpt-6', sign: 'turn' })).toMatchObject({
        id,
        model: 'gpt-6',
      })
      for (const each of [id, named['session_id']]) {
        const { updated_at, created_at } = await row(each)
        expect(updated_at.getTime() - created_at.getTime()).toBeGreaterThan(0.9 * HOUR)
      }
      expect(
        await beat(kernel, { client: 'codex', external_id: 'nobody', sign: 'prompt' }),
      ).toBeUndefined()
      expect(
        await beat(kernel, { client: 'codex', external_id: '', sign: 'prompt' }),
      ).toBeUndefined()
    })

    test('by a call that shows it', async () => {
      const process = 'ab'.repeat(16)
      const { id } = await begin({ process })
      await house.moveClock('1 hour')
      const { url, key } = house
      await using agent = await connect({ url, key, headers: { 'loam-process': process } })
      await agent.call('project_list')
      await kernel.telemetry.flush()
      const { updated_at, created_at } = await row(id)
      expect(updated_at.getTime() - created_at.getTime()).toBeGreaterThan(0.9 * HOUR)
    })

    test.each(['completed', 'expired'])(
      'and comes back by a prompt when it is %s',
      async (status) => {
        const { id, name } = await begin()
        await house.app.database.db.updateTable('sessions').set({ status, findings: 'f' }).execute()
        for (const sign of ['turn', 'rest', 'life'] as const) {
          expect(await beat(kernel, { ...CODEX, sign })).toBeUndefined()
        }
        expect(await row(id)).toMatchObject({ status })
        const heard = { ...CODEX, model: 'gpt-6', sign: 'prompt' } as const
        expect(await beat(kernel, heard)).toMatchObject({
          id,
          name,
          status: 'active',
          model: 'gpt-6',
        })
        expect(await row(id)).toMatchObject({ findings: 'f', project: 'atlas', cwd: '/src/atlas' })
        expect(await starts()).toEqual([{ ambient: true }, { ambient: true, resumed: true }])
      },
    )
  })

  describe('ends with its client', () => {
    const end = (said: object = {}) => endByClient(kernel, { ...CODEX, ...said })

    test('and takes its last words for findings, marked and cut', async () => {
      const { id } = await begin()
      const words = `The quokka leaks. Key 7. ${'é'.repeat(3_000)}`
      expect(await end({ findings: words, model: 'gpt-6', reason: 'other' })).toBe(1)
      const { findings, status, model } = await row(id)
      expect({ status, model }).toEqual({ status: 'completed', model: 'gpt-6' })
      expect(findings).toMatch(/^\(auto-harvested\) The quokka leaks\. Key 7\. é/)
      expect([...findings].length).toBe('(auto-harvested) '.length + 2_000)
      expect(await found('quokka')).toMatchObject([{ id }])
      expect(await house.events('session.ended')).toMatchObject([
        {
          session_id: id,
          project: 'atlas',
          payload: {
            ambient: true,
            harvested: true,
            reason: 'other',
            findings,
            claims_released: 0,
          },
        },
      ])
    })

    test('and says that there was nothing, which nobody finds', async () => {
      const { id } = await begin()
      await end({ findings: ' \n ' })
      expect(await row(id)).toMatchObject({ findings: NO_SUMMARY })
      expect(await found('summary harvested session')).toEqual([])
      const [ended] = await house.events('session.ended')
      expect(ended?.payload).not.toHaveProperty('findings')
    })

    test('and keeps what its agent told itself', async () => {
      const { id, name } = await begin()
      const agent = await house.connect()
      await agent.call('session_update', { session: name, findings: 'my own words' })
      await end({ findings: 'the words of its client', tokens: { input: 1, cached: 2, output: 3 } })
      expect(await row(id)).toMatchObject({
        findings: 'my own words',
        input_tokens: 1,
        cached_tokens: 2,
        cache_creation_tokens: 0,
        output_tokens: 3,
      })
    })

    test('once: what has ended is not ended again, nor is that of another client', async () => {
      await begin()
      const other = await begin({ client: 'claude-code' })
      expect(await end()).toBe(1)
      expect(await end()).toBe(0)
      expect(await row(other.id)).toMatchObject({ status: 'active' })
      expect(await endByClient(kernel, { client: 'codex', external_id: '' })).toBe(0)
    })

    test('and no connection speaks for it any more', async () => {
      await begin()
      const agent = await house.connect()
      await agent.call('session_start', { cwd: '/src/atlas' })
      await end()
      await begin()
      await begin({ external_id: 'second', project: 'delta' })
      await expect(agent.call('notes_create', { title: 'x', body: 'y' })).rejects.toThrow(
        'ambiguous scope',
      )
    })
  })

  describe('pauses', () => {
    const pause = async (said: object) => harvest(kernel, await begin(), said)

    test('and each time its last words replace those of before, its tokens too', async () => {
      const { id } = await begin()
      await pause({ findings: 'the first turn failed', tokens: { input: 5, output: 5 } })
      await pause({
        findings: 'the second turn passed',
        tokens: { input: 9, cached: 1, cache_creation: 0, output: 8 },
      })
      await pause({ findings: '' })
      await pause({ findings: 'Done! Anything else?' })
      expect(await row(id)).toMatchObject({
        status: 'active',
        findings: '(auto-harvested) the second turn passed',
        input_tokens: 9,
        cached_tokens: 1,
        output_tokens: 8,
      })
      expect(await house.events('session.ended')).toEqual([])
    })

    test('and what its agent tells itself is kept from then on', async () => {
      const { id, name } = await begin()
      await pause({ findings: 'the first turn failed' })
      const agent = await house.connect()
      await agent.call('session_update', { session: name, findings: 'my own' })
      await pause({ findings: 'the second turn passed', model: 'gpt-6' })
      expect(await row(id)).toMatchObject({ findings: 'my own', model: 'gpt-6' })
    })
  })
})

describe('silence', () => {
  let house: House
  beforeEach(async () => {
    house = await openHouse()
  })
  afterEach(() => house[Symbol.asyncDispose]())
  const row = (id: string) =>
    house.app.database.db
      .selectFrom('sessions')
      .select(['status', 'updated_at'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()

  test('of 105 minutes expires a session; its last sign of life stays', async () => {
    const agent = await house.connect()
    const { session_id: id } = await agent.call('session_start', { project: 'atlas' })
    await house.app.kernel.telemetry.flush()
    const { updated_at } = await row(id)
    await house.moveClock('104 minutes')
    expect(await expireSilent(house.app.kernel)).toBe(0)
    await house.moveClock('106 minutes')
    expect(await expireSilent(house.app.kernel)).toBe(1)
    expect(await row(id)).toEqual({ status: 'expired', updated_at })
    expect(await expireSilent(house.app.kernel)).toBe(0)
    expect(await house.events('session.ended')).toMatchObject([
      {
        session_id: id,
        project: 'atlas',
        payload: { reason: 'expired', reaped: true, claims_released: 0 },
      },
    ])
  })

  test('is broken by a call of the connection: the session is back where it was', async () => {
    const agent = await house.connect()
    const { session_id: id } = await agent.call('session_start', { project: 'atlas' })
    await house.app.kernel.telemetry.flush()
    await house.moveClock('3 hours')
    await expireSilent(house.app.kernel)
    expect(await agent.call('notes_create', { title: 'Tide', body: 'x' })).toMatchObject({
      project: 'atlas',
    })
    expect(await row(id)).toMatchObject({ status: 'active' })
    expect(await expireSilent(house.app.kernel)).toBe(0)
  })

  test('ends nothing that has ended already', async () => {
    const agent = await house.connect()
    const { session_id: id } = await agent.call('session_start', { project: 'atlas' })
    await agent.call('session_end', { findings: 'x' })
    await house.app.kernel.telemetry.flush()
    await house.moveClock('3 hours')
    expect(await expireSilent(house.app.kernel)).toBe(0)
    expect(await row(id)).toMatchObject({ status: 'completed' })
  })

  test('expires many at once, each once, however many look', async () => {
    for (let i = 0; i < 20; i++) await house.session('atlas')
    await house.moveClock('3 hours')
    const { kernel } = house.app
    const counts = await Promise.all([expireSilent(kernel), expireSilent(kernel)])
    expect(counts[0]! + counts[1]!).toBe(20)
    expect(await house.events('session.ended')).toHaveLength(20)
  })
})
