import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, test } from 'vitest'
import { findOptions } from '../../src/briefing/briefing.ts'
import { listFamilies } from '../../src/projects/projects.ts'
import { browserIsMissing, openBrowser, visit } from '../helpers/browser.ts'
import { openHouse, type House } from '../helpers/house.ts'

const SETTINGS = '/console/settings'

describe.skipIf(browserIsMissing())('the settings in a browser', () => {
  let browser: Browser
  let house: House
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    house = await openHouse()
    for (const project of ['atlas', 'delta']) await house.inside(project)
  })
  afterEach(() => house[Symbol.asyncDispose]())

  test.each([true, false])(
    'a briefing that is refused keeps what was typed and saves nothing, with scripts %s',
    async (script) => {
      await using window = await visit(browser, house.url, { script })
      await window.signIn(house.key)
      const { page } = window
      await window.go(SETTINGS)
      const findings = page.getByLabel('Earlier findings')
      const parent = page.getByLabel('Memories of the parent project')
      await findings.fill('three')
      await page.getByLabel('Ready tasks').fill('9')
      await parent.uncheck()
      await page.getByLabel('Utility mode').selectOption('off')
      await page.getByRole('button', { name: 'Save briefing' }).click()
      await page.getByRole('alert').filter({ hasText: 'invalid findings_count "three"' }).waitFor()
      const typed = async () => [
        await findings.inputValue(),
        await page.getByLabel('Ready tasks').inputValue(),
        await parent.isChecked(),
        await page.getByLabel('Utility mode').inputValue(),
      ]
      expect(await typed()).toEqual(['three', '9', false, 'off'])
      expect(await findOptions(house.app.kernel)).toEqual(house.app.kernel.config.briefing)

      await findings.fill('5')
      await page.getByRole('button', { name: 'Save briefing' }).click()
      await page.getByText('Briefing settings saved.').waitFor()
      expect(await typed()).toEqual(['5', '9', false, 'off'])
      expect(await findOptions(house.app.kernel)).toMatchObject({
        ...{ findings_count: 5, ready_tasks_shown: 9, utility_mode: 'off' },
        include_parent_memories: false,
      })
      // Nothing is saved again by a reload.
      await page.reload()
      expect(await house.events('settings.briefing_changed')).toHaveLength(1)
      expect(window.troubles).toEqual([])
    },
  )

  test.each([true, false])(
    'a family that is refused stays open with its name and members, with scripts %s',
    async (script) => {
      await using window = await visit(browser, house.url, { script })
      await window.signIn(house.key)
      const { page } = window
      await window.go(SETTINGS)
      const fresh = page.locator('#family-new')
      await fresh.locator('summary').click()
      await fresh.getByLabel('Name').fill('Big Shop')
      await fresh.getByLabel('atlas').check()
      await fresh.getByRole('button', { name: 'Create family' }).click()
      await page.getByRole('alert').filter({ hasText: 'did you mean "big-shop"' }).waitFor()
      expect(await fresh.getByLabel('Name').inputValue()).toBe('Big Shop')
      expect(await fresh.getByLabel('atlas').isChecked()).toBe(true)
      expect(await fresh.getByLabel('delta').isChecked()).toBe(false)
      expect(await listFamilies(house.app.kernel)).toEqual([])

      await fresh.getByLabel('Name').fill('big-shop')
      await fresh.getByRole('button', { name: 'Create family' }).click()
      await page.getByText('Family big-shop created.').waitFor()
      await page.locator('#family-big-shop').waitFor()
      expect(window.troubles).toEqual([])
    },
  )

  test('what is switched in one tab shows in another, and what is typed there stays', async () => {
    await using window = await visit(browser, house.url)
    await window.signIn(house.key)
    await window.go(SETTINGS)
    await window.page.locator('#live[data-state=live]').waitFor()
    const other = await window.context.newPage()
    await other.goto(`${house.url}${SETTINGS}`)
    await window.page.getByLabel('Longest briefing').fill('4')
    await window.page.locator('#main').focus()
    await other.getByRole('switch', { name: 'Research' }).check()
    await other.getByRole('button', { name: 'Save features' }).click()
    await other.getByText('On: Research.').waitFor()
    await window.page.bringToFront()
    await window.page.locator('#feature-research').getByText('Enabled').waitFor()
    expect(await window.page.getByRole('switch', { name: 'Research' }).isChecked()).toBe(true)
    expect(await window.page.getByLabel('Longest briefing').inputValue()).toBe('4')
    expect(window.troubles).toEqual([])
  })

  test('a reset asks first, and the index follows what is read', async () => {
    await using window = await visit(browser, house.url)
    await window.signIn(house.key)
    const { page } = window
    await window.go('/console/notes')
    await page.keyboard.press('g')
    await page.keyboard.press(',')
    await page.waitForURL(`**${SETTINGS}`)
    const current = page.locator('.settings-index [aria-current]')
    expect(await current.textContent()).toContain('Features')
    await page.getByRole('switch', { name: 'Momentum' }).check()
    await page.getByRole('button', { name: 'Save features' }).click()
    await page.getByText('On: Momentum.').waitFor()
    const reset = page.locator('#confirm-features')
    await reset.locator('summary').click()
    await reset.getByRole('button', { name: 'Reset features' }).click()
    await page.getByText('Feature override cleared.').waitFor()
    await page.locator('#confirm-features').waitFor({ state: 'detached' })
    expect(await page.getByRole('switch', { name: 'Momentum' }).isChecked()).toBe(false)

    await page.getByRole('link', { name: 'Storage' }).click()
    await expect.poll(() => current.textContent()).toContain('Storage')
    expect(new URL(page.url()).hash).toBe('#storage')
    expect(window.troubles).toEqual([])
  })
})
