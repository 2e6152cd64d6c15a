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
import { openHouse, type House } from '../helpers/house.ts'
import { research, tried } from '../helpers/research.ts'
import { parcels } from './parcels/parcels.ts'

const missing = browserIsMissing()

const LONG = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'

const NOTES = [
  {
    title: 'Deploy window',
    description: 'When it is fine to ship',
    body: `# Days\n\nMonday to Thursday.\n\n\`\`\`ts\nconst a = 1 // ${'x'.repeat(200)}\n\`\`\`\n\n|a|b|\n|-|-:|\n|x|1|\n`,
    tags: ['deploy'],
    source_url: 'https://example.com/deploys',
  },
  {
    title: `${LONG} ${LONG}`,
    description: LONG.repeat(4),
    body: `${LONG.repeat(5)}\n\n\`${LONG.repeat(3)}\`\n\nhttps://example.com/${LONG.repeat(3)}\n\n|${`${LONG}|`.repeat(6)}\n|${'-|'.repeat(6)}\n`,
    tags: [LONG.slice(0, 60), 'plan:search-under-50ms'],
  },
  { title: 'שלום עולם 🌱', description: 'مرحبا بالعالم', body: 'שלום\n\n> مرحبا\n', tags: ['🏷️'] },
  { title: 'Hardly a word', body: '–' },
  { title: 'For everybody', body: 'x\n\n'.repeat(120), project: 'global' },
]

async function furnish(house: House): Promise<string[]> {
  const alice = await house.connect()
  const ids: string[] = []
  for (const note of NOTES) {
    const { id } = await alice.call('notes_create', { project: 'atlas', ...note })
    ids.push(id as string)
  }
  return ids
}

/** Every entry of the navigation and the first of its items: a new screen is among them by itself. */
async function everyScreen(page: Page): Promise<string[]> {
  const paths: string[] = []
  const pathOf = (link: Element) => new URL((link as HTMLAnchorElement).href).pathname
  const entries = await page
    .locator('.nav-entry')
    .evaluateAll((links) => links.map((link) => new URL((link as HTMLAnchorElement).href).pathname))
  for (const entry of entries) {
    await page.goto(new URL(entry, page.url()).href)
    const item = page.locator(`#main a[href^="${entry}/"]`).first()
    paths.push(entry, ...((await item.count()) > 0 ? [await item.evaluate(pathOf)] : []))
  }
  return paths
}

