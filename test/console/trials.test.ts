import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openHouse, type House } from '../helpers/house.ts'
import { research, tried } from '../helpers/research.ts'
import { worker, UNKNOWN } from '../tasks/given.ts'
import { ownerOf, type Owner } from './owner.ts'

const TRIALS = '/console/trials'
const titles = (body: any): string[] =>
  body.groups.flatMap(({ trials }: any) => trials.map(({ title }: any) => title))

describe('the trials', () => {
  let house: House
  let owner: Owner
  beforeEach(async () => {
    house = await openHouse()
    await research(house)
    owner = ownerOf(house)
  })
  afterEach(() => house[Symbol.asyncDispose]())
  const list = async (query = ''): Promise<any> => (await owner.json(TRIALS + query)).body

  test('stand by their labs, the newest first, each with its outcome and its figures', async () => {
    const alice = await worker(house)
    await tried(alice, 'first', {
      outcome: 'fail',
      metrics: { p95_ms: 1840.5, host: 'a', on: true },
    })
    await tried(alice, 'other', { lab: 'reef', outcome: 'wild' })
    const { id } = await tried(alice, 'last', { project: 'global' })

    const { groups, count } = await list()
    expect(count).toBe(3)
    expect(groups.map(({ lab, count }: any) => [lab, count])).toEqual([
      ['tide-cache', 2],
      ['reef', 1],
    ])
    const [last, first] = groups[0].trials
    expect(last).toMatchObject({
      id,
      lab: 'tide-cache',
      title: 'last',
      project: '',
      favorite: false,
    })
    expect('outcome' in last || 'metrics' in last).toBe(false)
    expect(first).toMatchObject({
      ...{ title: 'first', outcome: 'fail', tally: 'fail', project: 'atlas' },
      metrics: expect.arrayContaining([
        { key: 'p95_ms', value: '1,840.5' },
        { key: 'host', value: 'a' },
        { key: 'on', value: 'true' },
      ]),
      session: { id: alice.session },
    })
    expect(groups[1].trials[0]).toMatchObject({ outcome: 'wild', tally: 'other' })
    const { text } = await owner.get(TRIALS)
    expect(text).toContain('<span class="faint">p95_ms</span> 1,840.5')
  })

  test('are filtered by the very lab and outcome that are named, whatever they are', async () => {
    const alice = await worker(house)
    await tried(alice, 'a', { outcome: 'pass' })
    await tried(alice, 'b', { outcome: 'Pass & more' })
    await tried(alice, 'c', { lab: 'a/b ü', outcome: 'pass' })
    await tried(alice, 'd')
    expect(await list('?outcome=pass')).toMatchObject({ count: 2, outcome: 'pass' })
    expect(titles(await list('?outcome=Pass+%26+more'))).toEqual(['b'])
    expect(titles(await list('?outcome=PASS'))).toEqual([])
    expect(await list('?lab=a%2Fb+%C3%BC')).toMatchObject({ count: 1, lab: 'a/b ü' })
    expect(await list('?lab=tide')).toMatchObject({ count: 0, groups: [] })
    expect(titles(await list('?outcome=no-such-outcome'))).toEqual([])
    expect(titles(await list('?tally=other'))).toEqual(['d', 'b'])
    expect((await owner.json(`${TRIALS}?tally=wild`)).status).toBe(400)
    const { text = '' } = await owner.get(`${TRIALS}?outcome=wild`)
    expect(text).toContain('Outcome: wild')
    for (const outcome of ['pass', 'fail', 'partial', 'inconclusive', 'Pass+%26+more'])
      expect(text).toContain(`/console/trials?outcome=${outcome}`)
  })

  test('are filtered by words and project', async () => {
    const [alice, bob] = [await worker(house), await worker(house, 'delta')]
    await tried(alice, 'Words first', { actual: 'p95 fell to 38 ms' })
    await tried(bob, 'Trigrams')
    expect(titles(await list('?q=FELL+to'))).toEqual(['Words first'])
    expect(titles(await list('?project=delta'))).toEqual(['Trigrams'])
    expect(titles(await list('?project=global'))).toEqual([])
    expect((await owner.get(`${TRIALS}?q=nothing`)).text).toContain('Nothing matches')
  })

  test('are all there, page by page, and a group that is cut says so', async () => {
    const alice = await worker(house)
    for (let n = 0; n < 203; n++) await tried(alice, `trial ${n}`)
    const first = await owner.get(TRIALS)
    expect(first.text).toContain('200 of 203')
    expect(first.text).toMatch(/rel="next">3 more</)
    const second = await list('?page=2')
    expect(second).toMatchObject({ count: 203 })
    expect(titles(second)).toEqual(['trial 2', 'trial 1', 'trial 0'])
  })

  test('say of one what was changed, expected and seen, beside what its figures were before', async () => {
    const alice = await worker(house)
    const { id: before } = await tried(alice, 'before', { metrics: { p95_ms: 184 } })
    await tried(alice, 'elsewhere', { lab: 'reef', metrics: { p95_ms: 1 } })
    const { id } = await tried(alice, 'now', {
      ...{ changes: '**rarest** word first', expected: 'p95 below 50', actual: 'p95 38' },
      ...{ outcome: 'pass', metrics: { p95_ms: 38, nodes: { a: [1] } } },
    })
    await tried(alice, 'after')
    const { body } = await owner.json(`${TRIALS}/${id}`)
    expect(body).toMatchObject({
      ...{
        id,
        lab: 'tide-cache',
        title: 'now',
        outcome: 'pass',
        project: 'atlas',
        favorite: false,
      },
      ...{ changes: '**rarest** word first', expected: 'p95 below 50', actual: 'p95 38' },
      ...{ sessionId: alice.session, sessionName: expect.any(String), created: expect.any(String) },
      metrics: expect.arrayContaining([
        { key: 'p95_ms', value: '38', before: '184', beforeId: before, change: '▼ 79 %' },
        { key: 'nodes', value: '{"a":[1]}' },
      ]),
    })
    expect(body.beside.map(({ title }: any) => title)).toEqual(['after', 'now', 'before'])
    const { text } = await owner.get(`${TRIALS}/${id}`)
    expect(text).toContain('<strong>rarest</strong> word first')
    const bare = (await owner.json(`${TRIALS}/${before}`)).body
    expect(['outcome', 'changes', 'expected', 'actual'].filter((name) => name in bare)).toEqual([])
  })

  test('are looked at beside the list, and an unknown one is none', async () => {
    const { id } = await tried(await worker(house), 'A')
    for (const shape of ['peek', 'reader']) {
      const { text = '' } = await owner.get(`${TRIALS}/${id}?${shape}=1`)
      expect(text.trim()).toMatch(/^<article class="sheet"/)
    }
    const { status, body } = await owner.json(`${TRIALS}/${UNKNOWN}`)
    expect([status, body]).toEqual([404, { error: `no trial ${UNKNOWN}` }])
  })

  test('take a star from their page', async () => {
    const { id } = await tried(await worker(house), 'A')
    const { headers } = await owner.post(`/console/favorites/trial/${id}`, {})
    expect(headers.location).toBe(`${TRIALS}/${id}?notice=Starred.`)
    expect((await list()).groups[0].trials[0].favorite).toBe(true)
    expect((await owner.get(TRIALS)).text).toContain('aria-label="Starred"')
  })

  test('wait for the first one', async () => {
    expect((await owner.get(TRIALS)).text).toContain('trial_record')
  })
})

describe.each(['/console/labs', '/console/trials'])('%s, while research is off,', (path) => {
  test('is a short page that says so, 403 in JSON, and nothing leads there', async () => {
    await using house = await openHouse()
    const owner = ownerOf(house)
    await research(house)
    const { id } = await tried(await worker(house), 'A')
    expect((await owner.get('/console/')).text).toContain(`href="${path}"`)
    await research(house, false)
    const one = path.endsWith('labs') ? 'tide-cache' : id
    for (const page of [path, `${path}/${one}`, `${path}/no-such-thing`]) {
      const { status, text } = await owner.get(page)
      expect([status, text]).toEqual([200, expect.stringContaining('Research is switched off')])
      const json = await owner.json(page)
      expect([json.status, json.body]).toEqual([
        403,
        { error: 'the "research" feature is disabled' },
      ])
    }
    expect((await owner.get(`${path}/${one}?peek=1`)).text).toMatch(/^\s*<article class="trouble"/)
    expect((await owner.get('/console/')).text).not.toContain(`href="${path}"`)
    await research(house)
    expect((await owner.json(path)).body.count).toBe(1)
  })
})
