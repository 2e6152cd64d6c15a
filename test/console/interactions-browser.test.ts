import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  browserIsMissing,
  openBrowser,
  overflow,
  seriousFindings,
  visit,
  type Look,
} from '../helpers/browser.ts'
import { openGap } from '../helpers/gap.ts'
import { openHouse, type House } from '../helpers/house.ts'

const FEED = '/console/interactions'

describe.skipIf(browserIsMissing())('the feed in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  async function open(house: House, look?: Look, path = FEED) {
    // Calls are recorded a moment after they are answered; the page is to hear of later ones alone.
    await house.app.kernel.telemetry.flush()
    const window = await visit(browser, house.url, look)
    await window.signIn(house.key)
    await window.go(path)
    if (look?.script !== false) await live(window.page)
    return window
  }
  const live = (page: Page) =>
    page.locator('[data-live][data-state=live]').waitFor({ state: 'attached' })
  const rows = (page: Page) => page.locator('tr.row:visible')
  const names = (page: Page) => page.locator('tr.row:visible .name').allTextContents()
  const menu = async (page: Page, name: string, value: string) => {
    await page.locator(`#menu-${name} summary`).click()
    await page.locator(`#menu-${name} [data-value="${value}"]`).click()
  }
  /** Calls from so long ago on, each a millisecond after the one before. */
  const fillOf = (house: House) => (from: number, count: number, agoMs: number) =>
    house.app.database.db
      .insertInto('events')
      .values(
        Array.from({ length: count }, (_, at) => ({
          id: `01K9ZC4T7Q8V2M5N6P3R${String(from + at).padStart(6, '0')}`,
          ts: new Date(Date.now() - agoMs + at),
          ...{ kind: 'tool.call', transport: true, project: 'atlas' },
          payload: JSON.stringify({ tool: `tool_${from + at}`, duration_ms: 1, result: '{}' }),
        })),
      )
      .execute()

  test('begins empty and shows what agents do, as they do it', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    await agent.call('notes_create', { title: 'Before', body: 'x' })
    await using window = await open(house)
    const { page } = window
    expect(await rows(page).count()).toBe(0)
    await page.getByText('Listening since').waitFor()
    await agent.call('notes_create', { title: 'While it listens', body: 'x' })
    await page.getByRole('link', { name: 'While it listens' }).waitFor()
    expect(await names(page)).toEqual(['notes_create'])
    expect(await page.locator('#feed-count').textContent()).toBe('1 row')
    expect(house.app.kernel.feed.subscribers).toBe(1)

    await page.locator('#feed-offer').click()
    await page.getByRole('link', { name: 'Before' }).waitFor()
    await page.locator('#volume svg').waitFor()
    expect((await names(page)).filter((name) => name === 'notes_create')).toHaveLength(2)
    await page.reload()
    await live(page)
    expect(await rows(page).count()).toBe(0)
    expect(window.troubles).toEqual([])
  })

  test('holds what arrives while it is paused, and says how much waits', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    await using window = await open(house)
    const { page } = window
    await page.getByRole('button', { name: 'Pause' }).click()
    for (const title of ['One', 'Two', 'Three'])
      await agent.call('notes_create', { title, body: 'x' })
    await page.getByRole('button', { name: 'Resume · 3 waiting' }).waitFor()
    expect(await rows(page).count()).toBe(0)
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('link', { name: 'Three' }).waitFor()
    expect(await names(page)).toHaveLength(3)
    expect(window.troubles).toEqual([])
  })

  test('holds what a window adds while it is paused once, whatever of it waits', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    await agent.call('notes_create', { title: 'Before', body: 'x' })
    await using window = await open(house)
    const { page } = window
    await page.getByRole('button', { name: 'Pause' }).click()
    for (const title of ['One', 'Two']) await agent.call('notes_create', { title, body: 'x' })
    await page.getByRole('button', { name: 'Resume · 2 waiting' }).waitFor()
    await page.locator('#menu-window summary').click()
    await page.getByRole('link', { name: 'last 5 minutes', exact: true }).click()
    await page.getByRole('link', { name: 'Before' }).waitFor()
    await page.getByRole('button', { name: 'Resume', exact: true }).waitFor()
    const shown = await names(page)
    expect(shown.filter((name) => name === 'notes_create')).toHaveLength(3)
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    expect(await names(page)).toEqual(shown)
    expect(await page.locator('#feed-count').textContent()).toBe(`${shown.length} rows`)
    expect(window.troubles).toEqual([])
  })

  test('stands still while a row is open beside it', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    await using window = await open(house)
    const { page } = window
    await agent.call('notes_create', { title: 'One', body: 'x' })
    await rows(page).first().locator('.end').first().click()
    await page.locator('#peek .sheet').waitFor()
    await agent.call('notes_create', { title: 'Two', body: 'x' })
    await page.getByRole('button', { name: '1 waiting' }).waitFor()
    expect(await rows(page).count()).toBe(1)
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Two' }).waitFor()
    expect(window.troubles).toEqual([])
  })

  test('is narrowed by category, session, project and severity, without asking the service', async () => {
    await using house = await openHouse()
    const [alice, bob] = [await house.inside('atlas'), await house.inside('ledger')]
    await using window = await open(house)
    const { page } = window
    await alice.call('notes_create', { title: 'Hers', body: 'x' })
    await bob.call('notes_create', { title: 'His', body: 'x' })
    await expect(bob.call('memory_read', { name: 'nope' })).rejects.toThrow()
    await bob.call('recall', { query: 'zeppelin maintenance' })
    const all = 5
    await expect.poll(() => rows(page).count()).toBe(all)

    const asked: string[] = []
    page.on('request', (request) => {
      // What happened just now may still be brought, as it is without filters.
      const url = new URL(request.url())
      if (url.search.includes('rows') && !url.searchParams.has('sinceTs')) asked.push(url.href)
    })
    await menu(page, 'category', 'failed')
    expect(await names(page)).toEqual(['memory_read'])
    expect(await page.locator('#feed-count').textContent()).toBe(`1 of ${all} rows`)
    await page.getByRole('button', { name: 'Remove Category: Errors' }).click()
    await menu(page, 'category', 'prompt')
    expect(await names(page)).toEqual(['recall.miss'])
    await menu(page, 'category', '')
    await menu(page, 'project', 'atlas')
    expect(await names(page)).toEqual(['notes_create'])
    await menu(page, 'severity', 'danger')
    expect(await names(page)).toEqual([])
    await page.getByText('None of the').waitFor()
    await page.getByRole('button', { name: 'Clear all' }).click()
    const his = await page.locator('tr.row[data-failed]').getAttribute('data-session')
    await menu(page, 'session', his!)
    expect(await rows(page).count()).toBe(all - 1)
    await menu(page, 'severity', 'write')
    expect(await names(page)).toEqual(['notes_create'])
    expect(asked).toEqual([])
    expect(window.troubles).toEqual([])
  })

  test('holds a bounded number of rows, and loads older ones inside the window', async () => {
    await using house = await openHouse()
    const fill = fillOf(house)
    await fill(0, 450, 600_000)
    await using window = await open(house)
    const { page } = window
    await page.locator('#menu-window summary').click()
    await page.getByRole('link', { name: 'last 15 minutes' }).click()
    await expect.poll(() => rows(page).count()).toBe(200)
    await page.getByRole('link', { name: 'Load older' }).click()
    await expect.poll(() => rows(page).count()).toBe(400)
    await page.getByRole('link', { name: 'Load older' }).click()
    await expect.poll(() => rows(page).count()).toBe(450)
    expect(await page.getByRole('link', { name: 'Load older' }).isVisible()).toBe(false)
    expect(await names(page)).toEqual(Array.from({ length: 450 }, (_, at) => `tool_${449 - at}`))

    // Nothing was added here: 500 rows are all that it holds.
    await window.go(FEED)
    await live(page)
    for (const turn of [0, 1, 2, 3]) {
      await fill(1_000 + turn * 150, 150, 0)
      await expect.poll(() => page.locator('tr.row').count()).toBe(Math.min(500, 150 * (turn + 1)))
      // A turn is as many milliseconds long as it has rows, and the next begins behind it.
      await page.waitForTimeout(150)
    }
    expect(await names(page)).toEqual(Array.from({ length: 500 }, (_, at) => `tool_${1_599 - at}`))
    expect(window.troubles).toEqual([])
  })

  test('paused while more arrives than can wait, goes on without a hole that nobody can fill', async () => {
    await using house = await openHouse()
    const fill = fillOf(house)
    await fill(0, 50, 100_000)
    await using window = await open(house)
    const { page } = window
    await page.locator('#menu-window summary').click()
    await page.getByRole('link', { name: 'last 5 minutes', exact: true }).click()
    await expect.poll(() => rows(page).count()).toBe(50)
    await page.getByRole('button', { name: 'Pause' }).click()
    for (const [turn, waits] of ['150', '300', '450', '500+'].entries()) {
      await fill(1_000 + turn * 150, 150, 0)
      await page.getByRole('button', { name: `Resume · ${waits} waiting` }).waitFor()
    }
    expect(await rows(page).count()).toBe(50)
    await page.getByRole('button', { name: 'Resume' }).click()
    await expect.poll(() => rows(page).count()).toBe(500)
    const older = page.getByRole('link', { name: 'Load older' })
    await older.click()
    await expect.poll(() => rows(page).count()).toBe(650)
    expect(await older.isVisible()).toBe(false)
    expect(await names(page)).toEqual([
      ...Array.from({ length: 600 }, (_, at) => `tool_${1_599 - at}`),
      ...Array.from({ length: 50 }, (_, at) => `tool_${49 - at}`),
    ])
    expect(window.troubles).toEqual([])
  })

  test('fills what it missed while the service was away', async () => {
    await using house = await openHouse()
    await using gap = await openGap(house.url)
    const agent = await house.inside('atlas')
    await using window = await visit(browser, gap.url)
    await window.signIn(house.key)
    await window.go(FEED)
    const { page } = window
    await live(page)
    await agent.call('notes_create', { title: 'Seen', body: 'x' })
    await page.getByRole('link', { name: 'Seen' }).waitFor()
    await gap.cut()
    await page.locator('[data-live][data-state=away]').waitFor()
    await agent.call('notes_create', { title: 'Missed', body: 'x' })
    await gap.mend()
    await page.getByRole('link', { name: 'Missed' }).waitFor()
    expect(await names(page)).toHaveLength(2)
  })

  test('breaks by nothing that an agent writes, on any width', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const evil = `<img src=x onerror=alert(1)>"'${'wide'.repeat(60)}\u202e`
    await agent.call('session_start', { name: 'evil', project: 'atlas' })
    for (const width of [1440, 390]) {
      await using window = await open(house, { width })
      const { page } = window
      await agent.call('notes_create', { title: `${width}${evil}`.slice(0, 190), body: 'x' })
      await agent.call('recall', { query: evil })
      await agent.call('session_update', { findings: evil })
      await expect.poll(() => rows(page).count()).toBeGreaterThan(2)
      if (width <= 980) await page.locator('#filters summary').click()
      await page.locator('#menu-session summary').click()
      expect(await overflow(page)).toBe(0)
      await page.locator('#menu-session summary').click()
      await page.goto(`${house.url}${FEED}?history=300`)
      expect(await overflow(page)).toBe(0)
      expect(await seriousFindings(page)).toEqual([])
      expect(window.troubles).toEqual([])
    }
  })

  test('without scripts answers the choice of a window', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    await agent.call('notes_create', { title: 'Before', body: 'x' })
    await using window = await open(house, { script: false })
    const { page } = window
    expect(await rows(page).count()).toBe(0)
    await page.getByText('Without scripts nothing arrives').waitFor()
    await page.locator('#menu-window summary').click()
    await page.getByRole('link', { name: 'last hour' }).click()
    await page.getByRole('link', { name: 'Before' }).waitFor()
    expect(await page.locator('#volume svg').isVisible()).toBe(true)
    expect(await page.getByRole('button', { name: 'Pause' }).isVisible()).toBe(false)
  })

  test('h and l lead from an event to the one before and after it', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    await agent.call('notes_create', { title: 'One', body: 'x' })
    await agent.call('notes_create', { title: 'Two', body: 'x' })
    const [one, two] = await house.events('note.written')
    await house.app.kernel.telemetry.flush()
    await using window = await open(house, {}, `/console/events/${two!.id}`)
    const { page } = window
    for (let tries = 0; tries < 5 && !page.url().endsWith(one!.id); tries++) {
      const before = page.url()
      await page.keyboard.press('h')
      await page.waitForURL((url) => url.href !== before)
      await live(page)
    }
    expect(page.url()).toContain(one!.id)
    await page.keyboard.press('l')
    await page.waitForURL((url) => !url.href.includes(one!.id))
    expect(window.troubles).toEqual([])
  })
})
