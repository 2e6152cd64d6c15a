import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { MARKDOWN, PAYLOADS } from '../console/bodies.ts'
import { connect, type Agent } from '../helpers/agent.ts'
import { openBrowser, visit, withoutBrowser } from '../helpers/browser.ts'
import { defineAttack, none, type Random } from './attack.ts'
import { openInProcess } from './in-process.ts'

/** How many payloads are planted when this is not a full run. */
const FEW = 6

export const plantedMarkup = defineAttack({
  id: 'S4, S5, S6',
  title: 'nothing that an agent writes runs or fetches in the owner’s browser, on any page',
  rounds: 1,

  async run({ random, full, log }) {
    if (withoutBrowser !== undefined) return log(`skipped: ${withoutBrowser}`)
    const some = (all: readonly string[]) => (full ? all : sample(all, FEW, random))
    await using product = await openInProcess()
    await using alice = await connect({ url: product.url, key: product.key })
    const ids = await plant(alice, some(PAYLOADS), some(MARKDOWN))
    await product.app.kernel.telemetry.flush()
    const events = await product.app.kernel.db.selectFrom('events').select('id').execute()

    await using browser = await openBrowser()
    await using window = await visit(browser, product.url)
    const { page } = window
    const found: unknown[] = []
    const look = async (path: string) => {
      await window.go(path)
      for (const node of await dangerous(page)) found.push({ path, node })
    }
    for (const text of some(PAYLOADS)) {
      const query = new URLSearchParams({ next: text, error: text }).toString()
      await look(`/console/login?${query}`)
    }
    await window.signIn(product.key)
    for (const id of ids) {
      for (const shape of ['', '?reader=1', '?peek=1']) await look(`/console/notes/${id}${shape}`)
    }
    for (const { id } of events.slice(0, full ? Infinity : 2 * FEW)) {
      await look(`/console/events/${id}`)
    }
    for (const text of some(PAYLOADS)) {
      const q = new URLSearchParams({ q: text, notice: text, error: text }).toString()
      await look(`/console/search?${q}`)
      await look(`/console/notes?${q}`)
      await look(`/console/notes/${encodeURIComponent(text.slice(0, 30))}`)
    }
    await throughScripts(page, () => look('/console/notes'), ids.length)
    for (const node of await dangerous(page)) found.push({ path: 'by script', node })
    log(`${ids.length} notes, ${events.length} events`)
    none(found, 'a node that could do something')
    // An unknown address is a 404, which the browser mentions.
    none(
      window.troubles.filter((trouble) => !/status of 40[04]/.test(trouble)),
      'something that ran, was forbidden by the policy, or reached out',
    )
  },
})

/** Every payload in every field that takes it. Answers the ids of the notes. */
async function plant(
  agent: Agent,
  payloads: readonly string[],
  bodies: readonly string[],
): Promise<string[]> {
  const ids: string[] = []
  const write = async (note: Record<string, unknown>) => {
    const answer = await agent.raw('notes_create', note)
    const { id } = (answer.structuredContent ?? {}) as { id?: string }
    if (!answer.isError && id) ids.push(id)
  }
  for (const [i, text] of payloads.entries()) {
    await agent.raw('project_create', { name: `${i} ${text}`, description: text, slug: `p-${i}` })
    const fields = { title: `${i} ${text}`, description: text, tags: [text, `t${i}`] }
    await write({ ...fields, body: text, source_url: text, project: `p-${i}` })
    await write({ ...fields, body: text, project: 'atlas' })
    await agent.raw('recall', { query: text, project: 'atlas' })
    await agent.raw('notes_read', { slug: text })
  }
  for (const [i, body] of bodies.entries()) {
    await write({ title: `Body ${i}`, body, project: 'atlas' })
  }
  assert.ok(ids.length >= bodies.length, 'most notes are taken')
  return ids
}

/** The reader and the palette put answers of the service into the page by script. */
async function throughScripts(page: Page, library: () => Promise<void>, rows: number) {
  await library()
  for (let row = 0; row < Math.min(rows, 40); row++) {
    await page.keyboard.press('j')
    await page.waitForTimeout(30)
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
      'svg:not(.icon)',
      'svg *:not(path, circle, rect)',
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
