import { describe, expect, test } from 'vitest'
import { browserIsMissing, openBrowser, visit } from '../helpers/browser.ts'
import { openHouse } from '../helpers/house.ts'
import { add } from '../tasks/given.ts'
import { ownerOf } from './owner.ts'

describe('the clock of the pages', () => {
  test('is the store’s own, whatever the machine’s says', async () => {
    await using house = await openHouse()
    await house.moveClock('-3 days')
    const agent = await house.inside('atlas')
    await agent.call('notes_create', { title: 'Before', body: 'x' })
    const owner = ownerOf(house)
    const page = await owner.get('/console/notes')
    expect(page.text).toMatch(/<time[^>]*data-ago="short">\d+s<\/time>/)
    const { body } = await owner.json('/console/search?q=Before&w=24h')
    expect(body.groups[0].rows[0].age).toBe('just now')
    const told = /now;desc=(\d+)/.exec(String(page.headers['server-timing']))?.[1]
    expect((Date.now() - Number(told)) / 86_400_000).toBeCloseTo(3, 2)

    await house.moveClock('-1 day')
    expect((await owner.get('/console/notes')).text).toMatch(
      /<time[^>]*data-ago="short">2d<\/time>/,
    )
  })

  test.skipIf(browserIsMissing())('is the browser’s too, for ages and for leases', async () => {
    await using house = await openHouse()
    await house.moveClock('2 days')
    const agent = await house.inside('atlas')
    const id = await add(agent, 'Mend the quay')
    await agent.call('tasks_claim', { id, lease_seconds: 900 })
    const browser = await openBrowser()
    await using window = await visit(browser, house.url)
    await window.signIn(house.key)
    await window.go('/console/now')
    const { page } = window
    const lease = page.locator('time[data-lease]').first()
    await expect.poll(() => lease.innerText()).toMatch(/^1[45]:\d\d$/)
    const ages = page.locator('time[data-ago]')
    for (const age of await ages.allInnerTexts()) expect(age).toMatch(/^(?:\d+s|\dm|just now|now)$/)
    expect(await ages.count()).toBeGreaterThan(0)
    expect(window.troubles).toEqual([])
    await browser.close()
  })
})
