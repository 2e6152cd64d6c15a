/** A real browser on the console: what the owner sees, and everything that is wrong with it. */
import { existsSync } from 'node:fs'
import { AxeBuilder } from '@axe-core/playwright'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { AGAIN, ranBefore } from './share.ts'

const CHROMIUM = process.env['LOAM_TEST_CHROMIUM'] ?? '/usr/bin/chromium'

/** Why no browser is started here; undefined when one can be. What a page shows is tested on each database without one. */
export const withoutBrowser = AGAIN
  ? ranBefore
  : existsSync(CHROMIUM)
    ? undefined
    : `there is no browser at ${CHROMIUM}: install Debian's chromium, or set LOAM_TEST_CHROMIUM`

/** Says once why the tests that need a browser are skipped. */
export function browserIsMissing(): boolean {
  if (withoutBrowser !== undefined) console.warn(`skipped: ${withoutBrowser}`)
  return withoutBrowser !== undefined
}

export const openBrowser = (...more: string[]): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      '--disable-gpu',
      ...more,
    ],
  })

export interface Look {
  theme?: 'light' | 'dark'
  width?: number
  /** Without scripts. */
  script?: boolean
  /** How much larger everything is, as the browser's own zoom makes it. */
  zoom?: number
  /** In the few colours that the owner's system forces on every page. */
  forcedColours?: boolean
  /** What the page takes for the present. Its timers go on. */
  now?: Date | undefined
}

/** A window of its own, with everything that went wrong in it. */
export interface Visit extends AsyncDisposable {
  page: Page
  context: BrowserContext
  /** Console errors, policy violations, requests to elsewhere, dialogs: all that must not be. */
  troubles: string[]
  /** Goes to a path of the service and waits until the page stands. */
  go(path: string): Promise<void>
  /** The same; returns the status of the answer. */
  open(path: string): Promise<number>
  /** Types the key into the login page, as the owner does. */
  signIn(key: string): Promise<void>
}

export async function visit(
  browser: Browser,
  url: string,
  { theme = 'light', width = 1440, script = true, zoom = 1, forcedColours = false, now }: Look = {},
): Promise<Visit> {
  const context = await browser.newContext({
    colorScheme: theme,
    forcedColors: forcedColours ? 'active' : 'none',
    viewport: { width: width / zoom, height: 900 / zoom },
    deviceScaleFactor: zoom,
    javaScriptEnabled: script,
  })
  const troubles: string[] = []
  if (now) await context.clock.setFixedTime(now)
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
  page.on('requestfailed', (request) => {
    const { errorText = '' } = request.failure() ?? {}
    // A page that is left drops what it was asking for.
    if (errorText === 'net::ERR_ABORTED') return
    troubles.push(`${request.method()} ${request.url()} failed: ${errorText}`)
  })
  const open = async (path: string): Promise<number> => {
    const answer = await page.goto(`${url}${path}`, { waitUntil: 'load' })
    return answer?.status() ?? 0
  }
  return {
    page,
    context,
    troubles,
    async go(path) {
      await open(path)
    },
    open,
    async signIn(key) {
      await page.goto(`${url}/console/login?next=%2Fconsole%2Fnotes`)
      await page.getByLabel('Key of this installation').fill(key)
      await page.getByRole('button', { name: 'Open the console' }).click()
      await page.waitForURL(/\/console\/notes/)
    },
    [Symbol.asyncDispose]: () => context.close(),
  }
}

/** A window of the owner, who is signed in, on a page that hears what happens. */
export async function visitLive(
  browser: Browser,
  { url, key }: { url: string; key: string },
  path: string,
): Promise<Visit> {
  const window = await visit(browser, url)
  await window.signIn(key)
  await window.go(path)
  await window.page.locator('[data-live][data-state=live]').waitFor({ state: 'attached' })
  return window
}

/** How far the page is wider than the window, in pixels. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** Texts whose contrast axe leaves undecided, each with the reason. The tokens' own test computes it for them. */
const UNDECIDED: readonly { why: string; html: RegExp; reason: string }[] = [
  { why: 'shortTextContent', html: /./, reason: 'a single sign may be no text at all' },
  { why: 'nonBmp', html: /./, reason: 'an emoji has colours of its own' },
  {
    why: 'elmPartiallyObscuring',
    html: /^<(?:a|p|span|td|mark)[ >]/,
    reason: 'a name that is cut at the end of its column, or a definition over its figure',
  },
  {
    why: 'elmPartiallyObscured',
    html: /^<t[hd][ >]/,
    reason: 'a wide table of a text scrolls below the edge of its sheet',
  },
  {
    why: 'bgOverlap',
    html: /^<(?:td|mark|small)[ >]/,
    reason: 'the cell beside such a name, or a found word within it',
  },
]

/** What a person who cannot see, or not well, or has no mouse, would stumble over: on the page, or in a part. */
export async function seriousFindings(page: Page, part?: string): Promise<string[]> {
  if (part && (await page.locator(part).count()) === 0) return []
  // No page has frames, which need a second page to be judged; and of what is right nobody reads.
  const axe = new AxeBuilder({ page })
    .setLegacyMode(true)
    .options({ resultTypes: ['violations', 'incomplete'] })
  const { violations, incomplete } = await (part ? axe.include(part) : axe).analyze()
  const serious = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`))
  const undecided = incomplete
    .filter(({ id }) => id === 'color-contrast')
    .flatMap(({ nodes }) => nodes.map(({ html, any }) => ({ html, why: any[0]?.data?.messageKey })))
    .filter((one) => !UNDECIDED.some(({ why, html }) => one.why === why && html.test(one.html)))
    .map(({ html, why }) => `contrast undecided (${why}): ${html.slice(0, 160)}`)
  return [...serious, ...undecided]
}
