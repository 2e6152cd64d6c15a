import { sql } from 'kysely'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserIsMissing, openBrowser, visit } from '../helpers/browser.ts'
import { openHouse } from '../helpers/house.ts'
import { addStep, moveStep } from '../helpers/plans.ts'

const ON = { LOAM_FEATURES_MOMENTUM: 'true', LOAM_CONSOLE_TIMEZONE: 'UTC' }

describe.skipIf(browserIsMissing())('momentum in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  test('the calendar is one stop of the Tab key, and arrows go from day to day', async () => {
    await using house = await openHouse({ env: ON })
    const { db } = house.app.database
    for (const days of [0, 1, 7, 30]) {
      const id = await house.session('atlas')
      const set = sql`update sessions set created_at = loam_now() - ${days} * interval '1 day', findings = 'x'
        where id = ${id}`
      await set.execute(db)
    }
    await using window = await visit(browser, house.url)
    await window.signIn(house.key)
    const { page } = window
    await window.go('/console/sessions')
    const calendar = page.locator('[data-calendar]')
    expect(await calendar.locator('a.day').count()).toBe(4)
    expect(await calendar.locator('a[tabindex="0"]').count()).toBe(1)
    const day = (back: number) =>
      new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10)
    const focused = () => page.evaluate('document.activeElement.getAttribute("href")')
    await calendar.locator('a[tabindex="0"]').focus()
    expect(await focused()).toBe(`/console/sessions?day=${day(0)}`)
    for (const [key, back] of [
      ['ArrowUp', 1],
      ['Home', 30],
      ['ArrowDown', 7],
      ['ArrowRight', 0],
      ['ArrowLeft', 7],
      ['End', 0],
    ] as const) {
      await page.keyboard.press(key)
      expect(await focused(), key).toBe(`/console/sessions?day=${day(back)}`)
    }
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.waitForURL(/day=/)
    expect(await page.locator('tr.row').count()).toBe(1)
    // The day that is chosen is the stop, and the next one is behind the calendar.
    const stop = calendar.locator('a[tabindex="0"]')
    expect(await stop.getAttribute('aria-current')).toBe('date')
    await stop.focus()
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.closest("[data-calendar]")')).toBe(null)
    expect(window.troubles).toEqual([])
  })

  test('the first reuse of a memory is told in the corner of an open page, and nothing that was before', async () => {
    await using house = await openHouse({ env: ON })
    const [alice, bob] = [await house.inside('atlas'), await house.inside('atlas')]
    const fact = (name: string) => ({ name, kind: 'gotcha', description: 'D', body: 'B' })
    for (const name of ['ebb', 'flow']) await alice.call('memory_write', fact(name))
    await bob.call('memory_read', { name: 'ebb' })
    await house.app.kernel.followers.caughtUp('momentum')
    await using window = await visit(browser, house.url)
    await window.signIn(house.key)
    const { page } = window
    await window.go('/console/tasks')
    const live = page.locator('#live[data-state=live]')
    await live.waitFor({ state: 'attached' })
    expect(await page.locator('.toast').count()).toBe(0)
    await bob.call('memory_read', { name: 'flow' })
    await page.locator('.toast', { hasText: 'First reuse of gotcha flow' }).waitFor()
    expect(window.troubles).toEqual([])
  })

  test('a plan that is shipped is washed with colour once, and not where motion is unwanted', async () => {
    await using house = await openHouse({ env: ON })
    const steps = [await addStep(house, 'launch'), await addStep(house, 'dive')]
    await using window = await visit(browser, house.url)
    await window.signIn(house.key)
    const { page } = window
    await window.go('/console/plans')
    await page.locator('#live[data-state=live]').waitFor({ state: 'attached' })
    const washed = page.locator('.rail-item--shipped')
    const animations = () =>
      washed.evaluateAll((all) => all.flatMap((one) => one.getAnimations()).length)
    await moveStep(house, steps[0]!, 'done')
    await washed.waitFor()
    expect(await washed.getAttribute('data-item')).toBe('launch')
    expect(await animations()).toBe(1)
    await window.go('/console/plans')
    expect(await washed.count()).toBe(0)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.locator('#live[data-state=live]').waitFor({ state: 'attached' })
    await moveStep(house, steps[1]!, 'done')
    await page.locator('.rail-item[data-item=dive][data-shipped]').waitFor()
    expect(await animations()).toBe(0)
    expect(window.troubles).toEqual([])
  })
})
