import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { summaryOf } from '../../src/console/live/events.ts'
import { noteWritten } from '../../src/notes/events.ts'
import { NOBODY } from '../../src/kernel/kernel.ts'
import { record } from '../../src/kernel/events.ts'
import { newId } from '../../src/kernel/id.ts'
import { inTransaction } from '../../src/postgres/transaction.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { openStream, type Stream } from '../helpers/sse.ts'
import { cookieOf } from './owner.ts'

let house: House
let streams: Stream[]

beforeEach(async () => {
  house = await openHouse()
  streams = []
})
afterEach(async () => {
  for (const stream of streams) stream.cut()
  await house[Symbol.asyncDispose]()
})

/** A stream that has joined the tail. */
async function follow(options: { feed?: string; lastId?: string } = {}): Promise<Stream> {
  const stream = await openStream({ ...house, ...options })
  streams.push(stream)
  if (!options.lastId) await stream.until(() => stream.lastId !== '')
  return stream
}

/** Records so many events in one transaction and answers their ids. */
const write = (count = 1, text = 'x'): Promise<string[]> =>
  inTransaction(house.app.kernel, async (kernel) => {
    const ids: string[] = []
    for (let n = 0; n < count; n++) {
      const draft = { by: NOBODY, project: 'atlas', item: null, payload: { title: `${text} ${n}` } }
      ids.push(await record(kernel, noteWritten, draft))
    }
    return ids
  })

async function writeRaw(rows: { kind: string; payload?: object; session?: string }[]) {
  const ids: string[] = []
  for (const { kind, payload = {}, session = null } of rows) {
    const id = newId(new Date())
    ids.push(id)
    await sql`insert into events (id, ts, kind, transport, session_id, project, payload)
      values (${id}, loam_now(), ${kind}, ${kind === 'tool.call'}, ${session}, 'atlas',
        ${JSON.stringify(payload)})`.execute(house.app.kernel.db)
  }
  return ids
}

/** Many at once, without the cost of a reaction each. */
async function writeMany(count: number, bytes = 100): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId(new Date()))
  for (let from = 0; from < count; from += 500) {
    await sql`insert into events (id, ts, kind, transport, payload)
      select id, loam_now(), 'note.written', false, ${JSON.stringify({ title: 'x'.repeat(bytes) })}::jsonb
      from jsonb_array_elements_text(${JSON.stringify(ids.slice(from, from + 500))}::jsonb) as id`.execute(
      house.app.kernel.db,
    )
  }
  return ids
}

const resyncs = (stream: Stream): number =>
  stream.frames.filter(({ event }) => event === 'resync').length

