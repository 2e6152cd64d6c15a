import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { IN_ITS_CALL } from '../../src/recall/recall.ts'
import type { Agent } from '../helpers/agent.ts'
import { callHook, fixture } from '../helpers/call-hook.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { ownerOf, type Owner } from './owner.ts'

const FEED = '/console/interactions'
const REPO = { repo: 'git@github.com:acme/atlas.git', repo_root: '/src/atlas' }
const PARTS = { accept: 'text/html' }

describe('the feed', () => {
  let house: House
  let owner: Owner
  let agent: Agent
  beforeEach(async () => {
    house = await openHouse()
    owner = ownerOf(house)
    agent = await house.connect()
  })
  afterEach(() => house[Symbol.asyncDispose]())

  const rows = async (query: string): Promise<Record<string, any>[]> =>
    (await owner.json(`${FEED}${query}`)).body.rows
  /** What an owner reads in the rows of a page. */
  const shown = (text: string) =>
    [...text.matchAll(/<tr class="row[^"]*" id="row-[^]*?<\/tr>/g)].map(([row]) =>
      row
        .replaceAll(/<svg[^]*?aria-label="([^"]*)"[^]*?<\/svg>/g, '$1')
        .replaceAll(/<time[^]*?<\/time>/g, '')
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .replaceAll(/\d+(\.\d)? m?s/g, 'TOOK')
        .trim(),
    )
  /** As many calls of one session, a second apart, the last one now. */
  async function many(count: number, session: string | null = null): Promise<void> {
    const now = Date.now()
    await house.app.database.db
      .insertInto('events')
      .values(
        Array.from({ length: count }, (_, at) => ({
          id: `01K9ZC4T7Q8V2M5N6P3R${String(at).padStart(6, '0')}`,
          ts: new Date(now - 1_000 * (count - at)),
          kind: 'tool.call',
          transport: true,
          session_id: session,
          project: 'atlas',
          payload: JSON.stringify({ tool: `tool_${at}`, duration_ms: 1, result: '{}' }),
        })),
      )
      .execute()
  }

  test('begins empty, with one line that says since when it listens', async () => {
    await agent.call('notes_create', { title: 'Before', body: 'x', project: 'atlas' })
    const { text } = await owner.get(FEED)
    expect(shown(text)).toEqual([])
    expect(text).toMatch(/Listening since <b>\d\d:\d\d:\d\d<\/b>/)
    expect(text).toMatch(/<section id="volume"[^>]* hidden>/)
    expect((await owner.json(FEED)).body).toEqual({ rows: [] })
    expect(text).toMatch(/href="\/console\/interactions" data-go="f" aria-current="page"/)
  })

  test('without scripts shows a window by its link, with its volume, and older pages by theirs', async () => {
    await many(260)
    const { text: empty } = await owner.get(FEED)
    const links = [...empty.matchAll(/href="(\/console\/interactions\?history=\d+)"/g)]
    expect(new Set(links.map(([, href]) => href!.split('=')[1]))).toEqual(
      new Set(['60', '300', '900', '3600', '14400', '86400']),
    )
    const { text } = await owner.get(`${FEED}?history=3600`)
    expect(shown(text)).toHaveLength(200)
    expect(text).toMatch(/<b>260<\/b> events/)
    expect(text.match(/<rect class="hit"/g)).toHaveLength(40)
    const [, older] = /id="feed-older"><a href="([^"]*)"/.exec(text)!
    const second = (await owner.get(older!.replaceAll('&amp;', '&'))).text
    expect(shown(second)).toHaveLength(60)
    expect(second).toMatch(/id="feed-older" hidden/)
    expect(second).toContain('Nothing new comes here')
    const all = [...`${text}${second}`.matchAll(/data-open dir="auto">tool_(\d+)</g)]
    expect(all.map(([, n]) => Number(n))).toEqual(Array.from({ length: 260 }, (_, at) => 259 - at))
  })

  test('leads from each bar of the volume to its stretch of the log', async () => {
    await many(120)
    const { text } = await owner.get(`${FEED}?history=3600`)
    const bars = [
      ...text.matchAll(/<tr><td><a href="([^"]*)">[^<]*<\/a><\/td><td class="end">(\d+)</g),
    ]
    expect(bars.length).toBeGreaterThan(0)
    for (const [, href, n] of bars) {
      const page = (await owner.get(href!.replaceAll('&amp;', '&'))).text
      expect(shown(page)).toHaveLength(Number(n))
    }
  })

  test('gives each colour of the volume one place in its legend, with all that it stands for', async () => {
    await agent.call('session_start', { name: 'harbor', project: 'atlas' })
    await agent.call('recall', { query: 'where the wreck is buoyed' })
    const { text } = await owner.get(`${FEED}?history=3600`)
    const [, legend] = /class="volume-totals">([^]*?)<\/span><span>/.exec(text)!
    const colours = [...legend!.matchAll(/swatch--(\w+)/g)].map(([, colour]) => colour)
    expect(colours).toEqual([...new Set(colours)])
    expect(legend).toMatch(/swatch--other"><\/span>prompts and misses \d+, sessions \d+$/)
  })

  test('says the day at both ends of a volume that crosses midnight, and only there', async () => {
    await many(10)
    const ends = async (query: string): Promise<string[]> => {
      const { text } = await owner.get(`${FEED}${query}`)
      const [, axis] = /class="volume-axis">([^]*?)<\/p>/.exec(text)!
      return [/^<span>([^<]*)/.exec(axis!)![1]!, /<span>([^<]*)<\/span>$/.exec(axis!)![1]!]
    }
    const DAY = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/
    expect(await ends('?history=86400')).toEqual([
      expect.stringMatching(DAY),
      expect.stringMatching(DAY),
    ])
    const noon = new Date()
    noon.setHours(12, 0, 0, 0)
    const within = new URLSearchParams({
      afterTs: noon.toISOString(),
      beforeTs: new Date(noon.getTime() + 60_000).toISOString(),
      before: '0'.repeat(26),
    })
    expect(await ends(`?${within.toString()}`)).toEqual(['12:00:00', '12:01:00'])
  })

  test('drops and leaves uncounted the same events', async () => {
    for (const source of [...IN_ITS_CALL, 'briefing', '']) {
      const { rows } = await sql<{ beside: boolean }>`
        select in_its_call('retrieval.injected', ${JSON.stringify({ source })}::jsonb) as beside`.execute(
        house.app.database.db,
      )
      expect(rows, source).toEqual([{ beside: IN_ITS_CALL.has(source) }])
    }
  })

  test('drops what a recall recorded beside its call, and keeps the twins of sessions', async () => {
    await agent.call('session_start', { name: 'harbor', project: 'atlas' })
    await agent.call('memory_write', {
      ...{ name: 'use-utc', kind: 'constraint', description: 'Tide tables', body: 'UTC' },
    })
    await agent.call('recall', { query: 'tide tables' })
    await agent.call('recall', { query: 'zeppelin maintenance' })
    await agent.call('session_end', { findings: 'Done' })
    await house.app.kernel.telemetry.flush()
    expect(await house.events('retrieval.injected')).not.toEqual([])

    const kinds = (await rows('?history=60')).map(({ kind, label }) => `${kind} ${label}`)
    expect(kinds.toSorted()).toEqual(
      [
        ...['tool.call session_start', 'session.started session', 'tool.call memory_write'],
        ...['tool.call recall', 'tool.call recall', 'recall.miss recall.miss'],
        ...['tool.call session_end', 'session.ended session'],
      ].toSorted(),
    )
    const text = shown((await owner.get(`${FEED}?history=60`)).text)
    expect(text).toContainEqual(
      expect.stringMatching(/harbor.* context shown recall “tide tables” 1 hit atlas TOOK 1$/),
    )
    expect(text).toContainEqual(
      expect.stringMatching(/written memory_write constraint use-utc atlas TOOK$/),
    )
    expect(text).toHaveLength(kinds.length)
  })

  test('names an item once, however the call named it', async () => {
    await agent.call('session_start', { name: 'harbor', project: 'atlas' })
    const { id, slug } = await agent.call('notes_create', { title: 'Tide Tables', body: 'High.' })
    await agent.call('notes_read', { slug })
    await agent.call('notes_read', { id })
    await house.app.kernel.telemetry.flush()
    const text = shown((await owner.get(`${FEED}?history=60`)).text)
    expect(text.filter((row) => row.includes('notes_read'))).toEqual([
      expect.stringMatching(/ notes_read Tide Tables atlas TOOK$/),
      expect.stringMatching(/ notes_read Tide Tables atlas TOOK$/),
    ])
    expect(text).toContainEqual(expect.stringMatching(/ notes_create Tide Tables atlas TOOK$/))
  })

  test('has prompts, briefings and what failed, each under its class', async () => {
    await callHook(house, 'session-start', fixture('claude-code/session-start', REPO))
    await callHook(house, 'user-prompt-submit', {
      ...fixture('claude-code/user-prompt-submit', REPO),
      prompt: 'Count the herons',
    })
    await expect(agent.call('memory_read', { name: 'nope' })).rejects.toThrow()
    const found = await rows('?history=60')
    expect(found.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['hook.prompt', 'session.started', 'tool.call']),
    )
    expect(found).toContainEqual(
      expect.objectContaining({ label: 'memory_read', isError: true, tone: 'danger' }),
    )
    const { text } = await owner.get(`${FEED}?history=60`)
    expect(text).toMatch(/data-category="tool" data-severity="danger" data-failed/)
    expect(text).toMatch(/data-category="prompt" data-severity="system"/)
    expect(text).toMatch(/data-category="session"/)
  })

  test('groups rows by minute and session, and names the session once', async () => {
    const [one, two] = [await house.session('atlas'), await house.session('ledger')]
    const minute = new Date(Math.floor(Date.now() / 60_000) * 60_000)
    const call = (second: number, session: string) => ({
      id: `01K9ZC4T7Q8V2M5N6P3R${String(second + 500).padStart(6, '0')}`,
      ts: new Date(minute.getTime() + 1_000 * second),
      ...{ kind: 'tool.call', transport: true, session_id: session, project: 'atlas' },
      payload: JSON.stringify({ tool: `at_${second}`, duration_ms: 1, result: '{}' }),
    })
    await house.app.database.db
      .insertInto('events')
      .values([call(-62, one), call(-5, one), call(-4, two), call(-3, one), call(-61, two)])
      .execute()
    const { text } = await owner.get(`${FEED}?history=600`)
    const groups = [...text.matchAll(/<tbody data-group="([^"]*)">([^]*?)<\/tbody>/g)].map(
      ([, key, body]) => [
        key!.split('~')[1],
        ...[...body!.matchAll(/<tr class="row( again)?"[^]*?>at_(-\d+)</g)].map(
          ([, again = '', at]) => at + again,
        ),
      ],
    )
    expect(groups).toEqual([
      [one, '-3', '-5 again'],
      [two, '-4'],
      [two, '-61'],
      [one, '-62'],
    ])
  })

  test('answers JSON: a window, what is older, what is newer, and how much there was', async () => {
    await many(260)
    const { body: newest } = await owner.json(`${FEED}?history=3600`)
    expect(newest.rows).toHaveLength(200)
    expect(newest).toMatchObject({
      afterTs: expect.stringMatching(/Z$/),
      nextTs: newest.rows.at(-1).ts,
      nextId: newest.rows.at(-1).id,
    })
    const older = new URLSearchParams({
      ...{ afterTs: newest.afterTs, before: newest.nextId, beforeTs: newest.nextTs },
    })
    const { body: oldest } = await owner.json(`${FEED}?${older}`)
    expect(oldest.rows).toHaveLength(60)
    expect(oldest).not.toHaveProperty('nextId')
    expect(oldest.afterTs).toBe(newest.afterTs)

    const { id, ts } = newest.rows[3]
    const newer = await rows(`?since=${id}&sinceTs=${ts}`)
    expect(newer.map((row) => row['id'])).toEqual(
      newest.rows.slice(0, 3).map((row: { id: string }) => row.id),
    )
    expect(await rows(`?since=&sinceTs=${ts}`)).toHaveLength(4)

    for (const seconds of [3_600, 0]) {
      const { body } = await owner.json(`${FEED}?volume=${seconds}`)
      expect(body).toMatchObject({ window: seconds, rows: [] })
      expect(body.volume).toHaveLength(40)
      const total = (name: string) =>
        body.volume.reduce(
          (sum: number, each: Record<string, number>) => sum + (each[name] ?? 0),
          0,
        )
      expect([total('n'), total('tool')]).toEqual([260, 260])
      expect(body.volume.findLast(({ n }: { n: number }) => n > 0)).toMatchObject({
        t: expect.stringMatching(/Z$/),
        latestId: newest.rows[0].id,
      })
    }
  })

  test('goes on by what was looked at, though a page may hold nothing but twins', async () => {
    const now = Date.now()
    await house.app.database.db
      .insertInto('events')
      .values(
        Array.from({ length: 210 }, (_, at) => ({
          id: `01K9ZC4T7Q8V2M5N6P3R${String(at).padStart(6, '0')}`,
          ts: new Date(now - 1_000 * (210 - at)),
          kind: at < 5 ? 'tool.call' : 'retrieval.injected',
          transport: at < 5,
          project: 'atlas',
          payload: JSON.stringify(at < 5 ? { tool: 'old' } : { source: 'recall', item_ids: [] }),
        })),
      )
      .execute()
    const { body } = await owner.json(`${FEED}?history=3600`)
    expect(body.rows).toEqual([])
    const { afterTs, nextTs, nextId } = body
    const older = new URLSearchParams({ afterTs, before: nextId, beforeTs: nextTs })
    expect(await rows(`?${older}`)).toHaveLength(5)
    const { body: counted } = await owner.json(`${FEED}?volume=3600`)
    const n = counted.volume.reduce((sum: number, each: { n: number }) => sum + each.n, 0)
    expect(n).toBe(5)
  })

  test.each([
    ['?history=0', 'history'],
    ['?history=2592001', 'history'],
    ['?history=five', 'history'],
    ['?since=', 'sinceTs'],
    ['?sinceTs=2026-01-01T00:00:00Z', 'since'],
    ['?since=&sinceTs=yesterday', 'sinceTs'],
    ['?since=x&sinceTs=2026-01-01T00:00:00Z', 'since'],
    ['?since=&sinceTs=2026-01-01T00:00:00Z&history=60', 'history'],
    ['?before=01K9ZC4T7Q8V2M5N6P3R1S0WXY&beforeTs=2026-01-01T00:00:00Z', 'afterTs'],
    ['?afterTs=2026-01-01T00:00:00Z&before=01K9ZC4T7Q8V2M5N6P3R1S0WXY', 'beforeTs'],
    ['?history=60&afterTs=2026-01-01T00:00:00Z', 'history'],
    ['?volume=-1', 'volume'],
    ['?history=60&history=300', 'history'],
  ])('refuses %s and names %s', async (query, name) => {
    const { status, body } = await owner.json(`${FEED}${query}`)
    expect({ status, error: body.error }).toEqual({
      status: 400,
      error: expect.stringContaining(name),
    })
    expect((await owner.get(`${FEED}${query}`)).status).toBe(400)
  })

  test('takes the oldest and the strangest times', async () => {
    const place = 'before=7ZZZZZZZZZZZZZZZZZZZZZZZZZ&beforeTs='
    for (const ts of [
      '0000-01-01T00:00:00Z',
      '9999-12-31T23:59:59Z',
      '2026-01-01 00:00:00-08:00',
    ]) {
      const { status } = await owner.get(
        `${FEED}?afterTs=0000-01-01T00:00:00Z&${place}${encodeURIComponent(ts)}`,
      )
      expect(status).toBe(200)
    }
  })

  test('asks for its parts alone, and reads nothing of the log while nothing is asked', async () => {
    await many(10)
    const { text } = await owner.get(`${FEED}?history=60&parts=rows`, PARTS)
    expect(shown(text)).toHaveLength(10)
    expect(text).not.toContain('<html')
    expect((await owner.get(`${FEED}?parts=volume`, PARTS)).text).toMatch(/<section id="volume"/)
    expect((await owner.get(`${FEED}?parts=nonsense`, PARTS)).status).toBe(400)
  })

  test('shows what agents wrote as text', async () => {
    const evil = '"><img src=x onerror=alert(1)><script>alert(1)</script>'
    await agent.call('session_start', { name: 'evil', project: 'atlas' })
    await agent.call('notes_create', { title: evil, body: 'x' })
    await agent.call('tasks_add', { title: `${evil}\u202e${'w'.repeat(90)}` })
    await agent.call('recall', { query: evil })
    const { text } = await owner.get(`${FEED}?history=60`)
    expect(shown(text).length).toBeGreaterThan(4)
    expect(text).not.toMatch(/<img|<script>alert/)
  })
})

