import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserIsMissing, openBrowser, visitLive } from '../helpers/browser.ts'
import { openHouse, type House } from '../helpers/house.ts'

describe.skipIf(browserIsMissing())('a page that the owner turns', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  const open = (house: House, path: string) => visitLive(browser, house, path)
  async function write(house: House) {
    const agent = await house.inside('atlas')
    const ids: string[] = []
    for (const title of ['One', 'Two', 'Three'])
      ids.push((await agent.call('notes_create', { title, body: 'x' }))['id'] as string)
    return ids
  }
  const title = (page: Page) => page.locator('.reader .sheet-title').innerText()
  const addressOf = (page: Page) => page.url().slice(new URL(page.url()).origin.length)

  /** Holds the answers to an address back: when the first was asked for, and what lets them go. */
  async function holdBack(page: Page, address: RegExp) {
    const asked = Promise.withResolvers<void>()
    const late = Promise.withResolvers<void>()
    await page.route(address, async (route) => {
      asked.resolve()
      await late.promise
      await route.continue()
    })
    return {
      asked: asked.promise,
      async letGo() {
        const answered = page.waitForResponse(address)
        late.resolve()
        await (await answered).finished()
        // The scripts of the page take it in.
        await page.waitForTimeout(500)
      },
    }
  }

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

  test.each(['/console/notes/01ARZ3NDEKTSV4RRFFQ69G5FAV', '/console/interactions?history=0'])(
    'says once what is wrong with %s, whatever happens meanwhile',
    async (path) => {
      await using house = await openHouse()
      const agent = await house.inside('atlas')
      await using window = await open(house, path)
      const { page } = window
      const heading = await page.locator('.trouble h1').innerText()
      const toasts = page.locator('.toast')
      // A tab that is seen again asks once for what it missed, and hears the same.
      await page.evaluate(() => dispatchEvent(new Event('visibilitychange')))
      await page.waitForTimeout(1_500)
      let asked = 0
      page.on('request', (request) => (asked += Number(request.url().includes(path))))
      await agent.call('tasks_add', { title: 'Mark the reef' })
      await page.waitForTimeout(1_500)
      expect(await toasts.count()).toBe(0)
      expect(asked).toBe(0)
      expect(await page.locator('.trouble h1').innerText()).toBe(heading)
    },
  )

  test('stays where the owner is, though what was sent before is answered later', async () => {
    await using house = await openHouse()
    const ids = await write(house)
    await using window = await open(house, `/console/notes/${ids[0]}`)
    const { page } = window
    const held = await holdBack(page, /\/console\/favorites\/note\//)
    await page.locator('.star-act button').click()
    await held.asked
    await page.locator(`#item-${ids[1]}`).click()
    await expect.poll(() => title(page)).toBe('Two')
    await held.letGo()
    await page.locator('.toast').waitFor()
    expect(addressOf(page)).toBe(`/console/notes/${ids[1]}`)
    expect(await title(page)).toBe('Two')
    const notes = house.app.database.db.selectFrom('notes').select('id')
    expect(await notes.where('favorite', '=', true).execute()).toEqual([{ id: ids[0] }])
  })

  describe('shows the answer to what was asked last', () => {
    test('of two filters, whichever is answered last', async () => {
      await using house = await openHouse()
      await write(house)
      await using window = await open(house, '/console/notes')
      const { page } = window
      const held = await holdBack(page, /\/console\/notes\?q=T$/)
      await page.getByLabel('Filter notes').focus()
      await page.keyboard.type('T')
      await held.asked
      await page.keyboard.type('hree')
      await expect.poll(() => page.locator('.rail-item').count()).toBe(1)
      await held.letGo()
      expect(await page.getByLabel('Filter notes').inputValue()).toBe('Three')
      expect(new URL(page.url()).search).toBe('?q=Three')
      expect(await page.locator('.rail-item').count()).toBe(1)
    })

    test('of two steps back, whichever is answered last', async () => {
      await using house = await openHouse()
      const ids = await write(house)
      await using window = await open(house, `/console/notes/${ids[0]}`)
      const { page } = window
      for (const [at, name] of [
        [1, 'Two'],
        [2, 'Three'],
      ] as const) {
        await page.locator(`#item-${ids[at]}`).click()
        await expect.poll(() => title(page)).toBe(name)
      }
      const held = await holdBack(page, new RegExp(`/console/notes/${ids[1]}$`))
      await page.evaluate(() => history.back())
      await held.asked
      await page.evaluate(() => history.back())
      await expect.poll(() => title(page)).toBe('One')
      await held.letGo()
      expect(addressOf(page)).toBe(`/console/notes/${ids[0]}`)
      expect(await title(page)).toBe('One')
    })

    test('which is the step back, though a row was chosen before it', async () => {
      await using house = await openHouse()
      const ids = await write(house)
      await using window = await open(house, `/console/notes/${ids[0]}`)
      const { page } = window
      await page.locator(`#item-${ids[1]}`).click()
      await expect.poll(() => title(page)).toBe('Two')
      const asked = Promise.withResolvers<void>()
      const late = Promise.withResolvers<void>()
      await page.route(new RegExp(`/console/notes/${ids[2]}`), async (route) => {
        asked.resolve()
        await late.promise
        await route.continue().catch(() => {})
      })
      await page.locator(`#item-${ids[2]}`).click()
      await asked.promise
      await page.evaluate(() => history.back())
      await expect.poll(() => title(page)).toBe('One')
      late.resolve()
      await page.waitForTimeout(1_000)
      expect(addressOf(page)).toBe(`/console/notes/${ids[0]}`)
      expect(await title(page)).toBe('One')
    })
  })
})