describe.skipIf(missing)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  const signedIn = async (house: House, look?: Look) => {
    const window = await visit(browser, house.url, look)
    await window.signIn(house.key)
    return window
  }

  const openTitle = (page: Page) => page.locator('.reader .sheet-title').innerText()

  /** A field that asks for the focus is given it some time after its page has loaded. */
  const isGivenTheFocus = (page: Page, field: string) => page.locator(`${field}:focus`).waitFor()

  test('the owner signs in, reads by keyboard alone and signs out', async () => {
    await using house = await openHouse()
    await furnish(house)
    await using window = await visit(browser, house.url)
    const { page } = window
    const { keyboard } = page

    await window.go('/console/notes?sort=name')
    await isGivenTheFocus(page, '#key')
    await keyboard.type('not the key')
    await keyboard.press('Enter')
    await page.getByRole('alert').getByText('That is not the key.').waitFor()
    await isGivenTheFocus(page, '#key')
    await keyboard.type(house.key)
    await keyboard.press('Enter')
    await page.locator('.rail').waitFor()
    expect(page.url()).toContain('sort=name')

    await window.go('/console/notes')
    expect(await openTitle(page)).toBe('For everybody')
    await keyboard.press('j')
    await page.locator('.reader .sheet-title', { hasText: 'Hardly a word' }).waitFor()
    await keyboard.press('j')
    await page.locator('.reader .sheet-title', { hasText: 'שלום' }).waitFor()
    await keyboard.press('k')
    await page.locator('.reader .sheet-title', { hasText: 'Hardly a word' }).waitFor()
    expect(await page.title()).toBe('Hardly a word · Loam')
    // The steps are one entry of the history; Enter reads on, and Esc leads back to the row.
    await keyboard.press('Enter')
    const focused = (selector: string) => page.locator(`${selector}:focus`).waitFor()
    await focused('#sheet .sheet-title')
    await keyboard.press('Escape')
    await focused('.rail-item[aria-current=true]')
    await page.goBack()
    await page.waitForURL(/sort=name/)
    await window.go('/console/notes')

    await keyboard.press('/')
    await keyboard.type('deploy')
    await page.locator('.page-count', { hasText: '1 matches' }).waitFor()
    expect(page.url()).toContain('q=deploy')
    await keyboard.press('Escape')
    await keyboard.press('j')
    await page.locator('.reader .sheet-title', { hasText: 'Deploy window' }).waitFor()

    await keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await keyboard.press('Escape')
    await keyboard.press('g')
    await keyboard.press('/')
    await page.waitForURL('**/console/search')
    await isGivenTheFocus(page, 'input[name=q]')
    await keyboard.press('Escape')
    await keyboard.press('g')
    await keyboard.press('b')
    await page.waitForURL('**/console/notes**')

    await keyboard.press('Control+k')
    await keyboard.type('everybody')
    await page.getByRole('option', { name: 'For everybody' }).waitFor()
    await keyboard.press('Enter')
    await page.locator('.reader .sheet-title', { hasText: 'For everybody' }).waitFor()

    await page.getByRole('button', { name: 'Sign out' }).focus()
    await keyboard.press('Enter')
    await page.waitForURL('**/console/login')
    await window.go('/console/notes')
    expect(page.url()).toContain('/console/login')
    expect(window.troubles).toEqual([])
  })

  test('a declared screen is reached by its key and by the palette', async () => {
    await using house = await openHouse({ screens: [parcels] })
    await using window = await signedIn(house)
    const { page } = window
    await page.keyboard.press('g')
    await page.keyboard.press('z')
    await page.waitForURL('**/console/parcels')
    await window.go('/console/notes')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('parcel')
    await page.getByRole('option', { name: 'Go to Parcels' }).waitFor()
    await page.getByRole('option', { name: /^Blue parcel/ }).click()
    await page.getByRole('heading', { name: 'Parcels' }).waitFor()
    expect(new URL(page.url()).pathname).toMatch(/^\/console\/parcels\/\w{26}$/)
    expect(window.troubles).toEqual([])
  })

  test('a note that an agent writes appears by itself, and nothing is lost by it', async () => {
    await using house = await openHouse()
    const ids = await furnish(house)
    const alice = await house.connect()
    await using window = await signedIn(house)
    const { page } = window
    await page.locator('[data-live][data-state=live]').waitFor()

    // Reading the longest note, somewhere in its middle, with the focus on its row. It is the one that
    // stands open at first: only from another one is it seen when it has been opened again.
    const row = page.locator(`#item-${ids[4]}`)
    await page.locator(`#item-${ids[3]}`).click()
    await expect.poll(() => openTitle(page)).not.toBe('For everybody')
    await row.click()
    await expect.poll(() => openTitle(page)).toBe('For everybody')
    await row.focus()
    await page.evaluate(() => scrollTo(0, 900))
    const before = await page.evaluate(() => scrollY)
    expect(before).toBeGreaterThan(500)
    const written = Date.now()
    const { id } = await alice.call('notes_create', { title: 'Fresh', body: 'x', project: 'atlas' })
    await page.locator(`#item-${id}`).waitFor()
    expect(Date.now() - written).toBeLessThan(10_000)
    expect(await openTitle(page)).toBe('For everybody')
    expect(await page.evaluate(() => scrollY)).toBe(before)
    expect(await row.evaluate((one) => one === document.activeElement)).toBe(true)
    expect(await row.getAttribute('aria-current')).toBe('true')
    expect(await page.locator('.page-count b').innerText()).toBe('6')

    // The row that has the focus moves to the top, and keeps it.
    await alice.call('notes_append', { id: ids[4]!, body: 'more of it' })
    await page.locator('.reader .prose', { hasText: 'more of it' }).waitFor()
    expect(await row.evaluate((one) => one === document.activeElement)).toBe(true)

    // Half a filter is typed: the page waits, and says so.
    const filter = page.getByLabel('Filter notes')
    await page.route('**/console/notes?q=**', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 4_000))
      await route.continue().catch(() => {})
    })
    await filter.focus()
    await page.keyboard.type('Fre')
    await alice.call('notes_create', { title: 'Second', body: 'x', project: 'atlas' })
    await page.getByRole('status').getByText('1 update').waitFor()
    expect(await filter.inputValue()).toBe('Fre')
    expect(await filter.evaluate((one) => one === document.activeElement)).toBe(true)

    // A sheet that was read before is shown at once, and what the service says now leaves the focus in it.
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await window.go(`/console/notes/${ids[4]}`)
    const other = page.locator('.rail-item:not([aria-current])').first()
    await other.click()
    await expect.poll(() => openTitle(page)).not.toBe('For everybody')
    await row.click()
    await expect.poll(() => openTitle(page)).toBe('For everybody')
    await other.click()
    await expect.poll(() => openTitle(page)).not.toBe('For everybody')
    const asked = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    await page.route(`**/console/notes/${ids[4]}?reader=1`, async (route) => {
      asked.resolve()
      await answered.promise
      await route.continue()
    })
    await alice.call('notes_append', { id: ids[4]!, body: 'what came since' })
    await row.click()
    await asked.promise
    await expect.poll(() => openTitle(page)).toBe('For everybody')
    await page.keyboard.press('Enter')
    const heading = page.locator('#sheet .sheet-title')
    await page.locator('#sheet .sheet-title:focus').waitFor()
    answered.resolve()
    await page.locator('.reader .prose', { hasText: 'what came since' }).waitFor()
    expect(await heading.evaluate((one) => one === document.activeElement)).toBe(true)

    // A refresh that was under way when another note was opened does not bring the old one back.
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await window.go(`/console/notes/${ids[4]}`)
    await page.locator('[data-live][data-state=live]').waitFor()
    const late = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    await page.route(`**/console/notes/${ids[4]}`, async (route) => {
      held.resolve()
      await late.promise
      await route.continue()
    })
    await alice.call('notes_create', { title: 'Third', body: 'x', project: 'atlas' })
    await held.promise
    await page.locator(`#item-${ids[3]}`).click()
    await expect.poll(() => openTitle(page)).not.toBe('For everybody')
    late.resolve()
    await page.getByRole('link', { name: 'Third' }).waitFor()
    expect(await openTitle(page)).not.toBe('For everybody')

    // What is open is deleted: the list goes on without it.
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await window.go(`/console/notes/${ids[0]}`)
    await page.locator('[data-live][data-state=live]').waitFor()
    await alice.call('notes_delete', { id: ids[0]! })
    await page.locator(`#item-${ids[0]}`).waitFor({ state: 'detached' })
    expect(window.troubles.filter((one) => !one.includes('404'))).toEqual([])
  })

  test('no page scrolls sideways, however wide the window is', async () => {
    await using house = await openHouse()
    await furnish(house)
    await research(house)
    const agent = await house.inside('atlas')
    await tried(agent, 'A', { outcome: 'pass' })
    await agent.call('tasks_add', { title: LONG, plan: 'search-under-50ms' })
    await using window = await signedIn(house)
    const { page } = window
    for (const path of await everyScreen(page)) {
      await window.go(path)
      for (const width of [320, 768, 980, 981, 1024, 1180, 1280, 1366]) {
        await page.setViewportSize({ width, height: 900 })
        expect({ path, width, overflow: await overflow(page) }).toEqual({
          path,
          width,
          overflow: 0,
        })
      }
    }
    expect(window.troubles).toEqual([])
  })

  // Each theme and each width once; all of both are looked at where the demo's stores are.
  test.each<Look & { width: number }>([
    { theme: 'light', width: 1440 },
    { theme: 'dark', width: 390 },
  ])('every page stands, in $theme at $width', async (look) => {
    await using house = await openHouse({ screens: [parcels] })
    const ids = await furnish(house)
    const [event] = await house.events('note.written')
    const calls = await house.events('tool.call')
    await using window = await visit(browser, house.url, look)
    const { page } = window
    const stands = async (where: string) => {
      expect({ where, overflow: await overflow(page) }).toEqual({ where, overflow: 0 })
      expect({ where, found: await seriousFindings(page) }).toEqual({ where, found: [] })
    }
    await window.go('/console/login?error=That%20is%20not%20the%20key.')
    await stands('login')
    await window.signIn(house.key)
    const declared = await everyScreen(page)
    expect(declared).toEqual(expect.arrayContaining(['/console/sessions', '/console/parcels']))
    expect(declared.filter((path) => path.startsWith('/console/parcels/'))).toHaveLength(1)
    for (const path of [
      ...declared,
      '/console/parts',
      '/console/parts?q=x&status=idle',
      '/console/notes?q=nothing-like-it',
      '/console/notes?notice=Done.&error=Not%20done.',
      ...ids.map((id) => `/console/notes/${id}`),
      `/console/events/${event!.id}`,
      `/console/events/${calls.at(-1)!.id}`,
      '/console/search?q=deploy',
      `/console/search?q=${encodeURIComponent(LONG)}`,
    ]) {
      await window.go(path)
      await stands(path)
    }
    await page.keyboard.press('Control+k')
    await page.keyboard.type('deploy')
    // Hits of what was typed before are dimmed until those of the whole word are there.
    await page
      .locator('[role=option] mark', { hasText: /^deploy$/i })
      .first()
      .waitFor()
    await stands('palette')
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await stands('keys')
    await page.keyboard.press('Escape')
    if (look.width <= 980) {
      await window.go('/console/notes')
      await page.getByRole('link', { name: 'Menu' }).click()
      await page.getByRole('link', { name: 'Search' }).waitFor()
      await stands('menu')
      await page.mouse.wheel(0, 100)
      await page.getByRole('link', { name: /Deploy window/ }).click()
      await page.getByRole('link', { name: 'All notes' }).click()
      await page.waitForURL('**/console/notes')
    }
    expect(window.troubles).toEqual([])
    await window.go('/console/notes/nonsense')
    await stands('error')
  })

  test('everything but the liveness works without scripts', async () => {
    await using house = await openHouse()
    await furnish(house)
    await using window = await signedIn(house, { script: false })
    const { page } = window
    for (const name of ['Theme', 'Keys']) {
      expect(await page.getByRole('button', { name, exact: true }).isVisible()).toBe(false)
    }
    expect(await page.locator('kbd:visible').count()).toBe(0)
    await page.getByRole('link', { name: /Deploy window/ }).click()
    expect(await openTitle(page)).toBe('Deploy window')
    await page.getByLabel('Filter notes').fill('fine to ship')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.waitForURL('**/console/notes?q=**')
    expect(await page.locator('.rail-item').count()).toBe(1)
    await page.getByText('Sort: recent').click()
    await page.getByRole('link', { name: 'name', exact: true }).click()
    await page.waitForURL('**sort=name')
    expect(page.url()).toContain('q=fine')
    await page.getByRole('link', { name: 'Search', exact: true }).click()
    await page.getByLabel('Search everything').fill('deploy')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.locator('#results').getByRole('link', { name: 'Deploy window' }).click()
    await page.locator('.sheet-title', { hasText: 'Deploy window' }).waitFor()
    await page.locator('.ledger a').first().click()
    await page.waitForURL('**/console/events/**')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/console/login')
    expect(window.troubles).toEqual([])
  })

  test('the menu of a narrow screen opens without scripts too', async () => {
    await using house = await openHouse()
    await using window = await signedIn(house, { script: false, width: 390 })
    const { page } = window
    expect(await page.getByRole('button', { name: 'Sign out' }).isVisible()).toBe(false)
    await page.getByRole('link', { name: 'Menu' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/console/login')
  })

  test('the theme is kept, and used before the first paint', async () => {
    await using house = await openHouse()
    await using window = await signedIn(house, { theme: 'light' })
    const { page } = window
    await page.getByRole('button', { name: 'Theme' }).click()
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const dark = await ground()
    await window.go('/console/search')
    expect(await ground()).toBe(dark)
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark')
  })
})
