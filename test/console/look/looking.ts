/** Looks at sights in a browser, and says all that is wrong with them. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import pLimit from 'p-limit'
import type { Browser, Page } from 'playwright-core'
import { overflow, seriousFindings, visit, type Visit } from '../../helpers/browser.ts'
import { openGap } from '../../helpers/gap.ts'
import type { Glance, NamedLook } from './looks.ts'
import { STORES, type OpenStore, type Stores } from './stores.ts'

export interface Finding {
  /** `notes-nothing, dark-390`. */
  where: string
  what: string
}

interface Looking {
  browser: Browser
  stores: Stores
  /** Where pictures are kept; none are taken where this is left out. */
  folder?: string
  /** Windows at once. */
  windows?: number
  /** Called after each glance. */
  seen?(glance: Glance, findings: readonly Finding[]): void
}

export async function lookAt(glances: readonly Glance[], looking: Looking): Promise<Finding[]> {
  const { stores, folder, windows = 2 } = looking
  if (folder !== undefined) await mkdir(folder, { recursive: true })
  const findings: Finding[] = []
  for (const store of STORES) {
    const own = glances.filter(({ sight }) => sight.store === store)
    if (own.length === 0) continue
    const limit = pLimit(windows)
    const open = await stores.open(store)
    const byLook = [...Map.groupBy(own, ({ look }) => look)]
    const found = byLook.map(([look, its]) => limit(() => lookThrough(its, look, open, looking)))
    findings.push(...(await Promise.all(found)).flat())
  }
  return findings
}

/** All that is looked at in the same way, in one window. */
async function lookThrough(
  glances: readonly Glance[],
  look: NamedLook,
  open: OpenStore,
  looking: Looking,
): Promise<Finding[]> {
  const { browser, seen } = looking
  const { house, now, rewind } = open
  await rewind()
  const signedIn = async (url = house.url): Promise<Visit> => {
    const window = await visit(browser, url, { ...look, now })
    await window.signIn(house.key)
    return window
  }
  const findings: Finding[] = []
  const [own, common] = partition(glances, ({ sight }) => Boolean(sight.signedOut ?? sight.relayed))
  const note = (glance: Glance, whats: readonly string[]): void => {
    const where = `${glance.sight.name}, ${look.name}`
    const all = whats.map((what) => ({ where, what }))
    findings.push(...all)
    seen?.(glance, all)
  }
  if (common.length > 0) {
    await using window = await signedIn()
    for (const glance of common) note(glance, await glanceAt(glance, window, open, looking))
  }
  for (const glance of own) {
    await using gap = await openGap(house.url)
    const { signedOut, relayed } = glance.sight
    const url = relayed ? gap.url : house.url
    await using window = signedOut
      ? await visit(browser, url, { ...look, now })
      : await signedIn(url)
    note(glance, await glanceAt(glance, window, { ...open, cut: () => gap.cut() }, looking))
  }
  return findings
}

/** Pixels. */
const HIGHEST = 16_000

const noWay = async (): Promise<void> => {
  throw new Error('only what is looked at through a relay can be cut off')
}

type Around = OpenStore & { cut?(): Promise<void> }

/** @returns what is wrong with it */
async function glanceAt(
  { sight, look, judged }: Glance,
  window: Visit,
  around: Around,
  { folder }: Looking,
): Promise<string[]> {
  const { page, troubles } = window
  const { name, path, status = 200, prepare, relayed, over } = sight
  troubles.length = 0
  const found: string[] = []
  try {
    const answer = await window.open(path)
    if (answer !== status) found.push(`is answered with ${answer}, not ${status}`)
    await prepare?.(page, { ...around, cut: around.cut ?? noWay })
    await settled(page, look)
    if (folder !== undefined) {
      await page.screenshot({ path: join(folder, `${name}-${look.name}.png`) })
    }
    const wide = await overflow(page)
    if (wide > 0) found.push(`is ${wide} px wider than the window`)
    found.push(...(await outside(page)), ...(await cut(page)))
    if (judged) found.push(...(await inFull(page, over)))
  } catch (error) {
    found.push(String(error instanceof Error ? error.message.split('\n')[0] : error))
  }
  // The browser says of each refusal that it was one, and of a service that is away that it is.
  const expected = status === 200 ? undefined : `status of ${status}`
  const others = troubles.filter((trouble) => expected === undefined || !trouble.includes(expected))
  return [...found, ...(relayed ? [] : others)]
}

/** What moves has come to rest, and the light of the stream has its colour. */
async function settled(page: Page, { script = true }: NamedLook): Promise<void> {
  if (script) {
    await page
      .locator('#live[data-state=waiting]')
      .waitFor({ state: 'detached', timeout: 2_000 })
      .catch(() => {})
  }
  await page.evaluate(() => document.fonts.ready.then(() => undefined))
}

/** Judges a page in a window in which all of it is seen: nothing scrolls, and no head lies over a row. */
async function inFull(page: Page, over: string | undefined): Promise<string[]> {
  const size = page.viewportSize()!
  const height = await page.evaluate(() => {
    const boxes = [...document.querySelectorAll('html, .rail, .reader, .peek-body')]
    return Math.max(...boxes.map(({ scrollHeight }) => scrollHeight)) + 200
  })
  await page.setViewportSize({ ...size, height: Math.min(height, HIGHEST) })
  const found = await seriousFindings(page, over)
  await page.setViewportSize(size)
  return found
}

/** What can be seen in part only, since the window ends and nothing there can be scrolled. */
const outside = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const clips = (one: Element): boolean => {
      for (let box = one.parentElement; box; box = box.parentElement) {
        if (box.tagName === 'BODY') return false
        if (getComputedStyle(box).overflowX !== 'visible') return true
      }
      return false
    }
    const boxes = document.querySelectorAll('.peek-body, .rail, .reader, dialog[open]')
    const wide = [...boxes].filter((box) => box.scrollWidth > box.clientWidth + 1)
    const shown = [...document.body.querySelectorAll('*')].filter((one) => {
      const { left, right, width, height } = one.getBoundingClientRect()
      if (width <= 1 || height <= 1 || (left >= -1 && right <= innerWidth + 1)) return false
      return one.checkVisibility() && !one.closest('.skip, .aloud') && !clips(one)
    })
    return [
      ...wide.map((one) => `can be scrolled sideways: ${one.outerHTML.slice(0, 60)}`),
      ...shown
        .slice(0, 3)
        .map((one) => `reaches out of the window: ${one.outerHTML.slice(0, 120)}`),
    ]
  })

/** Figures of a table that do not fit their column: a number that ends in dots says something else. */
const cut = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const fits = (cell: Element): boolean => {
      const text = document.createRange()
      text.selectNodeContents(cell)
      const { paddingLeft, paddingRight } = getComputedStyle(cell)
      const room =
        cell.getBoundingClientRect().width - parseFloat(paddingLeft) - parseFloat(paddingRight)
      return text.getBoundingClientRect().width <= room + 0.5
    }
    const figures = [...document.querySelectorAll('.table td.end')].filter(
      (cell) => cell.checkVisibility() && /\d/.test(cell.textContent) && !fits(cell),
    )
    return figures
      .slice(0, 3)
      .map((cell) => `cuts a figure: ${cell.textContent.trim().slice(0, 40)}`)
  })

function partition<One>(all: readonly One[], test: (one: One) => boolean): [One[], One[]] {
  return [all.filter(test), all.filter((one) => !test(one))]
}
