import { encodeTime } from 'ulid'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { stepsOf, tookOf } from '../../src/console/sessions/steps.ts'
import { keepEventMonths } from '../../src/postgres/event-months.ts'
import type { Agent } from '../helpers/agent.ts'
import { callHook, fixture } from '../helpers/call-hook.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { ownerOf, type Owner } from './owner.ts'

describe('the trace of a session', () => {
  let house: House
  let owner: Owner
  let agent: Agent
  let id: string
  beforeEach(async () => {
    house = await openHouse()
    owner = ownerOf(house)
    agent = await house.connect()
    id = (await agent.call('session_start', { name: 'harbor', project: 'atlas' }))['session_id']
  })
  afterEach(() => house[Symbol.asyncDispose]())

  const page = async (query = '') => (await owner.get(`/console/sessions/${id}${query}`)).text
  const rowsOf = (text: string) =>
    [...text.matchAll(/<tr class="row[^"]*" id="row-[^]*?<\/tr>/g)].map(([row]) =>
      row
        .replaceAll(/<svg[^]*?aria-label="([^"]*)"[^]*?<\/svg>/g, '$1')
        .replaceAll(/<time[^]*?<\/time>/g, '')
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
  const write = (name: string) =>
    agent.call('memory_write', {
      name,
      kind: 'constraint',
      description: `About ${name}`,
      body: 'Tide tables are UTC.',
    })

  test('has one row for each call, with its argument, its answer and its items', async () => {
    await write('use-utc')
    await agent.call('recall', { query: 'tide tables' })
    await agent.call('memory_read', { name: 'use-utc' })
    await expect(agent.call('memory_read', { name: 'nope-4' })).rejects.toThrow()
    await agent.call('tasks_ready', {})
    const rows = rowsOf(await page())
    expect(rows.map((row) => row.replace(/ [\d.]+ m?s/, ' TOOK'))).toEqual([
      expect.stringMatching(/^called tasks_ready .*0 \w+ TOOK$/),
      expect.stringMatching(/^failed memory_read nope-4 .*no memory.* TOOK$/),
      expect.stringMatching(/^called memory_read use-utc TOOK$/),
      expect.stringMatching(/^context shown recall “tide tables” .*TOOK 1$/),
      expect.stringMatching(/^written memory_write constraint use-utc TOOK$/),
      expect.stringMatching(/^called session_start harbor .*TOOK$/),
    ])
    expect(rowsOf(await page('?order=oldest'))).toEqual(rows.toReversed())
  })

  test('says from when to when it went, with the days where these are two', async () => {
    await write('use-utc')
    const went = async () => /<h2 id="trace-head">Trace<\/h2><small>([^<]*)/.exec(await page())![1]
    const { db } = house.app.database
    // A test that runs at midnight has two days already.
    const noon = new Date(new Date().setHours(12, 0, 0, 0))
    await db.updateTable('events').set({ ts: noon }).where('session_id', '=', id).execute()
    await write('use-gmt')
    const later = (await went())!
    await db.updateTable('events').set({ ts: noon }).where('session_id', '=', id).execute()
    const first = db.selectFrom('events').select('id').where('session_id', '=', id).orderBy('id')
    await db
      .updateTable('events')
      .set({ ts: new Date(noon.getTime() - 86_400_000) })
      .where('id', 'in', first.limit(1))
      .execute()
    expect(later).toMatch(/^\d\d:\d\d – \d\d:\d\d$/)
    expect(await went()).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \S+ – \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \S+$/,
    )
  })

  test('shows its calls alone, or what was shown, written or went wrong', async () => {
    await write('use-utc')
    await agent.call('recall', { query: 'tide tables' })
    await expect(agent.call('memory_read', { name: 'nope-4' })).rejects.toThrow()
    await agent.call('session_end', { findings: 'Done.', mishaps: ['Dropped a row'] })
    const all = rowsOf(await page())
    const what = async (query: string) =>
      rowsOf(await page(query)).map((row) => row.replace(/ [\d.]+ m?s.*/, '').slice(0, 40))
    expect(all).toHaveLength(6)
    expect(rowsOf(await page('?show=calls'))).toEqual(
      all.filter((row) => !row.startsWith('mishap')),
    )
    expect(await what('?show=shown')).toEqual([expect.stringMatching(/^context shown recall/)])
    expect(await what('?show=written')).toEqual([expect.stringMatching(/^written memory.written/)])
    // A call is written in a batch, and may bear a later time than what came after it.
    expect((await what('?show=wrong')).toSorted()).toEqual([
      expect.stringMatching(/^failed memory_read nope-4/),
      expect.stringMatching(/^mishap mishap Dropped a row/),
    ])
    const text = await page('?show=wrong&order=oldest')
    expect(text).toContain('Show<span class="menu-value">: <b>Went wrong</b>')
    expect(text).toContain(`/console/sessions/${id}?show=wrong#trace`)
    expect(text).toContain(`/console/sessions/${id}?order=oldest&amp;show=calls#trace`)
    expect(await page('?show=shown&from=1-01K9ZC4T7Q8V2M5N6P3R000000')).toContain(
      'Nothing of this kind is recorded',
    )
    const { status, body } = await owner.json(`/console/sessions/${id}?show=all`)
    expect([status, body.error]).toEqual([
      400,
      expect.stringContaining('calls, shown, written, wrong'),
    ])
  })

  test('shows the calls that were made before and after many a briefing', async () => {
    await write('use-utc')
    await agent.call('recall', { query: 'utc' })
    const calls = rowsOf(await page('?show=calls'))
    const told = { hook: 'user-prompt-submit', item_ids: [], content: 'x' }
    await house.app.database.db
      .insertInto('events')
      .values(
        Array.from({ length: 1_200 }, (_, at) => ({
          id: `01K9ZC4T7Q8V2M5N6P3R${String(at).padStart(6, '0')}`,
          ts: new Date(Date.now() + (at % 2 === 0 ? 100 + at : -at)),
          ...{ kind: 'retrieval.injected', transport: false, session_id: id, project: '' },
          payload: JSON.stringify(told),
        })),
      )
      .execute()
    expect(calls).toHaveLength(3)
    expect(rowsOf(await page('?show=calls'))).toEqual(calls)
  })

  test('leads to the item of each row and to the event, and opens the event beside itself', async () => {
    const { id: note } = await agent.call('notes_create', { title: 'The <b>tide</b>', body: 'x' })
    const text = await page()
    expect(text).toContain(
      `<a href="/console/notes/${note}" dir="auto">The &lt;b&gt;tide&lt;/b&gt;</a>`,
    )
    expect(text).toMatch(/data-peek="\/console\/events\/\w{26}\?peek=1"/)
    expect(text).toMatch(/<a href="\/console\/events\/\w{26}" data-open>notes_create<\/a>/)
  })

  test('names what came without a call: a briefing, a prompt, a mishap, the end', async () => {
    await write('use-utc')
    const REPO = { repo: 'git@github.com:acme/atlas.git', repo_root: '/src/atlas' }
    await callHook(house, 'session-start', fixture('claude-code/session-start', REPO))
    await callHook(house, 'user-prompt-submit', {
      ...fixture('claude-code/user-prompt-submit', REPO),
      prompt: 'Count the <i>herons</i>',
    })
    const { body } = await owner.json('/console/sessions')
    id = body.sessions.find((one: { ambient: boolean }) => one.ambient).id
    const rows = rowsOf(await page())
    expect(rows[0]).toMatch(/^called prompt “Count the &lt;i&gt;herons&lt;\/i&gt;”$/)
    expect(rows[1]).toMatch(/^briefed briefed at session start: 1 item, \d+ tokens 1$/)
    const { name } = body.sessions.find((one: { ambient: boolean }) => one.ambient)
    await agent.call('session_end', {
      session: 'harbor',
      findings: 'Done',
      mishaps: ['Deleted <b>a</b> row'],
    })
    expect(name).toMatch(/^cc\//)
    id = body.sessions.find((one: { ambient: boolean }) => !one.ambient).id
    expect(rowsOf(await page())[1]).toBe('mishap mishap Deleted &lt;b&gt;a&lt;/b&gt; row')
  })

  test('folds the run of a subagent into one row: what it was asked and told, and for how long', async () => {
    await write('use-utc')
    const REPO = { repo: 'git@github.com:acme/atlas.git', repo_root: '/src/atlas' }
    const run = {
      agent_id: 'a1',
      agent_type: 'Explore',
      spawn_prompt: 'Where are the <b>tides</b>?',
    }
    await callHook(house, 'session-start', fixture('claude-code/session-start', REPO))
    await callHook(
      house,
      'subagent-start',
      fixture('claude-code/subagent-start', { ...REPO, ...run }),
    )
    await house.app.kernel.telemetry.flush()
    await house.moveClock('125 seconds')
    await callHook(
      house,
      'subagent-stop',
      fixture('claude-code/subagent-stop', { ...REPO, ...run }),
    )
    const { body } = await owner.json('/console/sessions')
    id = body.sessions.find((one: { ambient: boolean }) => one.ambient).id
    const rows = rowsOf(await page())
    expect(rows[0]).toMatch(
      /^written subagent Explore “Where are the &lt;b&gt;tides&lt;\/b&gt;\?” its report is kept 2m \d+s 1$/,
    )
    expect(rows.filter((row) => /subagent|note\.written/.test(row))).toHaveLength(1)
  })

  test('says for how long nothing happened, until now as well, and begins each day', async () => {
    const untilNoon = 36 * 3_600_000 - (Date.now() % 86_400_000)
    await house.moveClock(`${untilNoon} milliseconds`)
    id = (await agent.call('session_start', { name: 'pier' }))['session_id']
    await house.app.kernel.telemetry.flush()
    await house.moveClock(`${untilNoon} milliseconds 19 minutes`)
    await agent.call('tasks_list', {})
    await house.app.kernel.telemetry.flush()
    expect(await page()).toMatch(/nothing for 19 min/)
    await house.moveClock(`${untilNoon} milliseconds 2 days`)
    const text = await page()
    expect(text.match(/<tr class="gap"/g)).toHaveLength(2)
    expect(text).toMatch(/nothing for 1d 23h|nothing for 2d/)
    expect(text.match(/id="day-/g)).toHaveLength(1)
  })

  test('is shown by the page, whichever way, and loses nothing between two', async () => {
    const many = 460
    await house.app.database.db
      .insertInto('events')
      .values(
        Array.from({ length: many }, (_, at) => ({
          id: `01K9ZC4T7Q8V2M5N6P3R${String(at).padStart(6, '0')}`,
          ts: new Date(Date.now() - 1_000 * (many - at)),
          kind: 'tool.call',
          transport: true,
          session_id: id,
          project: 'atlas',
          payload: JSON.stringify({ tool: `tool_${at}`, duration_ms: 1, result: '{}' }),
        })),
      )
      .execute()
    for (const order of ['newest', 'oldest']) {
      const seen: string[] = []
      let query = `?order=${order}`
      for (let pages = 0; query !== '' && pages < 9; pages++) {
        const text = await page(query)
        seen.push(...[...text.matchAll(/data-open>tool_(\d+)</g)].map(([, n]) => n!))
        query =
          /href="[^"?]*(\?[^"#]*)#trace" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''
      }
      const wanted = Array.from({ length: many }, (_, at) => String(at))
      expect(seen).toEqual(order === 'oldest' ? wanted : wanted.toReversed())
    }
    const { status, body } = await owner.json(`/console/sessions/${id}?from=x`)
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('invalid from') },
    })
  })

  test('says since when calls are kept, and counts those that are not', async () => {
    await write('use-utc')
    await agent.call('recall', { query: 'tide tables' })
    await house.app.kernel.telemetry.flush()
    await house.moveClock('70 days')
    await keepEventMonths(house.app.kernel)
    const { body } = await owner.json(`/console/sessions/${id}`)
    expect(body).toMatchObject({
      toolCalls: 3,
      callsKeptSince: expect.stringMatching(/-01T00:00:00.000Z$/),
    })
    expect(body.eventsByKind[0]).toEqual({ kind: 'tool.call', n: 3 })
    const text = await page()
    expect(text).toContain('are no longer kept')
    expect(rowsOf(text)[1]).toMatch(/^written memory.written wrote memory use-utc$/)
    expect((await owner.json('/console/sessions?w=all')).body.sessions).toMatchObject([
      { calls: 3, written: 1, shown: 1, read: 0 },
    ])
  })

  test('counts as the log does, whatever its calls were', async () => {
    await write('use-utc')
    await write('use-si')
    await agent.call('recall', { query: 'tide tables' })
    await agent.call('recall', { query: 'zeppelin maintenance' })
    await agent.call('memory_read', { name: 'use-utc' })
    await expect(agent.call('memory_read', { name: 'nope' })).rejects.toThrow()
    await house.app.kernel.telemetry.flush()
    const events = await house.app.database.db
      .selectFrom('events')
      .selectAll()
      .where('session_id', '=', id)
      .execute()
    const n = (kind: string) => events.filter((event) => event.kind === kind).length
    const items = new Set(
      events.flatMap(({ payload }) => (payload as { item_ids?: string[] }).item_ids ?? []),
    )
    const { body } = await owner.json('/console/sessions')
    expect(body.sessions[0]).toMatchObject({
      calls: n('tool.call'),
      failed: 1,
      mishaps: 0,
      written: n('memory.written'),
      shown: items.size,
      read: 1,
    })
    const one = await owner.json(`/console/sessions/${id}`)
    expect(one.body).toMatchObject({
      injectedItems: items.size,
      readAfterInject: 1,
      memoryReads: 1,
      memoryWrites: 2,
    })
  })
})

