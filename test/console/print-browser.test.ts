import { describe, expect, test } from 'vitest'
import { browserIsMissing, openBrowser, visit } from '../helpers/browser.ts'
import { openHouse } from '../helpers/house.ts'

/** A4 upright is as narrow as a phone is to the sheets; lengthwise it is wide. */
const PAPERS = [
  ['upright', 794],
  ['lengthwise', 1123],
] as const

describe.skipIf(browserIsMissing())('on paper', () => {
  test.each(PAPERS)('a note is all that its page shows, in dark ink: %s', async (_, width) => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    const body = 'The mast sways.'
    const { id } = await agent.call('notes_create', { title: 'Mast', body })
    await using browser = await openBrowser()
    await using window = await visit(browser, house.url, { theme: 'dark', width })
    await window.signIn(house.key)
    await window.go(`/console/notes/${id as string}`)
    const { page } = window
    const text = page.getByText(body)
    const lightness = () =>
      text.evaluate((element) => Number(/\d+/.exec(getComputedStyle(element).color)![0]))
    expect(await lightness()).toBeGreaterThan(128)
    await page.emulateMedia({ media: 'print' })
    expect(await text.isVisible()).toBe(true)
    expect(await lightness()).toBeLessThan(128)
    // Dark as the owner chose, whatever the system is.
    await page.emulateMedia({ media: 'screen', colorScheme: 'light' })
    await page.locator('[data-theme-toggle]').evaluate((toggle: HTMLElement) => toggle.click())
    expect(await lightness()).toBeGreaterThan(128)
    await page.emulateMedia({ media: 'print', colorScheme: 'light' })
    expect(await lightness()).toBeLessThan(128)
    for (const each of ['.side', '.rail', '.page-tools', '.copy', 'form', 'button'])
      expect([each, await page.locator(each).filter({ visible: true }).count()]).toEqual([each, 0])
    expect(window.troubles).toEqual([])
  })

  test.each(PAPERS)('a list is printed with its rows: %s', async (_, width) => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    await agent.call('tasks_add', { title: 'Mark the reef' })
    await agent.call('notes_create', { title: 'Mast', body: 'The mast sways.' })
    await using browser = await openBrowser()
    await using window = await visit(browser, house.url, { width })
    await window.signIn(house.key)
    const { page } = window
    await page.emulateMedia({ media: 'print' })
    for (const [path, words] of [
      ['/console/tasks', 'Mark the reef'],
      ['/console/notes', 'Mast'],
    ] as const) {
      await window.go(path)
      expect(await page.getByText(words).filter({ visible: true }).count()).toBeGreaterThan(0)
      expect(await page.locator('.side').isVisible()).toBe(false)
    }
  })
})
