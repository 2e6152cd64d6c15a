/** A real browser on the console: what the owner sees, and everything that is wrong with it. */
import { existsSync } from 'node:fs'
import { AxeBuilder } from '@axe-core/playwright'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'

const CHROMIUM = process.env['LOAM_TEST_CHROMIUM'] ?? '/usr/bin/chromium'

/** Why no browser can be started here; undefined when one can. */
export const withoutBrowser = existsSync(CHROMIUM)
  ? undefined
  : `there is no browser at ${CHROMIUM}: install Debian's chromium, or set LOAM_TEST_CHROMIUM`

/** Says once why the tests that need a browser are skipped. */
export function browserIsMissing(): boolean {
  if (withoutBrowser !== undefined) console.warn(`skipped: ${withoutBrowser}`)
  return withoutBrowser !== undefined
}

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      '--disable-gpu',
    ],
  })

export const THEMES = ['light', 'dark'] as const
export const WIDTHS = [1440, 390] as const

export interface Look {
  theme?: (typeof THEMES)[number]
  width?: number
  /** Without scripts. */
  script?: boolean
}

/** A window of its own, with everything that went wrong in it. */
export interface Visit extends AsyncDisposable {
  page: Page
  context: BrowserContext
  /** Console errors, policy violations, requests to elsewhere, dialogs: all that must not be. */
  troubles: string[]
  /** Goes to a path of the service and waits until the page stands. */
  go(path: string): Promise<void>
  /** Types the key into the login page, as the owner does. */
  signIn(key: string): Promise<void>
}

export async function visit(
  browser: Browser,
  url: string,
  { theme = 'light', width = 1440, script = true }: Look = {},
): Promise<Visit> {
  const context = await browser.newContext({
    colorScheme: theme,
    viewport: { width, height: 900 },
    javaScriptEnabled: script,
  })
  const troubles: string[] = []
  const page = await context.newPage()
  page.on('console', (message) => {
    // Browsers ask for it by themselves where a fragment or JSON is opened as a page.
    if (message.location().url === `${url}/favicon.ico`) return
    if (['error', 'warning'].includes(message.type())) troubles.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => troubles.push(`script: ${error.message}`))
  page.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  context.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`)) troubles.push(`request to ${request.url()}`)
  })
  return {
    page,
    context,
    troubles,
    async go(path) {
      await page.goto(`${url}${path}`, { waitUntil: 'load' })
    },
    async signIn(key) {
      await page.goto(`${url}/console/login?next=%2Fconsole%2Fnotes`)
      await page.getByLabel('Key of this installation').fill(key)
      await page.getByRole('button', { name: 'Open the console' }).click()
      await page.waitForURL(/\/console\/notes/)
    },
    [Symbol.asyncDispose]: () => context.close(),
  }
}

/** How far the page is wider than the window, in pixels. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** What a person who cannot see, or not well, or has no mouse, would stumble over. */
export async function seriousFindings(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`))
}
