/**
 * Pictures of every page, light and dark, wide and narrow: `npm run look -- <folder>` looks at the
 * service that runs, which `npm run demo` has filled.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { loadClient } from '../../src/config/client.ts'
import { reportFailure } from '../../src/dev/report-failure.ts'
import { openBrowser, THEMES, visit, WIDTHS, withoutBrowser } from '../helpers/browser.ts'

interface Sight {
  name: string
  path: string
  /** What is done before the picture is taken. */
  prepare?: (page: Page) => Promise<unknown>
  /** Only as wide as this. */
  width?: number
}

type Ask = (path: string) => Promise<Record<string, any>>

async function sights(ask: Ask): Promise<Sight[]> {
  const { groups } = await ask('/console/notes')
  const notes = (groups as { notes: { id: string; title: string }[] }[]).flatMap(
    ({ notes }) => notes,
  )
  const details = await Promise.all(notes.map(({ id }) => ask(`/console/notes/${id}`)))
  const longest = details.toSorted((a, b) => b['body'].length - a['body'].length)[0]
  const { sessions } = await ask('/console/sessions?w=all')
  const ended = (sessions as { id: string; status: string }[]).find(
    ({ status }) => status === 'completed',
  )
  const event = details.find(({ history }) => history.length > 0)?.['history'][0]?.id
  return [
    { name: 'notes', path: '/console/notes' },
    { name: 'notes-filtered', path: '/console/notes?q=deploy&sort=name' },
    { name: 'notes-nothing', path: '/console/notes?q=no-such-thing' },
    ...(longest ? [{ name: 'note', path: `/console/notes/${longest['id']}` }] : []),
    ...(event ? [{ name: 'event', path: `/console/events/${event}` }] : []),
    { name: 'sessions', path: '/console/sessions?w=all' },
    { name: 'sessions-nothing', path: '/console/sessions?q=no-such-thing' },
    ...(ended ? [{ name: 'session', path: `/console/sessions/${ended.id}` }] : []),
    { name: 'search-idle', path: '/console/search' },
    { name: 'search', path: '/console/search?q=importer' },
    { name: 'search-nothing', path: '/console/search?q=zeppelin-maintenance-x' },
    { name: 'error', path: '/console/notes/01ARZ3NDEKTSV4RRFFQ69G5FAV' },
    {
      name: 'flash',
      path: '/console/notes?error=The%20claim%20is%20held%20by%20another%20session.',
    },
    {
      name: 'palette',
      path: '/console/notes',
      async prepare(page) {
        await page.keyboard.press('Control+k')
        await page.keyboard.type('import')
        await page.locator('dialog .hit').first().waitFor()
        await page.waitForTimeout(400)
      },
    },
    { name: 'keys', path: '/console/notes', prepare: (page) => page.keyboard.press('?') },
    {
      name: 'menu',
      path: '/console/notes',
      width: 390,
      prepare: (page) => page.getByRole('link', { name: 'Menu' }).click(),
    },
  ]
}

await reportFailure('look', async () => {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) throw new Error('name a folder: npm run look -- <folder>')
  if (withoutBrowser !== undefined) throw new Error(withoutBrowser)
  await mkdir(folder, { recursive: true })

  const client = await loadClient()
  const key = await client.key()
  const headers = { authorization: `Bearer ${key}`, accept: 'application/json' }

  const ask: Ask = async (path) =>
    (await fetch(`${client.url}${path}`, { headers })).json() as ReturnType<Ask>

  const seen = await sights(ask)
  await using browser = await openBrowser()
  for (const theme of THEMES) {
    for (const width of WIDTHS) {
      await using window = await visit(browser, client.url, { theme, width })
      const { page } = window
      const shoot = (name: string) =>
        page.screenshot({ path: join(folder, `${name}-${theme}-${width}.png`) })
      await window.go('/console/login?error=That%20is%20not%20the%20key.')
      await shoot('login')
      await window.signIn(key)
      for (const { name, path, prepare, width: only } of seen) {
        if (only !== undefined && only !== width) continue
        await window.go(path)
        await prepare?.(page)
        await shoot(name)
      }
      for (const trouble of new Set(window.troubles)) console.log(`${theme} ${width}: ${trouble}`)
    }
  }
  console.log(`pictures in ${folder}`)
})
