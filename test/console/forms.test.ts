import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserIsMissing, openBrowser, visit } from '../helpers/browser.ts'
import { openHouse } from '../helpers/house.ts'
import { ownerOf } from './owner.ts'
import { parcels } from './parcels/parcels.ts'

const PARCEL = '/console/parcels/01K9ZC4T7Q8V2M5N6P3R1S0WXY'
const KEY = `sk-ant-api03-${'aB3dE6gH9'.repeat(10)}`

describe('a form that was refused', () => {
  test('leads back with what was typed, but never with a key', async () => {
    await using house = await openHouse({ screens: [parcels] })
    const owner = ownerOf(house)
    const sent = async (carrier: string) =>
      (await owner.post(`${PARCEL}/send`, { carrier })).headers.location!
    const refused = await sent('pigeon')
    expect(refused).toMatch(/[?&]typed\.carrier=pigeon$/)
    const { text } = await owner.get(refused)
    expect(text).toContain('value="pigeon"')
    expect(text, 'the JSON of the page').not.toMatch(/href="[^"]*typed\.[^"]*format=json/)
    const harmless = await owner.get(`${PARCEL}?typed.carrier=${encodeURIComponent('"><b>x')}`)
    expect(harmless.text).toContain('value="&#34;&gt;&lt;b&gt;x"')

    const login = await owner.post('/console/login', { key: KEY }, { cookie: '' })
    expect(login.headers.location).not.toContain(KEY.slice(0, 20))
  })
})

describe.skipIf(browserIsMissing())('a form in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  test('that is refused keeps what was typed, and leaves the page where it is', async () => {
    await using house = await openHouse({ screens: [parcels] })
    await using window = await visit(browser, house.url)
    await window.signIn(house.key)
    const { page } = window
    await window.go(PARCEL)
    const field = page.getByLabel('Carrier')
    await field.fill('pigeon')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('alert').filter({ hasText: 'a pigeon carries no parcels' }).waitFor()
    expect(await field.inputValue()).toBe('pigeon')
    expect(new URL(page.url()).search).toBe('')

    await field.fill('')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('alert').filter({ hasText: 'must not be empty' }).waitFor()

    await field.fill('ship')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Sent by ship.').waitFor()
    expect(new URL(page.url()).search).toBe('')
    expect(await field.inputValue()).toBe('')
    // An answer of 400 is mentioned by the browser.
    expect(window.troubles.filter((trouble) => !/status of 400/.test(trouble))).toEqual([])
  })

  test('is sent again by no reload, with scripts and without', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { session_id: id } = await agent.call('session_start', { name: 'one', project: 'atlas' })
    for (const script of [true, false]) {
      await using window = await visit(browser, house.url, { script })
      await window.signIn(house.key)
      const { page } = window
      await window.go(`/console/sessions/${id}`)
      await page.getByRole('button', { name: 'Star', exact: true }).click()
      await page.getByRole('button', { name: 'Starred', exact: true }).waitFor()
      await page.reload()
      await page.reload()
      await page.getByRole('button', { name: 'Starred', exact: true }).click()
      await page.getByRole('button', { name: 'Star', exact: true }).waitFor()
      await page.reload()
      expect(window.troubles).toEqual([])
    }
    expect((await house.events('favorite.changed')).map(({ payload }) => payload)).toMatchObject(
      [true, false, true, false].map((favorite) => ({ favorite })),
    )
  })

  test('in the pane beside a list leaves the list and the pane open', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { session_id: id } = await agent.call('session_start', { name: 'one', project: 'atlas' })
    await using window = await visit(browser, house.url)
    await window.signIn(house.key)
    const { page } = window
    await window.go('/console/sessions')
    await page.keyboard.press('j')
    await page.keyboard.press(' ')
    await page.locator('#peek [data-star]').waitFor()
    await page.keyboard.press('.')
    await page.locator('#peek [data-star][aria-pressed=true]').waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/sessions')
    await page.locator(`#row-${id} .glyph--star`).waitFor()
    expect(window.troubles).toEqual([])
  })
})

test('a star can be given where a session, a memory or a note is read', async () => {
  await using house = await openHouse()
  const owner = ownerOf(house)
  const agent = await house.connect()
  const { session_id: session } = await agent.call('session_start', { name: 'a', project: 'atlas' })
  const memory = await agent.call('memory_write', {
    ...{ name: 'tide', kind: 'gotcha', description: 'd', body: 'b' },
  })
  const note = await agent.call('notes_create', { title: 'T', body: 'b' })
  const places = {
    session: [`/console/sessions/${session}`, `/console/sessions/${session}?peek=1`],
    memory: [`/console/memories/${memory.id}`, `/console/memories/${memory.id}?peek=1`],
    note: [`/console/notes/${note.id}`, `/console/notes/${note.id}?reader=1`],
  }
  for (const [kind, [page, fragment]] of Object.entries(places)) {
    const id = /[^/]+$/.exec(page!)![0]
    const action = `action="/console/favorites/${kind}/${id}"`
    for (const place of [page!, fragment!]) {
      const { text } = await owner.get(place)
      expect(text, place).toContain(action)
      expect(text, place).toContain('name="favorite" value="1"')
    }
    const { status, headers } = await owner.post(`/console/favorites/${kind}/${id}`, {
      favorite: '1',
    })
    expect([status, headers.location]).toEqual([303, `${page}?notice=Starred.`])
    expect((await owner.get(page!)).text).toContain('aria-pressed="true"')
  }
})
