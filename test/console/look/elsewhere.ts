/** What belongs to no screen: signing in, the palette, the keys, what is said for a moment, errors. */
import type { Page } from 'playwright-core'
import type { Sight } from './sights.ts'

const UNKNOWN = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const NOTES = '/console/notes'

/** On a phone the light is within the menu. */
const isLive = (page: Page) => page.locator('#live[data-state=live]').waitFor({ state: 'attached' })

const palette = (typed: string, shown: string) => async (page: Page) => {
  await page.keyboard.press('Control+k')
  await page.locator('dialog[open] input').fill(typed)
  await page.locator('dialog[open]').locator(shown).first().waitFor()
}

export const ELSEWHERE: readonly Sight[] = [
  { name: 'login', store: 'full', path: '/console/login', signedOut: true },
  {
    ...{ name: 'login-wrong', store: 'full', signedOut: true },
    path: '/console/login?error=That%20is%20not%20the%20key.',
  },
  { name: 'login-keyless', store: 'keyless', path: '/console/login', signedOut: true },
  { name: 'error-gone', store: 'full', path: `${NOTES}/${UNKNOWN}`, status: 404 },
  { name: 'error-nowhere', store: 'full', path: '/console/nowhere', status: 404 },
  { name: 'error-invalid', store: 'full', path: `${NOTES}?sort=size`, status: 400 },
  {
    ...{ name: 'flashes', store: 'full' },
    path: `${NOTES}?notice=Starred.&error=The%20claim%20is%20held%20by%20another%20session.`,
  },
  {
    ...{ name: 'palette', store: 'full', path: NOTES },
    over: 'dialog[open]',
    prepare: palette('', '[role=option]'),
  },
  {
    ...{ name: 'palette-found', store: 'full', path: NOTES },
    over: 'dialog[open]',
    prepare: palette('deploy', '.hit-meta span'),
  },
  {
    ...{ name: 'palette-nothing', store: 'full', path: NOTES },
    over: 'dialog[open]',
    prepare: palette('no-such-words-anywhere', '[role=option]'),
  },
  {
    ...{ name: 'keys', store: 'full', path: NOTES, over: 'dialog[open]' },
    async prepare(page) {
      await page.keyboard.press('?')
      await page.locator('dialog[open]').waitFor()
    },
  },
  {
    ...{ name: 'menu', store: 'full', path: NOTES, width: 390, over: '#side' },
    async prepare(page) {
      await page.getByRole('link', { name: 'Menu' }).click()
      await page
        .locator('#nav')
        .getByRole('link', { name: /^Search/ })
        .waitFor()
    },
  },
  {
    ...{ name: 'toast', store: 'full', path: '/console/search', over: '.toasts' },
    async prepare(page) {
      await page.locator('#main').focus()
      await page.keyboard.press('.')
      await page.locator('.toasts .toast').waitFor()
    },
  },
  {
    ...{ name: 'away', store: 'full', path: NOTES, relayed: true, over: '#away' },
    async prepare(page, { cut }) {
      await isLive(page)
      await cut()
      await page.locator('#away').waitFor()
    },
  },
  {
    ...{ name: 'updates-wait', store: 'long', path: NOTES, over: '.toasts' },
    async prepare(page, { house }) {
      await isLive(page)
      await page.locator('#main').evaluate((main) => getSelection()?.selectAllChildren(main))
      const agent = await house.connect()
      await agent.call('notes_append', { id: await oneNote(house.url, house.key), body: 'x' })
      await page.locator('.toasts button.toast').waitFor()
    },
  },
]

async function oneNote(url: string, key: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, accept: 'application/json' }
  const answer = await fetch(`${url}${NOTES}`, { headers })
  const { groups } = (await answer.json()) as { groups: { notes: { id: string }[] }[] }
  return groups[0]!.notes[0]!.id
}
