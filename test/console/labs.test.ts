import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { browserIsMissing, openBrowser, visit } from '../helpers/browser.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { research, tried } from '../helpers/research.ts'
import { worker } from '../tasks/given.ts'
import { ownerOf, type Owner } from './owner.ts'

const LABS = '/console/labs'
const at = (lab: string) => `${LABS}/${encodeURIComponent(lab)}`

describe('the labs', () => {
  let house: House
  let owner: Owner
  beforeEach(async () => {
    house = await openHouse()
    await research(house)
    owner = ownerOf(house)
  })
  afterEach(() => house[Symbol.asyncDispose]())
  const list = async (query = ''): Promise<any> => (await owner.json(LABS + query)).body
  const names = ({ labs }: any): string[] => labs.map(({ lab }: any) => lab)

  test('say of each how many trials passed, failed, were partial, undecided or said something else', async () => {
    const [alice, bob] = [await worker(house), await worker(house, 'delta')]
    const outcomes = ['pass', 'pass', 'fail', 'partial', 'inconclusive', '', 'wild', 'PASS']
    for (const outcome of outcomes) await tried(alice, 'A', { outcome })
    await tried(bob, 'B', { outcome: 'pass' })
    await tried(bob, 'C', { lab: 'reef', outcome: 'fail' })

    const { labs, count, trials } = await list()
    expect([count, trials]).toEqual([2, 10])
    expect(labs).toMatchObject([
      { lab: 'reef', trials: 1, pass: 0, fail: 1, partial: 0, inconclusive: 0, other: 0 },
      {
        ...{ lab: 'tide-cache', trials: 9, pass: 3, fail: 1, partial: 1, inconclusive: 1 },
        ...{ other: 3, projects: ['atlas', 'delta'], projectsTotal: 2, sessions: 2 },
        ...{ first: expect.any(String), last: expect.any(String) },
      },
    ])
    expect(labs[1].first < labs[1].last).toBe(true)
  })

  test('lead from each count to exactly those trials', async () => {
    const alice = await worker(house)
    for (const outcome of ['pass', 'fail', 'fail', '', 'wild'])
      await tried(alice, 'A', { lab: 'a/b & c', outcome })
    const { text = '' } = await owner.get(LABS)
    const links = [...text.matchAll(/<td class="end[^"]*"><a href="([^"]+)">(\d+)</g)]
    expect(links.map(([, , n]) => n)).toEqual(['5', '1', '2', '2'])
    for (const [, href = '', n] of links) {
      const { body } = await owner.json(href.replaceAll('&amp;', '&'))
      expect(body.count, href).toBe(Number(n))
    }
  })

  test('are filtered by name and project, the one at work last first', async () => {
    const [alice, bob] = [await worker(house), await worker(house, 'delta')]
    await tried(alice, 'A')
    await tried(bob, 'B', { lab: 'reef' })
    await tried(alice, 'C')
    expect(names(await list())).toEqual(['tide-cache', 'reef'])
    expect(names(await list('?q=REE'))).toEqual(['reef'])
    expect(names(await list('?project=delta'))).toEqual(['reef'])
    expect((await owner.get(`${LABS}?q=none`)).text).toContain('Nothing matches')
  })

  test('show a hundred trials of one, and say where the others are', async () => {
    const alice = await worker(house)
    for (let n = 0; n < 103; n++) {
      await tried(alice, `trial ${n}`, { metrics: { p95_ms: n, [`only_${n}`]: 1 } })
    }
    const { body } = await owner.json(at('tide-cache'))
    expect(body.trials).toHaveLength(100)
    expect(body.trials[0]).toMatchObject({ title: 'trial 102', lab: 'tide-cache' })
    expect([body.more, body.lab.trials]).toEqual([3, 103])
    const { text = '' } = await owner.get(at('tide-cache'))
    expect(text).toContain('the newest 100 of 103')
    expect(text).toContain('href="/console/trials?lab=tide-cache">all of them</a>')
    // What most of them measured stands in a column of its own.
    expect(text).toMatch(/<th scope="col" class="end" title="p95_ms">p95_ms<\/th>/)
  })

  test.each(['a/b', 'a b/ü?#%', '50% & more', '日本', '..', 'x'.repeat(150), 'y/'.repeat(90)])(
    'may be called %j',
    async (lab) => {
      await tried(await worker(house), 'A', { lab })
      const { text = '' } = await owner.get(LABS)
      const [, href = ''] = /class="name"><a href="([^"]+)"/.exec(text) ?? []
      const found = await owner.get(href.replaceAll('&amp;', '&'))
      expect([found.status, found.text]).toEqual([200, expect.stringContaining('>A</a>')])
      if (lab === '..') return
      expect((await owner.json(at(lab))).body.lab.lab).toBe(lab)
      expect((await owner.get(`${at(lab)}?peek=1`)).text).toMatch(/^\s*<article class="sheet"/)
      if (lab === 'a/b') expect((await owner.json(`${LABS}/a/b`)).body.lab.lab).toBe('a/b')
    },
  )

  test('that no trial carries are unknown', async () => {
    const { status, body } = await owner.json(at('no such/lab'))
    expect([status, body]).toEqual([404, { error: 'no lab no such/lab' }])
  })

  test('wait for the first trial', async () => {
    expect((await owner.get(LABS)).text).toContain('trial_record')
  })
})

describe.skipIf(browserIsMissing())('the labs on a phone', () => {
  test('say in words what their columns say elsewhere', async () => {
    await using house = await openHouse()
    await research(house)
    const alice = await worker(house)
    for (const outcome of ['pass', 'pass', 'fail']) await tried(alice, 'A', { outcome })
    await using browser = await openBrowser()
    for (const [width, words] of [
      [390, '2 pass, 1 fail'],
      [1440, ''],
    ] as const) {
      await using window = await visit(browser, house.url, { width })
      await window.signIn(house.key)
      await window.go(LABS)
      const cell = window.page.locator('.table--labs td.under')
      expect((await cell.innerText()).trim()).toBe(words)
      expect(await cell.locator('svg').isVisible()).toBe(words === '')
    }
  })
})
