import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserIsMissing, openBrowser, visit } from '../helpers/browser.ts'
import { bytesIn } from '../helpers/bytes-in.ts'
import { openHouse } from '../helpers/house.ts'
import { ownerOf } from './owner.ts'

const QUEUE = '/console/gardener'
const FIFTY = 50

describe.skipIf(browserIsMissing())('the gardener in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  test('fifty proposals are decided by fifty keys, and each applied one can be undone', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await agent.call('session_start', { name: 'harbor', project: 'atlas' })
    const names = Array.from({ length: FIFTY }, (_, n) => `tide-${n}`)
    for (const name of names) {
      const memory = { name, kind: 'gotcha', description: `About ${name}`, body: `The ${name}.` }
      await agent.call('memory_write', memory)
    }
    const operations = names.map((target) => ({ op: 'archive', target, reason: 'over' }))
    await agent.call('gardener_request', { request: 'all of it', operations })
    const before = await bytesIn(house.dir, 'memory')

    await using window = await visit(browser, house.url)
    await window.signIn(house.key)
    const { page } = window
    await window.go(QUEUE)
    const open = page.locator('#sheet [data-kind=proposal]')
    const applied: string[] = []
    for (let n = 0; n < FIFTY; n++) {
      const id = await open.getAttribute('data-item')
      const decision = ['e', 'e', 'x', 'X'][n % 4]!
      if (decision === 'e') applied.push(id!)
      await page.keyboard.press(decision)
      // The sheet of the next one is the answer to the key.
      await page.locator(`#sheet [data-item="${id}"]`).waitFor({ state: 'detached' })
    }
    await page.getByText('Nothing needs you here').waitFor()
    const owner = ownerOf(house)
    expect((await owner.json(QUEUE)).body).toMatchObject({ pendingCount: 0, hiddenCount: 12 })
    expect(window.troubles).toEqual([])
    for (const id of applied) await owner.post(`${QUEUE}/${id}/apply`, { undo: '1' })
    expect(await bytesIn(house.dir, 'memory')).toEqual(before)
    expect((await owner.json(QUEUE)).body).toMatchObject({ pendingCount: applied.length })
  })

  test('what cannot be undone takes one more key, and z takes the last decision back', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await agent.call('session_start', { name: 'harbor', project: 'atlas' })
    for (const name of ['tides', 'sails', 'masts']) {
      const memory = { name, kind: 'gotcha', description: `About ${name}`, body: `The ${name}.` }
      await agent.call('memory_write', memory)
    }
    const archive = { op: 'archive', target: 'masts', reason: 'over' }
    const both = { op: 'consolidate', sources: ['tides', 'sails'], name: 'both', body: 'Both.' }
    await agent.call('gardener_request', { request: 'one', operations: [archive] })
    await agent.call('gardener_request', { request: 'two', operations: [both] })
    const owner = ownerOf(house)
    const waiting = async () => (await owner.json(QUEUE)).body['pendingCount']

    await using window = await visit(browser, house.url)
    await window.signIn(house.key)
    const { page } = window
    await window.go(QUEUE)
    await page.getByRole('heading', { name: '2 memories into both' }).waitFor()
    await page.keyboard.press('e')
    await page.getByText('This cannot be undone.').waitFor()
    expect(await waiting()).toBe(2)
    await page.keyboard.press('e')
    await page.locator('#sheet').getByRole('heading', { name: 'masts' }).waitFor()
    expect(await waiting()).toBe(1)
    await page.keyboard.press('x')
    await page.getByText('Nothing needs you here').waitFor()
    await page.keyboard.press('z')
    await page.locator('#sheet').getByRole('heading', { name: 'masts' }).waitFor()
    expect(await waiting()).toBe(1)
    await page.keyboard.press('x')
    await page.getByRole('button', { name: 'Undo' }).first().click()
    await expect.poll(waiting).toBe(1)
    expect(window.troubles).toEqual([])
  })
})
