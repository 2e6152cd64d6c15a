/** A day of events in minutes: what one page keeps of 144,000 frames and 3,000 refreshes. */
import type { CDPSession, Page } from 'playwright-core'
import { openBrowser, visit } from '../helpers/browser.ts'
import { rounded } from './measure.ts'
import { openService } from './service.ts'

const REFRESHES = 3_000
const FIRST = 300
const FRAMES = 144_000

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

const send = (page: Page, frames: number, n: number) =>
  page.evaluate(
    ([frames, n]) => {
      const { stream } = globalThis as any
      for (let at = 0; at < frames!; at++) {
        const event = { id: `${n}-${at}`, kind: 'note.written', project: 'p', summary: 'x' }
        stream.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(event) }))
      }
    },
    [frames, n],
  )

export async function openDay(log: (line: string) => void) {
  await using service = await openService()
  const agent = await service.connect()
  const ids: string[] = []
  for (let n = 0; n < 60; n++) {
    const { id } = await agent.call('notes_create', { title: `Note ${n}`, body: 'b', project: 'p' })
    ids.push(String(id))
  }
  await using browser = await openBrowser()
  await using window = await visit(browser, service.url)
  const { page, context } = window
  await context.addInitScript(FAKE_STREAM)
  await window.signIn(service.key)
  await page.clock.install()
  await window.go('/console/notes')
  const cdp = await context.newCDPSession(page)
  await cdp.send('Performance.enable')
  let first = { heap: 0, nodes: 0, listeners: 0 }
  for (let n = 1; n <= REFRESHES; n++) {
    await agent.call('notes_append', { id: ids[n % ids.length]!, body: `line ${n % 7}` })
    await send(page, FRAMES / REFRESHES, n)
    await refreshed(page, n)
    if (n === FIRST) first = await kept(cdp)
    if (n % 300 === 0) log(`${n} refreshes`)
  }
  const last = await kept(cdp)
  const growth = (name: keyof typeof first): number => rounded(100 * (last[name] / first[name] - 1))
  const row = {
    'heap growth %': growth('heap'),
    'nodes growth %': growth('nodes'),
    'listeners growth %': growth('listeners'),
  }
  log(`a day: ${JSON.stringify({ first, last, ...row })}`)
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

async function kept(cdp: CDPSession) {
  await cdp.send('HeapProfiler.collectGarbage')
  const { metrics } = await cdp.send('Performance.getMetrics')
  const of = (name: string): number => metrics.find((each) => each.name === name)!.value
  return { heap: of('JSHeapUsedSize'), nodes: of('Nodes'), listeners: of('JSEventListeners') }
}
