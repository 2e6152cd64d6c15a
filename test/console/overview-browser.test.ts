import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserIsMissing, openBrowser, visit } from '../helpers/browser.ts'
import { openHouse } from '../helpers/house.ts'

describe.skipIf(browserIsMissing())('the inbox in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  test('a mishap that was opened is gone, and the tab carries the number until then', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await agent.call('session_start', { name: 'one', project: 'atlas' })
    await agent.call('session_end', { findings: 'x', mishaps: ['Ran the import twice'] })
    await house.app.kernel.telemetry.flush()

    await using window = await visit(browser, house.url)
    await window.signIn(house.key)
    const { page } = window
    await window.go('/console/')
    const line = page.locator('[data-inbox-line]')
    await line.waitFor()
    await expect.poll(() => page.title()).toBe('(1) Overview · Loam')
    const icon = () => page.getAttribute('link[rel=icon]', 'href')
    expect(await icon()).toMatch(/[?&]n=1$/)
    expect(await page.locator('#inbox-none').isVisible()).toBe(false)

    await line.getByRole('link', { name: 'Open' }).click()
    await page.locator('[data-opened]').waitFor()
    await window.go('/console/')
    await page.locator('#inbox-none').waitFor()
    expect(await line.isVisible()).toBe(false)
    expect(await page.title()).toBe('Overview · Loam')
    expect(await icon()).not.toContain('n=')
    // What was seen and opened is known to this browser alone.
    expect(await page.evaluate('localStorage.getItem("loam-opened")')).toContain('mishap-')
    expect(window.troubles).toEqual([])
  })

  test('what happened since the owner looked is told apart', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await agent.call('session_start', { name: 'one', project: 'atlas' })
    await using window = await visit(browser, house.url)
    await window.signIn(house.key)
    const { page } = window
    await window.go('/console/')
    await expect
      .poll(() => page.evaluate('localStorage.getItem("loam-seen")'), { timeout: 15_000 })
      .toBeTruthy()
    expect(await page.locator('.unseen').count()).toBe(0)
    await agent.call('notes_create', { title: 'A new one', body: 'x', project: 'atlas' })
    await window.go('/console/')
    await expect.poll(() => page.locator('tr.unseen').count()).toBeGreaterThan(0)
    expect(await page.locator('[data-unseen]').innerText()).toMatch(/\d new since you looked/)
    expect(window.troubles).toEqual([])
  })
})
