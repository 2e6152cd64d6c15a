import type { Page } from 'playwright-core'
import { MARKDOWN, PAYLOADS } from '../console/bodies.ts'
import { openBrowser, overflow, visit, withoutBrowser, type Visit } from '../helpers/browser.ts'
import { defineAttack, none, type Random } from './attack.ts'
import { openInProcess } from './in-process.ts'
import { plant } from './planted.ts'

/** How many payloads are planted when this is not a full run. */
const FEW = 6

export const plantedMarkup = defineAttack({
  id: 'S4, S5, S6',
  title: 'nothing that an agent writes runs or fetches in the owner’s browser, on any page',
  rounds: 1,
  once: true,

  async run({ random, full, log }) {
    if (withoutBrowser !== undefined) return log(`skipped: ${withoutBrowser}`)
    const some = (all: readonly string[]) => (full ? all : sample(all, FEW, random))
    await using product = await openInProcess()
    const items = await plant(product, some(PAYLOADS), some(MARKDOWN))

    await using browser = await openBrowser()
    await using window = await visit(browser, product.url)
    const { page } = window
    const found: unknown[] = []
    const look = async (path: string) => {
      await window.go(path)
      for (const node of await dangerous(page)) found.push({ path, node })
      const wide = await overflow(page)
      if (wide > 0 && !/[?&](?:peek|reader|parts)=/.test(path)) found.push({ path, wide })
    }
    for (const text of some(PAYLOADS)) {
      const query = new URLSearchParams({ next: text, error: text }).toString()
      await look(`/console/login?${query}`)
    }
    await window.signIn(product.key)
    const pages = await crawl(window, look, full ? { most: 20, asked: 20 } : { most: 2, asked: 1 })
    for (const text of some(PAYLOADS)) {
      const q = { q: text, notice: text, error: text, 'typed.x': text }
      const query = new URLSearchParams(q).toString()
      for (const section of ['search', 'notes', 'memories', 'sessions'])
        await look(`/console/${section}?${query}`)
      await look(`/console/?${query}`)
      await look(`/console/now?${query}`)
      await look(`/console/notes/${encodeURIComponent(text.slice(0, 30))}`)
    }
    await throughScripts(window, items)
    for (const node of await dangerous(page)) found.push({ path: 'by script', node })
    log(`${items} items, ${pages} pages`)
    none(found, 'a node that could do something, or a page that is wider than its window')
    // An unknown address is a 404, which the browser mentions.
    none(
      window.troubles.filter((trouble) => !/status of 40[04]/.test(trouble)),
      'something that ran, was forbidden by the policy, or reached out',
    )
  },
})

/**
 * Follows every link from the front page on, so that no screen is missed: at most so many pages of each kind of address,
 * and of each kind of question, of which a list has many. Also the fragments of each item. Returns how many pages it saw.
 */
async function crawl(
  { page }: Visit,
  look: (path: string) => Promise<void>,
  { most, asked }: { most: number; asked: number },
): Promise<number> {
  const waiting = ['/console/']
  const known = new Set(waiting)
  const perKind = new Map<string, number>()
  let seen = 0
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const kind = path.replaceAll(/\/[0-9A-Z]{26}/g, '/ID').replaceAll(/=[^&]*/g, '=')
    const times = (perKind.get(kind) ?? 0) + 1
    perKind.set(kind, times)
    if (times > (path.includes('?') ? asked : most) || /format=json|\/(?:login|static)/.test(path))
      continue
    await look(path)
    seen++
    const links = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('a[href^="/console/"], [data-peek]')].map(
        (one) => one.dataset['peek'] ?? one.getAttribute('href')!,
      ),
    )
    const items = links.filter((link) => /\/[0-9A-Z]{26}$/.test(link))
    const readers = items.filter((link) => /\/(?:notes|memories)\//.test(link))
    for (const link of [...links, ...readers.map((link) => `${link}?reader=1`)]) {
      const [address] = link.split('#', 1)
      if (known.has(address!)) continue
      known.add(address!)
      waiting.push(address!)
    }
  }
  return seen
}

/** The reader, the pane and the palette put answers of the service into the page by script. */
async function throughScripts({ page, go }: Visit, rows: number): Promise<void> {
  for (const list of ['notes', 'memories', 'sessions', 'now']) {
    await go(`/console/${list}`)
    await page.keyboard.press('j')
    await page.keyboard.press(' ')
    for (let row = 0; row < Math.min(rows, 20); row++) {
      await page.keyboard.press('j')
      await page.waitForTimeout(30)
    }
  }
  await page.keyboard.press('Control+k')
  await page.keyboard.type('alert script body')
  await page.waitForTimeout(800)
}

/** What stands in the page that is not of our making, or leads where nothing of ours leads. */
const dangerous = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const foreign = [
      ...[
        'iframe',
        'object',
        'embed',
        'base',
        'style',
        'video',
        'audio',
        'math',
        'meta[http-equiv]',
      ],
      'script:not([src^="/console/static/"])',
      'img:not([src^="/console/static/"])',
      'link:not([href^="/console/"])',
      'form:not([action^="/console/"])',
      'svg:not(.icon, .glyph, .bars, .strip, .meter, .volume-bars, .scope-lines, .pool)',
      // The bars of a volume are links, each with its hint.
      'svg *:not(path, circle, rect, .volume-bars > a, .volume-bars > a > title)',
    ]
    const nodes = [...document.querySelectorAll(foreign.join(', '))].map((node) => node.outerHTML)
    for (const node of document.querySelectorAll('*')) {
      for (const { name, value } of node.attributes) {
        const address = ['href', 'src', 'action', 'formaction', 'xlink:href'].includes(name)
        const odd = address && !/^(?:https?:\/\/|mailto:|\/console\/|#)/.test(value)
        // A relative address of a body is looked for below the console, where there is nothing.
        const relative = node.closest('.prose') !== null && !/[:\\]|^\/\//.test(value)
        if (name.startsWith('on') || name === 'style' || (odd && !relative))
          nodes.push(node.outerHTML)
      }
    }
    return nodes.map((html) => html.slice(0, 200))
  })

function sample<Item>(all: readonly Item[], count: number, random: Random): Item[] {
  const rest = [...all]
  return Array.from({ length: count }, () => rest.splice(random.int(rest.length), 1)[0]!)
}
