/** A day of events in minutes: what each of two pages keeps of 144,000 frames and 3,000 refreshes. */
import type { CDPSession, Page } from 'playwright-core'
import { openBrowser, visit } from '../helpers/browser.ts'
import { rounded } from './measure.ts'
import { openService } from './service.ts'

const REFRESHES = 3_000
const FIRST = 300
const FRAMES = 144_000
/**
 * What a page keeps is told without the engine's own work, which goes on for longer than the first refreshes: it compiles
 * what runs often, notes how, and forgets what rests.
 */
const ENGINE =
  '--js-flags=--no-opt --no-maglev --no-sparkplug --no-lazy-feedback-allocation --no-flush-bytecode'

/** Stands in for the stream, so that a second passes when the bench says so. */
const FAKE_STREAM = () => {
  Reflect.deleteProperty(globalThis, 'SharedWorker')
  class FakeSource extends EventTarget {
    constructor() {
      super()
      Object.assign(globalThis, { stream: this })
      queueMicrotask(() => this.dispatchEvent(new Event('open')))
    }
    close() {}
  }
  Object.assign(globalThis, { EventSource: FakeSource, refreshes: 0 })
  addEventListener('loam:refreshed', () => (globalThis as any).refreshes++)
}

interface Frames {
  count: number
  kind: string
  /** When the first of them happened. */
  ts: string
  n: number
}

const send = (page: Page, frames: Frames) =>
  page.evaluate(({ count, kind, ts, n }) => {
    const { stream } = globalThis as any
    for (let at = 0; at < count; at++) {
      const event = { id: `${n}-${at}`, ts, kind, project: 'p', summary: 'x' }
      stream.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(event) }))
    }
  }, frames)

/** The pages that are open for a day: a rail of texts, and the feed, which holds what arrives. */
const DAYS = [
  { path: '/console/notes', kind: 'note.written', suffix: '' },
  { path: '/console/interactions', kind: 'tool.call', suffix: ' of the feed' },
]

export async function openDays(env: Record<string, string>, log: (line: string) => void) {
  const figures: Record<string, number> = {}
  for (const day of DAYS) Object.assign(figures, await openDay(day, env, log))
  return figures
}

async function openDay(
  { path, kind, suffix }: (typeof DAYS)[number],
  env: Record<string, string>,
  log: (line: string) => void,
): Promise<Record<string, number>> {
  await using service = await openService(env)
  const agent = await service.connect()
  const ids: string[] = []
  for (let n = 0; n < 60; n++) {
    const { id } = await agent.call('notes_create', { title: `Note ${n}`, body: 'b', project: 'p' })
    ids.push(String(id))
  }
  await using browser = await openBrowser(ENGINE)
  await using window = await visit(browser, service.url)
  const { page, context } = window
  await context.addInitScript(FAKE_STREAM)
  await window.signIn(service.key)
  await page.clock.install()
  await window.go(path)
  const cdp = await context.newCDPSession(page)
  await cdp.send('Performance.enable')
  let first = { heap: 0, nodes: 0, listeners: 0 }
  for (let n = 1; n <= REFRESHES; n++) {
    const ts = new Date().toISOString()
    const id = ids[n % ids.length]!
    // As long as before, so that what the page shows does not grow.
    await agent.call('notes_update', { id, body: `line ${n % 7}` })
    // So the feed holds as many rows as it may by the time of the first look.
    if (kind === 'tool.call') await agent.call('notes_read', { id })
    await send(page, { count: FRAMES / REFRESHES, kind, ts, n })
    await refreshed(page, n)
    // What a first look leaves behind itself is not the page's.
    if (n === FIRST / 2) await kept(cdp)
    if (n === FIRST) first = await kept(cdp)
    if (n % FIRST === 0) log(`${path}: ${n} refreshes, ${JSON.stringify(await kept(cdp))}`)
  }
  const last = await kept(cdp)
  const growth = (name: keyof typeof first): number => rounded(100 * (last[name] / first[name] - 1))
  const row = {
    [`heap growth %${suffix}`]: growth('heap'),
    [`nodes growth %${suffix}`]: growth('nodes'),
    [`listeners growth %${suffix}`]: growth('listeners'),
  }
  log(`a day of ${path}: ${JSON.stringify({ first, last, ...row })}`)
  return row
}

/** Lets the page's clock run until the page was refreshed once more. */
async function refreshed(page: Page, n: number): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    await page.clock.runFor(1_100)
    const done = await page
      .waitForFunction((n) => (globalThis as any).refreshes >= n, n, {
        timeout: 1_000,
        polling: 10,
      })
      .then(() => true)
      .catch(() => false)
    if (done) return
  }
  throw new Error(`the page was not refreshed for the ${n}th time`)
}

/** Some collections may leave a whole page that was only read: the stack looked as if it held it. */
const MOST_COLLECTIONS = 10

async function kept(cdp: CDPSession): Promise<Kept> {
  // What is let go of by the first is collected by the second.
  let least = await collected(cdp)
  for (let n = 0, same = 0; n < MOST_COLLECTIONS && same < 2; n++) {
    const next = await collected(cdp)
    same = next.nodes < least.nodes ? 0 : same + 1
    if (next.nodes <= least.nodes) least = next
  }
  return least
}

interface Kept {
  heap: number
  nodes: number
  listeners: number
}

async function collected(cdp: CDPSession): Promise<Kept> {
  await cdp.send('HeapProfiler.collectGarbage')
  const { metrics } = await cdp.send('Performance.getMetrics')
  const of = (name: string): number => metrics.find((each) => each.name === name)!.value
  return { heap: of('JSHeapUsedSize'), nodes: of('Nodes'), listeners: of('JSEventListeners') }
}
