import { globSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { defineScreen } from '../../src/console/screen.ts'
import { switchFeatures } from '../../src/features/features.ts'
import { record } from '../../src/kernel/events.ts'
import { NOBODY } from '../../src/kernel/actor.ts'
import { taskTransition } from '../../src/tasks/tasks.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { ownerOf, type Owner } from './owner.ts'
import { parcels } from './parcels/parcels.ts'

const PARCEL = '01K9ZC4T7Q8V2M5N6P3R1S0WXY'
const UNKNOWN = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

/** Pages that say nothing, behind a feature. */
const secrets = defineScreen({
  section: 'secrets',
  feature: 'momentum',
  nav: { group: 'Tend', label: 'Secrets', key: 'k' },
  item: { kind: 'secret', fragments: ['peek'] },
  search: { scope: 'secrets', label: 'Secrets', find: async () => [] },
  async routes(app) {
    app.get('', (_request, reply) => reply.code(204).send())
    app.get('/:id', (_request, reply) => reply.code(204).send())
    app.post('/:id/tell', (_request, reply) => reply.code(204).send())
  },
})

describe('a screen of a made-up noun', () => {
  let house: House
  let owner: Owner
  beforeAll(async () => {
    house = await openHouse({ screens: [parcels, secrets] })
    owner = ownerOf(house)
  })
  afterAll(() => house.close())

  test('is declared in at most sixty lines, templates included', () => {
    const files = globSync('test/console/parcels/**/*.*')
    const lines = files.flatMap((path) => readFileSync(path, 'utf8').trimEnd().split('\n'))
    expect(files).toHaveLength(4)
    expect(lines.length).toBeLessThanOrEqual(60)
  })

  test('stands in the navigation of every page, with its key and what it asks for', async () => {
    for (const path of ['notes', 'parcels', `parcels/${PARCEL}`, 'parcels/nonsense']) {
      const { text } = await owner.get(`/console/${path}`)
      const entry = /<a class="nav-entry" href="\/console\/parcels" data-go="z"( aria-current)?/
      expect({ path, current: entry.exec(text)?.[1] !== undefined }).toEqual({
        path,
        current: path.startsWith('parcels'),
      })
      expect(text).toMatch(/id="badge-parcels">.*<\/svg>42<span class="aloud"> to send</)
    }
  })

  test('answers as page, fragment and JSON', async () => {
    const page = await owner.get(`/console/parcels/${PARCEL.toLowerCase()}`)
    expect(page.text).toContain('<title>Blue parcel · Loam</title>')
    expect(page.text).toContain(`<a class="rail-item" href="/console/parcels/${PARCEL}">`)
    const peek = await owner.get(`/console/parcels/${PARCEL}?peek=1`)
    expect(peek.text).toBe('<h2>Blue parcel</h2>\n')
    const reader = await owner.get(`/console/parcels/${PARCEL}?reader=1`)
    expect(reader.text).toContain('<p>Fragile</p>')
    const { body } = await owner.json(`/console/parcels/${PARCEL}`)
    expect(body).toMatchObject({ id: PARCEL, name: 'Blue parcel', project: 'atlas' })
  })

  test('refuses in the words of every screen', async () => {
    const refusal = async (path: string) => {
      const { status, body } = await owner.json(`/console/parcels${path}`)
      return [status, body.error]
    }
    expect(await refusal(`/${UNKNOWN}`)).toEqual([404, `no parcel ${UNKNOWN}`])
    expect(await refusal('/nonsense')).toEqual([404, 'no parcel nonsense'])
    expect(await refusal('?sort=size')).toEqual([
      400,
      'invalid sort "size": valid values are recent, weight',
    ])
    expect(await refusal('?format=xml')).toEqual([
      400,
      'invalid format "xml": valid values are json',
    ])
    const { status, text } = await owner.get('/console/parcels/nonsense')
    expect(status).toBe(404)
    expect(text).toContain('<a class="button" href="/console/parcels">Parcels</a>')
  })

  test('is found by the search, in a group of its own', async () => {
    const { body } = await owner.json('/console/search?q=parcel&scope=parcels')
    expect(body.groups).toEqual([
      {
        kind: 'parcel',
        label: 'Parcels',
        count: 1,
        rows: [
          expect.objectContaining({
            title: 'Blue parcel',
            href: `/console/parcels/${PARCEL}`,
            peek: `/console/parcels/${PARCEL}?peek=1`,
          }),
        ],
      },
    ])
  })

  test('is linked to by the event that is about one of its items', async () => {
    const { kernel } = house.app
    await record(kernel, taskTransition, {
      by: NOBODY,
      project: 'atlas',
      item: PARCEL,
      payload: { to: 'open' },
    })
    const [event] = await house.events('task.transition')
    const { text } = await owner.get(`/console/events/${event!.id}`)
    expect(text).toContain(`<a href="/console/parcels/${PARCEL}">Blue parcel</a>`)
  })

  describe('takes a write', () => {
    const sending = (carrier: string, headers = {}, more = {}) =>
      owner.post(`/console/parcels/${PARCEL}/send`, { carrier, ...more }, headers)
    const json = { accept: 'application/json' }

    test('and leads back with a flash, or to where its form wants', async () => {
      const { status, headers } = await sending('ship')
      expect([status, headers.location]).toEqual([
        303,
        `/console/parcels/${PARCEL}?notice=Sent+by+ship.`,
      ])
      const elsewhere = await sending('ship', {}, { next: '/console/notes?q=x#top' })
      expect(elsewhere.headers.location).toBe('/console/notes?q=x&notice=Sent+by+ship.#top')
      const foreign = await sending('ship', {}, { next: '//evil.example/' })
      expect(foreign.headers.location).toMatch(/^\/console\/parcels\//)
    })

    test('and says in a flash what conflicts, and on a page what is wrong with the form', async () => {
      const { headers } = await sending('pigeon')
      expect(headers.location).toBe(
        `/console/parcels/${PARCEL}?error=a+pigeon+carries+no+parcels&typed.carrier=pigeon`,
      )
      const { status, text } = await sending('')
      expect(status).toBe(400)
      expect(text).toContain('invalid carrier: must not be empty')
    })

    test('and answers programs in JSON', async () => {
      expect((await sending('ship', json)).body).toEqual({ ok: true, id: PARCEL, carrier: 'ship' })
      const { status, body } = await sending('pigeon', json)
      expect([status, body]).toEqual([409, { error: 'a pigeon carries no parcels' }])
    })
  })

  test('is hidden while its feature is off, and says so', async () => {
    const off = await owner.get('/console/secrets')
    expect(off.status).toBe(200)
    expect(off.text).toContain('<h1>Momentum is switched off</h1>')
    expect(off.text).not.toContain('href="/console/secrets"')
    const peek = await owner.get(`/console/secrets/${UNKNOWN}?peek=1`)
    expect(peek.text).toContain('<h2>Momentum is switched off</h2>')
    expect(peek.text).not.toContain('<nav')
    const refused = [403, { error: 'the "momentum" feature is disabled' }]
    const { status, body } = await owner.json('/console/secrets')
    expect([status, body]).toEqual(refused)
    const write = await owner.post(`/console/secrets/${UNKNOWN}/tell`)
    expect(write.status).toBe(403)
    expect((await owner.json('/console/search?q=xx&scope=secrets')).status).toBe(400)

    await switchFeatures(house.app.kernel, 'console', { momentum: true })
    expect((await owner.get('/console/secrets')).status).toBe(204)
    expect((await owner.get('/console/notes')).text).toContain('href="/console/secrets"')
    expect((await owner.json('/console/search?q=xx&scope=secrets')).status).toBe(200)
  })
})

/** The pages of a rail, and the counts of rails and of the navigation. */
const SURROUNDS = /\boffset\b|count\(\*\).* from "(?:notes|sessions)"/
const HISTORY = /"e"\."item_id" = /

describe('what surrounds an item', () => {
  test.each([
    // A page of the rail and its counts, and which page holds the open one.
    ['notes', 3],
    // The page of a session has no list beside it.
    ['sessions', 0],
  ])('of %s is asked for a whole page, and for nothing else', async (section, surrounds) => {
    await using house = await openHouse()
    const owner = ownerOf(house)
    const { note, session } = await furnish(house)
    const path = `/console/${section}/${section === 'notes' ? note : session}`
    const asked = await statementsOf(house, SURROUNDS, {
      page: () => owner.get(path),
      peek: () => owner.get(`${path}?peek=1`),
      reader: () => owner.get(`${path}?reader=1`),
      json: () => owner.json(path),
    })
    expect(asked).toEqual({ page: surrounds, peek: 0, reader: 0, json: 0 })
  })

  test('is not asked for a list in JSON, and neither is the note that its page opens', async () => {
    await using house = await openHouse()
    const owner = ownerOf(house)
    await furnish(house)
    const asks = {
      json: () => owner.json('/console/notes'),
      page: () => owner.get('/console/notes'),
    }
    expect(await statementsOf(house, SURROUNDS, asks)).toEqual({ json: 2, page: 2 })
    expect(await statementsOf(house, HISTORY, asks)).toEqual({ json: 0, page: 1 })
  })
})

async function furnish(house: House) {
  const alice = await house.connect()
  const { session_id: session } = await alice.call('session_start', { name: 'one', project: 'x' })
  const { id: note } = await alice.call('notes_create', { title: 'One', body: 'x' })
  await house.app.kernel.telemetry.flush()
  return { note, session }
}

/** How many statements of this form each request asked. */
async function statementsOf(
  { app }: House,
  form: RegExp,
  asks: Record<string, () => Promise<{ status: number }>>,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  const spy = vi.spyOn(app.kernel.db.getExecutor(), 'executeQuery')
  for (const [name, ask] of Object.entries(asks)) {
    spy.mockClear()
    expect((await ask()).status).toBe(200)
    counts[name] = spy.mock.calls.filter(([{ sql }]) => form.test(sql)).length
  }
  spy.mockRestore()
  return counts
}
