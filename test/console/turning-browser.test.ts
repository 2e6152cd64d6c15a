import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserIsMissing, openBrowser, visit } from '../helpers/browser.ts'
import { openHouse, type House } from '../helpers/house.ts'

describe.skipIf(browserIsMissing())('a page that the owner turns', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  async function open(house: House, path: string) {
    const window = await visit(browser, house.url)
    await window.signIn(house.key)
    await window.go(path)
    await window.page.locator('[data-live][data-state=live]').waitFor({ state: 'attached' })
    return window
  }
  const addressOf = (page: Page) => page.url().slice(new URL(page.url()).origin.length)

  describe('whose open item is deleted', () => {
    test('stays the page of the project, with what else its list holds', async () => {
      await using house = await openHouse()
      const agent = await house.inside('atlas')
      for (const name of ['quays', 'tides']) {
        const fact = { kind: 'gotcha', description: `What ${name} says`, body: 'B.' }
        await agent.call('memory_write', { name, ...fact })
      }
      await using window = await open(house, '/console/projects/atlas?tab=memories')
      const { page } = window
      await page.locator('.rail-item', { hasText: 'tides' }).click()
      await expect.poll(() => page.url()).toContain('item=')
      await agent.call('memory_delete', { name: 'tides', project: 'atlas' })
      await page.getByText('The open item was deleted.').waitFor()
      await page.locator('.rail-item', { hasText: 'tides' }).waitFor({ state: 'detached' })
      expect(addressOf(page)).toMatch(/^\/console\/projects\/atlas\?tab=memories/)
      expect(await page.locator('.rail-item', { hasText: 'quays' }).count()).toBe(1)
    })

    test('becomes the list that it came from, narrowed as it was', async () => {
      await using house = await openHouse()
      const [atlas, delta] = [await house.inside('atlas'), await house.inside('delta')]
      const { id } = await delta.call('notes_create', { title: 'Over', body: 'x', plan: 'over' })
      await atlas.call('notes_create', { title: 'Goes on', body: 'x', plan: 'goes-on' })
      await using window = await open(house, '/console/plans/over?project=delta')
      const { page } = window
      await delta.call('notes_delete', { id })
      await page.getByText('The open item was deleted.').waitFor()
      await page.locator('.rail-item[data-item="goes-on"]').waitFor()
      await expect.poll(() => addressOf(page)).toBe('/console/plans/goes-on?project=atlas')
    })
  })
})