describe('the page of an event', () => {
  let house: House
  let owner: Owner
  beforeEach(async () => {
    house = await openHouse()
    owner = ownerOf(house)
  })
  afterEach(() => house[Symbol.asyncDispose]())

  const way = (text: string, rel: 'prev' | 'next') =>
    new RegExp(`href="/console/events/(\\w+)" rel="${rel}"`).exec(text)?.[1]

  test('leads to the one before and the one after it in its session', async () => {
    const [alice, bob] = [await house.inside('atlas'), await house.inside('atlas')]
    await alice.call('notes_create', { title: 'One', body: 'x' })
    await bob.call('notes_create', { title: 'Not hers', body: 'x' })
    await alice.call('notes_create', { title: 'Two', body: 'x' })
    await house.app.kernel.telemetry.flush()
    const written = (await house.events('note.written'))[0]!
    const own = await house.app.database.db
      .selectFrom('events')
      .select('id')
      .where('session_id', '=', written.session_id)
      .orderBy('ts')
      .orderBy('id')
      .execute()
    const ids = own.map(({ id }) => id)
    expect(ids.length).toBeGreaterThan(3)
    for (const [at, id] of ids.entries()) {
      const { text } = await owner.get(`/console/events/${id}`)
      expect([way(text, 'prev'), way(text, 'next')]).toEqual([ids[at - 1], ids[at + 1]])
    }
    const { body } = await owner.json(`/console/events/${ids[1]}`)
    expect(body).toMatchObject({ previous: { id: ids[0] }, next: { id: ids[2] } })
  })

  test('without a session leads through the whole log', async () => {
    const agent = await house.connect()
    await agent.call('notes_create', { title: 'One', body: 'x', project: 'atlas' })
    await agent.call('notes_create', { title: 'Two', body: 'x', project: 'ledger' })
    await house.app.kernel.telemetry.flush()
    const log = await house.app.database.db
      .selectFrom('events')
      .select(['id', 'session_id'])
      .orderBy('ts')
      .orderBy('id')
      .execute()
    const ids = log.map(({ id }) => id)
    const at = log.findIndex(({ session_id }, at) => at > 0 && session_id === null)
    const { text } = await owner.get(`/console/events/${ids[at]}`)
    expect([way(text, 'prev'), way(text, 'next')]).toEqual([ids[at - 1], ids[at + 1]])
  })

  test('makes every name a link: project, session, item, and ids among its fields', async () => {
    const alice = await house.inside('atlas')
    const fact = { kind: 'gotcha', description: 'd', body: 'b' }
    const { id: old } = await alice.call('memory_write', { name: 'old-gas', ...fact })
    const { id: heir } = await alice.call('memory_write', {
      ...{ name: 'new-gas', supersedes: 'old-gas', ...fact },
    })
    const [event] = await house.events('memory.superseded')
    const { text } = await owner.get(`/console/events/${event!.id}`)
    expect(text).toContain(`<a href="/console/memories/${old}">old-gas</a>`)
    expect(text).toContain(`<a href="/console/memories/${heir}">new-gas</a>`)
    expect(text).toContain('href="/console/projects/atlas"')
    expect(text).toMatch(/<a class="session" href="\/console\/sessions\/\w{26}">/)
    expect(text).toContain('back to <a href="/console/">Overview</a>')
    expect(text).toMatch(/data-go="f" aria-current="page"/)
    await house.app.kernel.telemetry.flush()
    const [call] = await house.events('tool.call')
    const { text: page } = await owner.get(`/console/events/${call!.id}`)
    expect(page).toContain('back to <a href="/console/interactions">Feed</a>')
  })
})