const idAt = (ms: number, last: string): string => encodeTime(ms) + last.padStart(16, '0')

test('an act belongs to the call in which it happened, and to one alone', () => {
  const event = (last: string, seconds: number, kind: string, payload = {}) => ({
    ...{ id: idAt(1_000 * seconds, last), ts: new Date(1_000 * seconds), kind, payload },
    ...{ session_id: 's', project: '', item_id: null, tx: '1' },
  })
  const steps = stepsOf([
    event('5', 60, 'memory.written', { name: 'by hand' }),
    event('4', 20, 'tool.call', { tool: 'memory_write', duration_ms: 900 }),
    event('3', 19.5, 'memory.written', { name: 'b' }),
    event('2', 10, 'tool.call', { tool: 'memory_write', duration_ms: 900 }),
    event('1', 9.5, 'memory.written', { name: 'a' }),
  ])
  expect(steps.map(({ id, tone, answer }) => `${id.at(-1)} ${tone} ${answer}`)).toEqual([
    '5 written ',
    '4 written wrote memory b',
    '2 written wrote memory a',
  ])
})

test('an act belongs to its call, though the call before it bears a time that is late', () => {
  const event = (last: string, at: number, lateMs: number, kind: string, payload = {}) => ({
    ...{ id: idAt(at, last), ts: new Date(at + lateMs), kind, payload },
    ...{ session_id: 's', project: '', item_id: null, tx: '1' },
  })
  const steps = stepsOf([
    event('4', 1_200, 5, 'tool.call', { tool: 'notes_create', duration_ms: 52 }),
    event('2', 1_140, 40, 'tool.call', { tool: 'notes_create', duration_ms: 49 }),
    event('3', 1_170, 0, 'note.written', { title: 'Three' }),
    event('1', 1_110, 0, 'note.written', { title: 'Two' }),
  ])
  expect(steps.map(({ id, answer }) => `${id.at(-1)} ${answer}`)).toEqual([
    '4 wrote note “Three”',
    '2 wrote note “Two”',
  ])
})

