import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserIsMissing, openBrowser, visit } from '../helpers/browser.ts'
import { openGap } from '../helpers/gap.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { ownerOf } from './owner.ts'

const missing = browserIsMissing()

/** Lets a test say that a tab is hidden: a headless browser shows all of its tabs. */
const HIDEABLE = () => {
  let hidden = false
  Object.defineProperty(document, 'hidden', { get: () => hidden })
  Object.assign(globalThis, {
    hide(now: boolean) {
      hidden = now
      dispatchEvent(new Event('visibilitychange'))
    },
  })
}
const hide = (page: Page, hidden: boolean) =>
  page.evaluate((now) => (globalThis as any).hide(now), hidden)

const PASSING = /\b\d+:\d\d\b|\b\d+[sm]\b|just now|\bnow\b| · \d+ new since you looked/g

/** What its page says, line by line, but for how long ago it was and what this tab has seen. */
const textOf = async (page: Page): Promise<string[]> => {
  const lines = (await page.locator('#main').innerText()).split('\n')
  return lines.map((line) => line.replaceAll(PASSING, '').trim())
}

const isLive = (page: Page) => page.locator('[data-live][data-state=live]').waitFor()

describe.skipIf(missing)('an open tab', () => {
  let browser: Browser
  let house: House
  beforeAll(async () => {
    browser = await openBrowser()
    house = await openHouse()
  })
  afterAll(async () => {
    await browser.close()
    await house.close()
  })

  const write = async (title: string) => {
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', { title, body: 'b', project: 'atlas' })
    return String(id)
  }

  test('shares one stream with the others, and has none while all are hidden', async () => {
    await using window = await visit(browser, house.url)
    await window.context.addInitScript(HIDEABLE)
    await window.signIn(house.key)
    const tabs = [window.page, await window.context.newPage(), await window.context.newPage()]
    for (const tab of tabs) {
      await tab.goto(`${house.url}/console/notes`)
      await isLive(tab)
    }
    expect(house.app.kernel.feed.subscribers).toBe(1)
    const first = await write('Seen by all')
    for (const tab of tabs) await tab.locator(`#item-${first}`).waitFor()

    for (const tab of tabs) await hide(tab, true)
    await expect.poll(() => house.app.kernel.feed.subscribers, { timeout: 20_000 }).toBe(0)
    const second = await write('Seen by nobody')
    expect(await tabs[0]!.locator(`#item-${second}`).count()).toBe(0)
    await hide(tabs[0]!, false)
    await tabs[0]!.locator(`#item-${second}`).waitFor()
    expect(house.app.kernel.feed.subscribers).toBe(1)
    expect(await tabs[1]!.locator(`#item-${second}`).count()).toBe(0)
    expect(window.troubles).toEqual([])
  })

  test.each([
    { stream: 'that all tabs share', shared: true },
    { stream: 'of its own', shared: false },
  ])('whose login is over asks for the key, by the stream $stream', async ({ shared }) => {
    await using own = await openHouse()
    await using window = await visit(browser, own.url)
    const { page, context } = window
    await context.addInitScript(HIDEABLE)
    if (!shared)
      await context.addInitScript(() => Reflect.deleteProperty(globalThis, 'SharedWorker'))
    await window.signIn(own.key)
    await window.go('/console/notes?sort=name')
    await isLive(page)
    await hide(page, true)
    await expect.poll(() => own.app.kernel.feed.subscribers, { timeout: 20_000 }).toBe(0)
    await context.clearCookies()
    await hide(page, false)
    await page.waitForURL('**/console/login?next=%2Fconsole%2Fnotes%3Fsort%3Dname')
    await page.getByLabel('Key of this installation').fill(own.key)
    await page.getByRole('button', { name: 'Open the console' }).click()
    await page.waitForURL('**/console/notes?sort=name')
    await isLive(page)
  })

  test('without shared workers has a stream of its own', async () => {
    await using window = await visit(browser, house.url)
    await window.context.addInitScript(() => Reflect.deleteProperty(globalThis, 'SharedWorker'))
    await window.signIn(house.key)
    await isLive(window.page)
    const id = await write('By a stream of its own')
    await window.page.locator(`#item-${id}`).waitFor()
    expect(window.troubles).toEqual([])
  })

  test('shows what a fresh page shows, whatever happened meanwhile', async () => {
    await using own = await openHouse()
    await using window = await visit(browser, own.url)
    await window.signIn(own.key)
    const early = await own.connect()
    await early.call('session_start', { name: 'early', project: 'atlas' })
    const { body } = await ownerOf(own).json('/console/sessions')
    const paths = [
      ...[
        '/console/',
        '/console/now',
        '/console/sessions',
        `/console/sessions/${body.sessions[0].id}`,
      ],
      ...['/console/memories', '/console/notes'],
    ]
    const tabs: Page[] = []
    for (const path of paths) {
      const tab = await window.context.newPage()
      await tab.goto(`${own.url}${path}`)
      await isLive(tab)
      tabs.push(tab)
    }

    const agent = await own.connect()
    await agent.call('session_start', { name: 'harbor', project: 'ledger' })
    const about = { kind: 'gotcha', description: 'The tides', body: 'b' }
    await agent.call('memory_write', { name: 'tides', ...about })
    await early.call('recall', { query: 'tides' })
    await agent.call('notes_create', { title: 'Quay', body: 'b' })
    // Long enough for tabs to be refreshed before the claim by which the session is called from then on.
    await sleep(1_500)
    const { id } = await agent.call('tasks_add', { title: 'Mend the quay' })
    await agent.call('tasks_claim', { id, lease_seconds: 900 })
    await expect(early.call('memory_read', { name: 'nope' })).rejects.toThrow()
    await early.call('session_end', { findings: 'Found it.', mishaps: ['Dropped a row'] })
    await own.app.kernel.telemetry.flush()

    for (const [at, path] of paths.entries()) {
      const fresh = await window.context.newPage()
      await fresh.goto(`${own.url}${path}`)
      await isLive(fresh)
      await expect.poll(() => textOf(tabs[at]!), { message: path }).toEqual(await textOf(fresh))
      await fresh.close()
    }
    expect(window.troubles).toEqual([])
  })

  test('is refreshed once a second while events never pause', async () => {
    await using window = await visit(browser, house.url)
    await window.signIn(house.key)
    const { page } = window
    await isLive(page)
    const asked: number[] = []
    page.on('request', (request) => {
      if (request.resourceType() === 'fetch') asked.push(Date.now())
    })
    const agent = await house.connect()
    const until = Date.now() + 6_000
    let seen = 0
    let written = 0
    while (Date.now() < until) {
      const title = `One of many: ${(written += 1)}`
      await agent.call('notes_create', { title, body: 'b', project: 'atlas' })
      seen = Math.max(seen, await page.getByText('One of many').count())
    }
    expect(seen).toBeGreaterThan(1)
    expect(asked.length).toBeGreaterThan(2)
    // A busy machine tells of one request late and of the next in time.
    const betweenMs = asked.at(-1)! - asked[0]!
    expect(asked.length - 1).toBeLessThanOrEqual((betweenMs + 500) / 1_000)
  })

  test('stays while the service is away, says since when, and recovers by itself', async () => {
    await using gap = await openGap(house.url)
    await using window = await visit(browser, gap.url)
    await window.signIn(house.key)
    const { page } = window
    await isLive(page)
    const { length: before } = window.troubles
    await gap.cut()
    await page.getByText(/^Loam has not answered since \d\d:\d\d:\d\d/).waitFor()
    const dot = page.locator('#live .live-dot')
    expect(await dot.evaluate((one) => getComputedStyle(one).backgroundColor)).toBe(
      'rgba(0, 0, 0, 0)',
    )
    const address = page.url()
    await page.locator('a.nav-entry[href="/console/search"]').click()
    await page.getByText('Loam does not answer yet. This page stays.').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('/')
    expect(page.url()).toBe(address)
    const id = await write('Written meanwhile')
    await gap.mend()
    await page.locator(`#item-${id}`).waitFor()
    await page.locator('#away').waitFor({ state: 'detached' })
    expect(before).toBe(0)
    await page.locator('a.nav-entry[href="/console/search"]').click()
    await page.waitForURL('**/console/search')
  })

  test('says that the service is away though the clock was set back', async () => {
    await using gap = await openGap(house.url)
    await using window = await visit(browser, gap.url, { now: new Date(Date.now() - 86_400_000) })
    await window.signIn(house.key)
    await isLive(window.page)
    await gap.cut()
    await window.page.locator('#away').waitFor({ timeout: 10_000 })
  })

  test('is loaded anew where the service was replaced by another version, and says so', async () => {
    await using gap = await openGap(house.url)
    await using window = await visit(browser, gap.url)
    await window.signIn(house.key)
    const { page } = window
    await isLive(page)
    await gap.cut()
    await page.locator('#away').waitFor()
    // As a page of an earlier version has other scripts and styles.
    await page.evaluate(() => {
      for (const sheet of document.querySelectorAll('link[rel=stylesheet]'))
        sheet.setAttribute('href', '/console/static/x.css')
      for (const script of document.querySelectorAll('script[src]'))
        script.setAttribute('src', '/console/static/x.js')
    })
    // And another version answers with another page.
    await write('Written by the next one')
    await gap.mend()
    await page.getByText('Loam was updated, and this page with it.').waitFor()
    expect(await page.locator('#away').count()).toBe(0)
  })

  test('offers a text to copy by hand where there is no clipboard', async () => {
    const id = await write('To be copied')
    await using window = await visit(browser, house.url)
    await window.context.addInitScript(() =>
      Object.defineProperty(navigator, 'clipboard', { value: undefined }),
    )
    await window.signIn(house.key)
    await window.go(`/console/notes/${id}`)
    await window.page.keyboard.press('c')
    await window.page.locator('.toast--field input:focus').waitFor()
    expect(await window.page.evaluate(() => String(getSelection()))).toBe(id)
    expect(window.troubles).toEqual([])
  })
})