describe('the stream', () => {
  test('begins with a comment, the time to come back after, and its place', async () => {
    const stream = await follow()
    expect(stream.status).toBe(200)
    expect(stream.headers['content-type']).toBe('text/event-stream; charset=utf-8')
    expect(stream.headers['cache-control']).toContain('no-cache')
    expect(stream.headers['x-accel-buffering']).toBe('no')
    expect(stream.headers['access-control-allow-origin']).toBeUndefined()
    expect(stream.comments[0]).toBe('connected')
    expect(stream.retry).toBe(3_000)
    expect(stream.frames).toEqual([])
  })

  test('has one frame for each recorded event, in one line', async () => {
    const stream = await follow()
    const agent = await house.connect()
    const note = await agent.call('notes_create', {
      title: 'A title \u2028 and more',
      body: 'data: x\n\nevent: resync\n\n',
      project: 'atlas',
    })
    await house.app.kernel.telemetry.flush()
    await stream.until(() => stream.frames.length >= 2)

    const { rows } = await sql<{ id: string; kind: string }>`
      select id, kind from events order by tx, id`.execute(house.app.kernel.db)
    expect(stream.ids()).toEqual(rows.map(({ id }) => id))
    const written = stream.frames.find(({ data }) => data.kind === 'note.written')!
    expect(written.event).toBe('message')
    expect(written.data).toEqual({
      id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      kind: 'note.written',
      project: 'atlas',
      itemId: note['id'],
      summary: expect.stringContaining('A title'),
    })
    const called = stream.frames.find(({ data }) => data.kind === 'tool.call')!
    expect(called.data.summary).toBe('notes_create was called')
    expect(resyncs(stream)).toBe(0)
  })

  test('keeps a payload with line breaks in one line of data', async () => {
    const stream = await follow()
    const [id] = await writeRaw([
      { kind: 'note.written', payload: { title: 'a\r\n\r\nevent: resync\rdata: x\n\n\u2029' } },
    ])
    await stream.until(() => stream.frames.length === 1)
    await write()
    await stream.until(() => stream.frames.length === 2)
    expect(stream.frames[0]!.data.id).toBe(id)
    expect(resyncs(stream)).toBe(0)
  })

  test('names the session of an event, and no project when it is global', async () => {
    const stream = await follow()
    await inTransaction(house.app.kernel, (kernel) =>
      record(kernel, noteWritten, {
        by: { session: 's1', model: '' },
        project: '',
        item: null,
        payload: { title: 'A' },
      }),
    )
    await stream.until(() => stream.frames.length === 1)
    expect(stream.frames[0]!.data).not.toHaveProperty('project')
    expect(stream.frames[0]!.data).not.toHaveProperty('itemId')
    expect(stream.frames[0]!.data.sessionId).toBe('s1')
  })

  test('tells a kind that this version does not know, in a summary of its name', async () => {
    const stream = await follow()
    await writeRaw([{ kind: 'future.kind', payload: { x: 1 } }])
    await stream.until(() => stream.frames.length === 1)
    expect(stream.frames[0]!.data.summary).toBe('future.kind')
    expect(summaryOf({ kind: 'note.written', payload: {} }).length).toBeLessThan(100)
  })

  test('keeps a summary below 2 kB, whatever a title holds', async () => {
    const stream = await follow()
    await writeRaw([{ kind: 'note.written', payload: { title: '🦊'.repeat(5_000) } }])
    await stream.until(() => stream.frames.length === 1)
    const { summary } = stream.frames[0]!.data
    expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(2_048)
    expect(summary.isWellFormed()).toBe(true)
  })

  test('never shows what was rolled back', async () => {
    const stream = await follow()
    const refused = inTransaction(house.app.kernel, async (kernel) => {
      const draft = { by: NOBODY, project: '', item: null, payload: { title: 'no' } }
      await record(kernel, noteWritten, draft)
      throw new Error('rolled back')
    })
    await expect(refused).rejects.toThrow('rolled back')
    const ids = await write()
    await stream.until(() => stream.frames.length > 0)
    expect(stream.ids()).toEqual(ids)
  })

  test('is pinged every 25 seconds, with the place it has come to', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const stream = await follow()
      await write()
      await stream.until(() => stream.frames.length === 1)
      const place = stream.lastId
      vi.advanceTimersByTime(24_900)
      await new Promise((resolve) => setTimeout(resolve, 50))
      expect(stream.comments).toEqual(['connected'])
      vi.advanceTimersByTime(200)
      await stream.until(() => stream.comments.length === 2)
      expect(stream.comments[1]).toBe('ping')
      expect(stream.lastId).toBe(place)
      expect(stream.frames).toHaveLength(1)
    } finally {
      vi.useRealTimers()
    }
  })

  test('ends with a time to come back after when the service stops', async () => {
    await using own = await openHouse({ env: {} })
    const stream = await openStream(own)
    await stream.until(() => stream.lastId !== '')
    stream.retry = 0
    await own.app.close()
    await stream.ended
    expect(stream.retry).toBe(3_000)
  })
})