test('an act belongs to the call whose record was made next, though all bear one time', () => {
  const event = (last: string, kind: string, payload = {}) => ({
    ...{ id: idAt(1_000, last), ts: new Date(1_000), kind, payload },
    ...{ session_id: 's', project: '', item_id: null, tx: '1' },
  })
  const calls = Array.from({ length: 60 }, (_, nth) => [
    event(`${2 * nth}`, 'note.written', { title: `${nth}` }),
    event(`${2 * nth + 1}`, 'tool.call', { tool: 'notes_create', duration_ms: 50 }),
  ])
  expect(stepsOf(calls.flat()).map(({ answer }) => answer)).toEqual(
    calls.map((_, nth) => `wrote note “${nth}”`),
  )
})

test('an act belongs to a call of its own session, though another one was over sooner', () => {
  const event = (session_id: string, last: string, at: number, kind: string, payload = {}) => ({
    ...{ id: idAt(at, last), ts: new Date(at), kind, payload },
    ...{ session_id, project: '', item_id: null, tx: '1' },
  })
  const steps = stepsOf([
    event('bob', '3', 1_120, 'tool.call', { tool: 'notes_create', duration_ms: 100 }),
    event('alice', '2', 1_100, 'tool.call', { tool: 'notes_create', duration_ms: 90 }),
    event('bob', '1', 1_060, 'note.written', { title: 'His' }),
    event('alice', '0', 1_050, 'note.written', { title: 'Hers' }),
  ])
  expect(steps.map(({ id, tone, answer }) => `${id.at(-1)} ${tone} ${answer}`)).toEqual([
    '3 written wrote note “His”',
    '2 written wrote note “Hers”',
  ])
})

test.each([
  [7, '7 ms'],
  [1_240, '1.2 s'],
  [125_000, '2m 5s'],
])('%d ms took %s', (milliseconds, words) => expect(tookOf(milliseconds)).toBe(words))
