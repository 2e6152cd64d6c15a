import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserIsMissing, openBrowser, seriousFindings, visit } from '../helpers/browser.ts'
import { research, tried } from '../helpers/research.ts'
import { setParent } from '../../src/projects/projects.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { ownerOf } from './owner.ts'

const EVIL = '<img src=x onerror=alert(1)>'

describe.skipIf(browserIsMissing())('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  const signedIn = async (house: House) => {
    const window = await visit(browser, house.url)
    await window.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await window.signIn(house.key)
    return window
  }
  const open = async (page: Page, typed: string) => {
    await page.keyboard.press('Control+k')
    await page.keyboard.type(typed)
  }
  const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name })
  const chosen = (page: Page) => page.locator('[role=option][aria-selected=true] .hit-title')
  const said = (page: Page, text: string) => page.locator('.toast', { hasText: text }).waitFor()
  const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

  test('the palette marks what it finds, and stars it, copies its id and leads to it', async () => {
    await using house = await openHouse()
    const alice = await house.connect()
    const note = await alice.call('notes_create', {
      ...{ title: `Reefs ${EVIL}`, body: `A reef ${EVIL}`, project: 'atlas' },
    })
    const id = note['id'] as string
    await using window = await signedIn(house)
    const { page } = window
    const { keyboard } = page

    await open(page, 'reef')
    await page.locator('.hit mark', { hasText: 'Reefs' }).waitFor()
    expect(await chosen(page).innerText()).toBe(`Reefs ${EVIL}`)
    expect(await seriousFindings(page)).toEqual([])
    await keyboard.press('Tab')
    await option(page, /^Copy the id/).waitFor()
    await keyboard.type('star')
    await keyboard.press('Enter')
    await said(page, 'Starred.')
    expect((await ownerOf(house).json(`/console/notes/${id}`)).body.favorite).toBe(true)

    await open(page, 'reef')
    await page.locator('.hit mark').first().waitFor()
    await keyboard.press('Tab')
    await option(page, 'Remove the star').waitFor()
    await keyboard.press('Escape')
    await page.locator('.hit mark').first().waitFor()
    await keyboard.press('Tab')
    await option(page, /^Copy the id/).click()
    await said(page, `Copied ${id}`)
    expect(await clipboard(page)).toBe(id)

    await open(page, id.slice(0, 8).toLowerCase())
    await option(page, /^Reefs/).waitFor()
    // An input method takes its proposal over with the same key.
    const taken = await page.evaluate(() =>
      [{ isComposing: true }, { keyCode: 229 }].map(
        (of) =>
          !document.activeElement!.dispatchEvent(
            new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...of }),
          ),
      ),
    )
    expect(taken).toEqual([false, false])
    await keyboard.press('Enter')
    await page.waitForURL(`**/console/notes/${id}`)
    expect(window.troubles).toEqual([])
  })

  test('the palette releases a claim when it is asked twice, and not when it is asked once', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    const { id } = await agent.call('tasks_add', { title: 'Chart the reef' })
    await agent.call('tasks_claim', { id })
    const holder = async () =>
      (await ownerOf(house).json(`/console/search?q=${id as string}`)).body.groups[0].rows[0].holder
    const before = await holder()
    expect(before).toEqual(expect.any(String))
    await using window = await signedIn(house)
    const { page } = window
    const { keyboard } = page

    await open(page, 'reef')
    await page.locator('.hit mark').first().waitFor()
    await keyboard.press('Tab')
    await option(page, /^Release from/).click()
    await option(page, 'Keep the claim').click()
    expect(await holder()).toBe(before)

    await open(page, 'release')
    await option(page, /^Release a claim/).click()
    await option(page, /^Chart the reef/).waitFor()
    await keyboard.press('Enter')
    await option(page, /^Release it from/).waitFor()
    await keyboard.press('Enter')
    await said(page, 'Released “Chart the reef”.')
    expect(await holder()).toBeUndefined()
    expect(window.troubles).toEqual([])
  })

  test('the palette asks once the keys rest, gives up what is out of date, and never again for the same', async () => {
    await using house = await openHouse()
    const alice = await house.connect()
    for (const title of ['Reef', 'Zeppelin'])
      await alice.call('notes_create', { title, body: title, project: 'atlas' })
    await using window = await signedIn(house)
    const { page } = window
    const asked: string[] = []
    const held: (() => void)[] = []
    let hold = true
    await page.route('**/console/search?*', async (route) => {
      const { searchParams } = new URL(route.request().url())
      if (searchParams.get('fast') !== '1') return route.continue()
      asked.push(searchParams.get('q')!)
      if (hold) await new Promise<void>((go) => held.push(go))
      await route.continue().catch(() => {})
    })
    await page.keyboard.press('Control+k')
    const input = page.getByRole('combobox')
    await input.fill('ree')
    await expect.poll(() => asked).toEqual(['ree'])
    // The letters go on while the answer is away: what Enter would open is the page of results alone.
    await input.fill('zeppelin')
    expect(await chosen(page).count()).toBe(0)
    hold = false
    for (const go of held) go()
    await option(page, /^Zeppelin/).waitFor()
    expect(await option(page, /^Reef/).count()).toBe(0)
    await input.fill('ree')
    await option(page, /^Reef/).waitFor()
    await input.fill('zeppelin')
    await option(page, /^Zeppelin/).waitFor()
    expect(asked).toEqual(['ree', 'zeppelin', 'ree'])
    await input.fill('reef')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.search === '?q=reef')
    expect(window.troubles.filter((trouble) => !trouble.includes('request'))).toEqual([])
  })

  test('rows are starred and copied by keys, and shown as the owner likes them', async () => {
    await using house = await openHouse()
    const id = await house.session('atlas')
    await using window = await signedIn(house)
    const { page } = window
    const { keyboard } = page
    await window.go('/console/sessions')
    await keyboard.press('j')
    await page.locator('.row[aria-current=true]').waitFor()
    await keyboard.press('.')
    await said(page, 'Starred.')
    await page.locator(`#row-${id} .glyph--star`).waitFor()
    await keyboard.press('c')
    await said(page, `Copied ${id}`)

    const height = () => page.locator(`#row-${id}`).evaluate((row) => row.clientHeight)
    const close = await height()
    await page.getByLabel('More').click()
    await page.getByRole('button', { name: /^Density/ }).click()
    expect(await height()).toBeGreaterThan(close)
    await page.reload()
    expect(await height()).toBeGreaterThan(close)
    await keyboard.press('d')
    expect(await height()).toBe(close)
    expect(window.troubles).toEqual([])
  })

  test('the window that was chosen goes along to every page that has one', async () => {
    await using house = await openHouse()
    await using window = await signedIn(house)
    const { page } = window
    const { keyboard } = page
    const chosenWindow = () => new URL(page.url()).searchParams.get('w')
    await window.go('/console/sessions')
    await keyboard.press(']')
    await page.waitForURL(/w=7d/)
    await keyboard.press('g')
    await keyboard.press('b')
    await page.waitForURL('**/console/notes**')
    await keyboard.press('g')
    await keyboard.press('o')
    await page.waitForURL(/console\/\?w=7d/)
    await keyboard.press('[')
    await page.waitForURL((url) => url.searchParams.get('w') !== '7d')
    await keyboard.press('g')
    await keyboard.press('s')
    await page.waitForURL('**/console/sessions')
    expect(chosenWindow()).toBeNull()
    expect(window.troubles).toEqual([])
  })

  test('a table is saved as CSV of all its pages, in which no text is a formula', async () => {
    await using house = await openHouse()
    const { db } = house.app.kernel
    const sessions = Array.from({ length: 120 }, (_, i) => i)
    for (const i of sessions) await house.session('atlas', { name: `cc/${i}` })
    const evil = [
      '=HYPERLINK("http://evil.example","x")',
      '+1+1',
      '-2+3',
      '@SUM(A1)',
      '\t=1',
      ' =2',
    ]
    const rows = await db.selectFrom('sessions').select('id').orderBy('id').execute()
    for (const [i, findings] of evil.entries())
      await db.updateTable('sessions').set({ findings }).where('id', '=', rows[i]!.id).execute()
    await using window = await signedIn(house)
    const { page } = window
    await window.go('/console/sessions?q=cc')
    await page.getByLabel('More').click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^loam-sessions-\d{4}-\d\d-\d\d\.csv$/)
    const text = await readFile(await download.path(), 'utf8')
    const [head = '', ...lines] = text.split('\r\n')
    expect(head.startsWith('\ufeffid,name,')).toBe(true)
    expect(head).toContain('tokens.input')
    expect(lines).toHaveLength(120)
    for (const each of evil.map((one) => one.trim().replaceAll('"', '""')))
      expect(text).toContain(`'${each}`)
    const cells = lines.flatMap((line) => line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/))
    expect(cells.filter((cell) => /^"?\s*[=+\-@]/.test(cell))).toEqual([])
    expect(window.troubles.filter((trouble) => !trouble.startsWith('request to blob:'))).toEqual([])
  })

  test('every page of tasks, trials and labs is saved, and of a lab no more than its page shows', async () => {
    await using house = await openHouse()
    await research(house)
    const { db } = house.app.kernel
    await house.inside('atlas')
    await sql`insert into tasks (id, project, title) select '01K' || lpad(n::text, 23, '0'), 'atlas', 'task ' || n from generate_series(1, 201) n`.execute(
      db,
    )
    await sql`insert into trials (id, project, lab, title)
      select '01K' || lpad(n::text, 23, '0'), 'atlas', case when n > 101 then 'lab ' || n else 'reef' end, 'trial ' || n
      from generate_series(1, 302) n`.execute(db)
    await using window = await signedIn(house)
    const { page } = window
    const rowsOf = async (path: string) => {
      await window.go(path)
      await page.getByLabel('More', { exact: true }).click()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save as CSV' }).click(),
      ])
      const [, ...lines] = (await readFile(await download.path(), 'utf8')).split('\r\n')
      return lines.length
    }
    expect(await rowsOf('/console/tasks')).toBe(201)
    await page.getByText('Saved 201 rows.').waitFor()
    expect(await rowsOf('/console/trials')).toBe(302)
    expect(await rowsOf('/console/labs')).toBe(202)
    expect(await rowsOf('/console/labs/reef')).toBe(100)
    await page.getByText('Saved the first 100 rows.').waitFor()
    await sql`update tasks set status = 'done', closed_at = loam_now()`.execute(db)
    expect(await rowsOf('/console/tasks')).toBe(25)
    await page.getByText('Saved 25 rows; there are more.').waitFor()
    expect(await rowsOf('/console/tasks?status=closed')).toBe(201)
    await page.getByText('Saved 201 rows.').waitFor()
  })

  test('the board of projects is saved as CSV, every project of all its bands once', async () => {
    await using house = await openHouse()
    for (const slug of ['atlas', 'web', 'docs']) await house.inside(slug)
    await setParent(house.app.kernel, 'web', 'atlas')
    await using window = await signedIn(house)
    const { page } = window
    for (const query of ['', '?group=flat']) {
      await window.go(`/console/projects${query}`)
      await page.getByLabel('More', { exact: true }).click()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save as CSV' }).click(),
      ])
      const text = await readFile(await download.path(), 'utf8')
      const [head = '', ...lines] = text.replace('\ufeff', '').split('\r\n')
      const [slug, memories] = ['slug', 'memories'].map((name) => head.split(',').indexOf(name))
      expect(lines.map((line) => line.split(',')[slug!]).sort()).toEqual([
        '',
        'atlas',
        'docs',
        'web',
      ])
      expect(lines.map((line) => line.split(',')[memories!])).toEqual(['0', '0', '0', '0'])
    }
  })

  test('of several tables each is saved by its name, and menus close by Escape and by a click elsewhere', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    const { id } = await agent.call('tasks_add', { title: 'Chart the reef' })
    await agent.call('tasks_add', { title: 'Sound the reef' })
    await agent.call('tasks_claim', { id })
    await using window = await signedIn(house)
    const { page } = window
    await window.go('/console/now')
    await page.getByLabel('More', { exact: true }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save “Up next” as CSV' }).click(),
    ])
    expect(download.suggestedFilename()).toContain('loam-upNext-')
    expect(await readFile(await download.path(), 'utf8')).toContain('Sound the reef')
    const open = page.locator('details[data-menu-list][open]')
    for (const close of [
      () => page.keyboard.press('Escape'),
      () => page.locator('.page-head h1').click(),
    ]) {
      await page.getByLabel('More', { exact: true }).click()
      expect(await open.count()).toBe(1)
      await close()
      expect(await open.count()).toBe(0)
    }
  })

  test('a link to a row of the search shows it selected', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    await research(house)
    const { id } = await tried(agent, 'Chart the reef')
    await using window = await signedIn(house)
    const { page } = window
    await window.go(`/console/search?q=${id as string}&scope=trials#row-trial-${id as string}`)
    await page.locator(`#row-trial-${id as string}[aria-current=true]`).waitFor()
    await open(page, 'chart')
    await page.locator('.hit mark').first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/console/trials/${id as string}`)
    expect(window.troubles).toEqual([])
  })
})

test('no route answers CSV', async () => {
  await using house = await openHouse()
  const owner = ownerOf(house)
  const refused = await owner.get('/console/sessions?format=csv')
  expect(refused.status).toBe(400)
  const page = await owner.get('/console/sessions', { accept: 'text/csv' })
  expect(page.headers['content-type']).toContain('text/html')
})