describe('who may follow', () => {
  test('the key as bearer, or the cookie of the owner', async () => {
    const { url } = house
    const cookie = cookieOf(house)
    await using stream = await openStream({ url, headers: { cookie } })
    expect(stream.status).toBe(200)
  })

  test.each([
    ['nothing', {}],
    ['another key', { authorization: 'Bearer another-key-of-some-length' }],
    ['another cookie', { cookie: `loam_console_01ARZ3NDEKTSV4RRFFQ69G5FAV=${'0'.repeat(64)}` }],
    ['the cookie as bearer', { authorization: `Bearer ${'0'.repeat(64)}` }],
  ])('not with %s, which is 401 and no page to sign in', async (_what, headers) => {
    const stream = await openStream({ url: house.url, headers })
    await stream.ended
    expect(stream.status).toBe(401)
    expect(stream.headers.location).toBeUndefined()
    expect(house.app.kernel.feed.subscribers).toBe(0)
  })

  test('a feed that there is not is refused by name', async () => {
    for (const feed of ['interaction', 'INTERACTIONS', 'all']) {
      const answer = await fetch(`${house.url}/console/events?feed=${feed}`, {
        headers: { authorization: `Bearer ${house.key}`, accept: 'text/event-stream' },
      })
      expect(answer.status).toBe(400)
      const { error } = (await answer.json()) as { error: string }
      expect(error).toContain('feed')
      expect(error).toContain('interactions')
    }
  })

  test('HEAD opens no stream', async () => {
    const answer = await fetch(`${house.url}/console/events`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${house.key}` },
    })
    expect(answer.status).toBeGreaterThanOrEqual(400)
  })
})

describe('the interactions', () => {
  test('are agents at work, with what was asked and answered', async () => {
    const stream = await follow({ feed: 'interactions' })
    const session = await house.session('atlas', { model: 'm1', name: 'oak' })
    await writeRaw([
      { kind: 'note.written', payload: { title: 'not shown' } },
      {
        kind: 'tool.call',
        session,
        payload: { tool: 'recall', duration_ms: 12, args: { q: 'a\nb' }, result: 'r\n\nr' },
      },
      { kind: 'tool.call', payload: { tool: 'notes_edit', is_error: true, duration_ms: 1 } },
    ])
    await stream.until(() => stream.frames.length === 2)
    expect(stream.frames.map(({ data }) => data)).toEqual([
      {
        id: expect.any(String),
        ts: expect.any(String),
        kind: 'tool.call',
        project: 'atlas',
        summary: 'recall was called',
        tone: 'system',
        label: 'recall',
        sessionId: session,
        sessionName: 'oak',
        sessionCalled: 'oak',
        model: 'm1',
        durationMs: 12,
        request: '{\n  "q": "a\\nb"\n}',
        response: 'r\n\nr',
      },
      {
        id: expect.any(String),
        ts: expect.any(String),
        kind: 'tool.call',
        project: 'atlas',
        summary: expect.stringContaining('failed'),
        tone: 'danger',
        label: 'notes_edit',
        isError: true,
        durationMs: 1,
      },
    ])
  })

  test('leave out the twin of a recall, and keep the injections of hooks', async () => {
    const stream = await follow({ feed: 'interactions' })
    const twins = ['recall', 'recall-browse', 'recall-explain']
    const ids = await writeRaw([
      ...twins.map((source) => ({ kind: 'retrieval.injected', payload: { source } })),
      { kind: 'retrieval.injected', payload: { hook: 'session-start', item_ids: ['a', 'b'] } },
      { kind: 'recall.miss', payload: { query: 'q' } },
    ])
    await stream.until(() => stream.frames.length === 2)
    expect(stream.ids()).toEqual(ids.slice(3))
    expect(stream.frames[0]!.data).toMatchObject({
      label: 'session-start',
      items: 2,
      tone: 'inject',
    })
  })

  test('of a real recall are its call and no more; the full feed has both', async () => {
    const [short, full] = [await follow({ feed: 'interactions' }), await follow()]
    const agent = await house.connect()
    await agent.call('notes_create', { title: 'Foxes', body: 'red foxes', project: 'atlas' })
    await agent.call('recall', { query: 'foxes', project: 'atlas' })
    await house.app.kernel.telemetry.flush()
    await full.until(() => full.frames.some(({ data }) => data.kind === 'retrieval.injected'))
    await short.until(() => short.frames.length === 2)
    expect(short.frames.map(({ data }) => data.label)).toEqual(['notes_create', 'recall'])
    // Kept for ever, though the writer of transport events wrote it.
    const { rows } = await sql<{ place: string }>`
      select tableoid::regclass::text as place from events where kind = 'retrieval.injected'`.execute(
      house.app.kernel.db,
    )
    expect(rows).toEqual([{ place: 'events_acts' }])
  })

  test('resume behind what they did not show', async () => {
    const stream = await follow({ feed: 'interactions' })
    const begun = stream.lastId
    await write(3)
    const [shown] = await writeRaw([{ kind: 'tool.call', payload: { tool: 'a' } }])
    await stream.until(() => stream.frames.length === 1)
    const again = await follow({ feed: 'interactions', lastId: begun })
    await again.until(() => again.frames.length === 1)
    expect(again.ids()).toEqual([shown])
  })
})

describe('a reader that comes back', () => {
  test('in the middle of a batch gets the rest of it', async () => {
    const stream = await follow()
    const ids = await write(10)
    await stream.until(() => stream.frames.length === 10)
    for (const [index, { id: lastId }] of stream.frames.entries()) {
      const again = await follow({ lastId })
      const later = ids.slice(index + 1)
      await again.until(() => again.frames.length >= later.length)
      expect(again.ids()).toEqual(later)
      again.cut()
    }
  })

  test('gets the batches that it missed, and then what comes', async () => {
    const stream = await follow()
    const first = await write(2)
    await stream.until(() => stream.frames.length === 2)
    stream.cut()
    const missed = [...(await write(3)), ...(await write(2)), ...(await write(1))]
    const again = await follow({ lastId: stream.frames[0]!.id })
    await again.until(() => again.frames.length >= 7)
    const live = await write(2)
    await again.until(() => again.frames.length >= 9)
    expect(again.ids()).toEqual([first[1], ...missed, ...live])
    expect(resyncs(again)).toBe(0)
  })

  test('before it saw any event has its place from the beginning of the stream', async () => {
    const stream = await follow()
    const { lastId } = stream
    stream.cut()
    await stream.ended
    const ids = await write(2)
    const again = await follow({ lastId })
    await again.until(() => again.frames.length === 2)
    expect(again.ids()).toEqual(ids)
  })

  test('after ten thousand events gets them all, in order, by pages', async () => {
    const stream = await follow()
    const { lastId } = stream
    stream.cut()
    const ids = await writeMany(10_000)
    const again = await follow({ lastId })
    await again.until(() => again.frames.length >= 10_000, 60_000)
    expect(again.ids()).toEqual(ids)
    expect(resyncs(again)).toBe(0)
  })

  test('gets eighty long calls that it missed, which are more than it may be behind', async () => {
    const stream = await follow({ feed: 'interactions' })
    const { lastId } = stream
    stream.cut()
    const payload = { tool: 'a', args: { body: '東'.repeat(5_000) }, result: '京'.repeat(5_000) }
    const ids = await writeRaw(Array.from({ length: 80 }, () => ({ kind: 'tool.call', payload })))
    const again = await follow({ feed: 'interactions', lastId })
    await again.until(() => again.frames.length === 80)
    expect(again.ids()).toEqual(ids)
  })

  test('to another start of the service goes on where it was', async () => {
    await using kept = await keepHouse()
    const stream = await openStream(kept.house)
    await stream.until(() => stream.lastId !== '')
    const { lastId } = stream
    const before = await kept.write()
    await kept.restart()
    const after = await kept.write()
    const again = await openStream({ ...kept.house, lastId })
    await again.until(() => again.frames.length === 2)
    expect(again.ids()).toEqual([before, after])
    again.cut()
  })

  test('to a log that was restored from another cluster sees what is new in it', async () => {
    await using kept = await keepHouse()
    await kept.write()
    await sql`update events set tx = '99999999999'`.execute(kept.house.app.kernel.db)
    await kept.restart()
    const stream = await openStream(kept.house)
    await stream.until(() => stream.lastId !== '')
    const id = await kept.write()
    await stream.until(() => stream.frames.length === 1)
    expect(stream.ids()).toEqual([id])
    stream.cut()
  })

  const PLACE = '~5:9:5,7~9:9:~7.01K9ZC4T7Q8V2M5N6P3R1S0WXY'
  test.each([
    ['one of another epoch', `0123456789ab${PLACE}`],
    ['an event of its own making', '01K9ZC4T7Q8V2M5N6P3R1S0WXY'],
    ['nonsense', 'nonsense'],
    ['too many parts', `OWN${PLACE}~x`],
    ['a snapshot that is none', 'OWN~9:5:~9:9:~7.01K9ZC4T7Q8V2M5N6P3R1S0WXY'],
    ['a snapshot out of order', 'OWN~5:9:7,5~9:9:~7.01K9ZC4T7Q8V2M5N6P3R1S0WXY'],
    ['one beyond any number', `OWN~5:${'9'.repeat(20)}:~9:9:~7.01K9ZC4T7Q8V2M5N6P3R1S0WXY`],
    ['one of the future', `OWN~5:9:~5:${'9'.repeat(18)}:~7.01K9ZC4T7Q8V2M5N6P3R1S0WXY`],
    ['no row', 'OWN~5:9:~9:9:~'],
    ['SQL', "OWN~5:9:~9:9:~7.01K9ZC4T7Q8V2M5N6P3R1S0WX'"],
    ['one that is very long', `OWN~${'9'.repeat(40_000)}`],
  ])('with %s is told once that it lost its place, and follows from now on', async (_w, text) => {
    const first = await follow()
    const [own = ''] = first.lastId.split('~')
    await write(3)
    const stream = await follow({ lastId: text.replace('OWN', own) })
    await stream.until(() => resyncs(stream) === 1)
    const ids = await write(2)
    await stream.until(() => stream.frames.length === 3)
    expect(stream.frames[0]!.event).toBe('resync')
    expect(stream.ids()).toEqual(ids)
    // It has a place now, and coming back with it is no second loss.
    const again = await follow({ lastId: stream.frames[0]!.id })
    await again.until(() => again.frames.length === 2)
    expect(again.ids()).toEqual(ids)
    expect(resyncs(again)).toBe(0)
  })

  test('with a place too old is told once, and gets nothing of the past', async () => {
    const stream = await follow()
    const { lastId } = stream
    await writeMany(20_100, 1)
    const again = await follow({ lastId })
    await again.until(() => resyncs(again) === 1, 30_000)
    const ids = await write(1)
    await again.until(() => again.ids().length === 1)
    expect(again.frames.map(({ event }) => event)).toEqual(['resync', 'message'])
    expect(again.ids()).toEqual(ids)
  })
})

describe('a reader that does not read', () => {
  test('is dropped at 1 MiB, and the others go on', async () => {
    const [stuck, fine] = [await follow(), await follow()]
    stuck.pause()
    let written = 0
    await expect
      .poll(
        async () => {
          // At a pace that whoever reads can keep.
          written += (await writeMany(200, 1_900)).length
          await fine.until(() => fine.frames.length === written)
          return house.app.kernel.feed.subscribers
        },
        { timeout: 90_000, interval: 1 },
      )
      .toBe(1)
    expect(written * 2_000).toBeGreaterThan(1024 * 1024)
  })

  test('does not hold up the end of the service', async () => {
    await using own = await openHouse({ env: {} })
    const stream = await openStream(own)
    stream.pause()
    const began = performance.now()
    await own.app.close()
    expect(performance.now() - began).toBeLessThan(8_000)
    stream.cut()
  })

  test('and leaves before it has joined is forgotten', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => openStream(house)))
    for (const stream of all) stream.cut()
    await Promise.all(all.map(({ ended }) => ended))
    await write()
    await expect.poll(() => house.app.kernel.feed.subscribers).toBe(0)
  })
})

/** A house whose directory and database outlive it. */
async function keepHouse() {
  const dir = await mkdtemp(join(tmpdir(), 'loam-kept-'))
  const open = (): Promise<House> => openHouse({ dir, onDisk: true })
  const draft = { by: NOBODY, project: '', item: null, payload: { title: 'A' } }
  const kept = {
    house: await open(),
    write: () => inTransaction(kept.house.app.kernel, (k) => record(k, noteWritten, draft)),
    async restart() {
      await kept.house.close()
      kept.house = await open()
    },
    async [Symbol.asyncDispose]() {
      await kept.house.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
  return kept
}
