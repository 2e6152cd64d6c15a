/** The console that an owner keeps open while a fleet works: how late, how heavy and how steady its tabs are. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { inParallel, quantile } from '../attacks/attack.ts'
import type { Agent } from '../helpers/agent.ts'
import { openBrowser, visit, withoutBrowser } from '../helpers/browser.ts'
import { openGap } from '../helpers/gap.ts'
import { openProvider, type FakeProvider } from '../helpers/provider.ts'
import { openDays } from './console-day.ts'
import { rounded } from './measure.ts'
import type { BenchOptions, Report } from './run.ts'
import { openService, type Service } from './service.ts'

const TABS = 12
const SEEN = 3
const AGENTS = 32
const PER_SECOND = 10
const SPELL_MS = 60_000
/** A note, a memory and a task in turn: each is a row of the feed, and the first two of a list. */
const KINDS = 3
/**
 * What the three tabs show that are seen, and the others in turn. A rail stays where its open text is, so texts
 * are sorted by names of which each is put right behind the one that was there before all.
 */
const PAGES = ['/console/notes?sort=name', '/console/memories?sort=name', '/console/interactions']
const BEHIND = 999

const LIMITS = {
  'staleness p95 ms': 2_000,
  'hidden tab right ms': 1_000,
  streams: 1,
  'refused calls': 0,
  'longest wait ms': 3_000,
  'idle MB/h': 5,
  'busy MB/h': 60,
  'busy MB/h of the feed': 60,
  'heap growth %': 5,
  'nodes growth %': 5,
  'listeners growth %': 5,
  'heap growth % of the feed': 5,
  'nodes growth % of the feed': 5,
  'listeners growth % of the feed': 5,
}

/** What reads what is written, as the variables of a service say it: what it learns itself, when nothing is said. */
const READERS: Record<string, (encoder: FakeProvider) => Record<string, string>> = {
  store: () => ({}),
  encoder: ({ env }) => env,
  none: () => ({ LOAM_EMBEDDINGS_PROVIDER: 'off' }),
}

export async function consoleTabs({ log, beside }: BenchOptions): Promise<Report> {
  if (withoutBrowser !== undefined) throw new Error(withoutBrowser)
  const [name = 'store'] = beside ?? []
  const reader = READERS[name]
  if (!reader) throw new Error(`--beside: one of ${Object.keys(READERS).join(', ')}`)
  await using encoder = await openProvider()
  const env = reader(encoder)
  const figures = {
    ...(await fleet(env, log)),
    ...(await bytes(env, log)),
    ...(await openDays(env, log)),
  }
  if (name === 'encoder') log(`the encoder was asked ${encoder.requests.length} times`)
  const rows = Object.entries(figures).map(([what, value]) => ({
    what,
    value,
    limit: LIMITS[what as keyof typeof LIMITS] ?? '–',
  }))
  const missed = rows.filter(({ value, limit }) => typeof limit === 'number' && value > limit)
  return {
    rows,
    missed: missed.map(({ what, value, limit }) => `${what}: ${value}, limit ${limit}`),
  }
}

/** In every tab: when each row was first there, when the page was asked for, and a switch that hides it. */
const WATCH = () => {
  const firstAt: Record<string, number> = {}
  const askedAt: number[] = []
  let hidden = false
  Object.defineProperty(document, 'hidden', { get: () => hidden })
  const look = () => {
    const now = Date.now()
    for (const row of document.querySelectorAll('.rail-item, tr.row')) firstAt[row.id] ??= now
  }
  new MutationObserver(look).observe(document, { childList: true, subtree: true })
  const ask = globalThis.fetch
  globalThis.fetch = (...given) => {
    askedAt.push(Date.now())
    return ask(...given)
  }
  Object.assign(globalThis, {
    watched: { firstAt, askedAt },
    hide(now: boolean) {
      hidden = now
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
    },
  })
}

const hide = (page: Page, hidden: boolean) =>
  page.evaluate((now) => (globalThis as any).hide(now), hidden)
const watched = (page: Page): Promise<{ firstAt: Record<string, number>; askedAt: number[] }> =>
  page.evaluate(() => (globalThis as any).watched)
const isLive = (page: Page) =>
  page.locator('[data-live][data-state=live]').waitFor({ timeout: 60_000 })

/** Twelve tabs, three of which are seen, beside 32 agents at work. */
async function fleet(env: Record<string, string>, log: (line: string) => void) {
  await using service = await openService(env)
  const agents = await Promise.all(Array.from({ length: AGENTS }, () => service.connect()))
  await writeOne(agents[0]!, 0, [], 'a-first')
  await writeOne(agents[0]!, 1, [], 'a-first')
  await using browser = await openBrowser()
  await using window = await visit(browser, service.url)
  await window.context.addInitScript(WATCH)
  await window.signIn(service.key)
  const tabs: Page[] = []
  for (let n = 0; n < TABS; n++) {
    const tab = await window.context.newPage()
    await tab.goto(`${service.url}${PAGES[n % PAGES.length]}`)
    await isLive(tab)
    if (n >= SEEN) await hide(tab, true)
    tabs.push(tab)
  }
  await window.page.close()
  const { feed } = service.app.kernel
  let streams = 0
  const sampling = setInterval(() => (streams = Math.max(streams, feed.subscribers)), 200)
  const began = Date.now()
  const { written, refused } = await work(agents)
  const lasted = Date.now() - began
  clearInterval(sampling)
  await sleep(3_000)
  await service.app.kernel.telemetry.flush()
  const calls = await callsSince(service, new Date(began))
  const seen = await Promise.all(tabs.slice(0, SEEN).map(watched))
  const lates = seen.flatMap(({ firstAt }, tab) =>
    [...written, ...calls]
      .filter(({ page }) => page === PAGES[tab])
      .map(({ row, at }) => Math.max(0, (firstAt[row] ?? Infinity) - at)),
  )
  const waits = seen.flatMap(({ askedAt }) => gaps([began, ...askedAt.filter((at) => at > began)]))
  const right = [
    await shownAgain(
      tabs.at(-3)!,
      written.findLast(({ page }) => page === PAGES[0])!,
    ),
    await shownAgain(tabs.at(-1)!, calls.at(-1)!),
  ]
  const row = {
    'writes a second': rounded((written.length * 1_000) / lasted),
    'staleness p50 ms': quantile(lates, 0.5),
    'staleness p95 ms': quantile(lates, 0.95),
    'longest wait ms': Math.max(...waits),
    'hidden tab right ms': Math.max(...right),
    streams,
    'refused calls': refused,
  }
  log(`${TABS} tabs beside ${AGENTS} agents: ${JSON.stringify(row)}`)
  return row
}

const gaps = (times: readonly number[]): number[] =>
  times.slice(1).map((at, index) => at - times[index]!)

/** A row that some page shows, and since when there is what it shows. */
interface Shown {
  page: string
  /** The id of its element. */
  row: string
  at: number
}

/** How long a tab that was hidden takes to show a row once it is seen, in milliseconds. */
async function shownAgain(tab: Page, { row }: Shown): Promise<number> {
  const seenAt = Date.now()
  await hide(tab, false)
  await tab.locator(`#${row}`).waitFor({ state: 'attached', timeout: 20_000 })
  return Date.now() - seenAt
}

/** The calls of the agents, as the feed shows them. */
async function callsSince({ app }: Service, since: Date): Promise<Shown[]> {
  const rows = await app.database.db
    .selectFrom('events')
    .select(['id', 'ts'])
    .where('kind', '=', 'tool.call')
    .where('ts', '>=', since)
    .orderBy('ts')
    .orderBy('id')
    .execute()
  return rows.map(({ id, ts }) => ({ page: PAGES[2]!, row: `row-${id}`, at: ts.getTime() }))
}

/** Ten writes a second, and a question for each. Returns what was written with the time of its answer. */
async function work(agents: readonly Agent[]) {
  const written: Shown[] = []
  let refused = 0
  const began = performance.now()
  const calls: Promise<unknown>[] = []
  for (let n = 0; n < (SPELL_MS / 1_000) * PER_SECOND; n++) {
    calls.push(writeOne(agents[n % AGENTS]!, n, written).catch(() => refused++))
    calls.push(agents[(n + 7) % AGENTS]!.raw('recall', { query: `fact ${n}`, project: 'fleet' }))
    await sleep(Math.max(0, began + ((n + 1) * 1_000) / PER_SECOND - performance.now()))
  }
  await Promise.all(calls)
  return { written: written.toSorted((a, b) => a.at - b.at), refused }
}

async function writeOne(
  agent: Agent,
  n: number,
  written: Shown[],
  name = `fact-${BEHIND - n}`,
): Promise<void> {
  const project = 'fleet'
  const fact = { name, kind: 'gotcha', description: `Fact ${n}`, body: 'b', project }
  const [page, tool, given] = [
    [PAGES[0]!, 'notes_create', { title: name, body: 'b', project }] as const,
    [PAGES[1]!, 'memory_write', fact] as const,
    ['', 'tasks_add', { title: name, project }] as const,
  ][n % KINDS]!
  const { id } = await agent.call(tool, given)
  written.push({ page, row: `item-${id}`, at: Date.now() })
}

/** What one open tab receives, in megabytes an hour: while nothing happens, and at five events a second. */
async function bytes(env: Record<string, string>, log: (line: string) => void) {
  await using service = await openService(env)
  await using gap = await openGap(service.url)
  const agent = await service.connect()
  await inParallel(150, 4, async (n) => {
    await agent.call('notes_create', { title: `Note ${n}`, body: 'b '.repeat(200), project: 'p' })
  })
  await using browser = await openBrowser()
  await using window = await visit(browser, gap.url)
  await window.signIn(service.key)
  await isLive(window.page)
  await sleep(3_000)
  const idle = await received(gap, () => sleep(SPELL_MS))
  const busy = await received(gap, () => fiveASecond(service, 'Later'))
  await window.go('/console/interactions')
  await isLive(window.page)
  await sleep(3_000)
  const feed = await received(gap, () => fiveASecond(service, 'Last'))
  const row = { 'idle MB/h': idle, 'busy MB/h': busy, 'busy MB/h of the feed': feed }
  log(`one tab: ${JSON.stringify(row)}`)
  return row
}

async function received(gap: { received: number }, during: () => Promise<unknown>) {
  const [before, began] = [gap.received, Date.now()]
  await during()
  return rounded(((gap.received - before) / (Date.now() - began)) * 3.6)
}

async function fiveASecond(service: Service, name: string): Promise<void> {
  const agent = await service.connect()
  const until = performance.now() + SPELL_MS
  // A write records itself and its call: every other event is one.
  for (let n = 0; performance.now() < until; n++) {
    const next = performance.now() + 400
    await agent.call('notes_create', { title: `${name} ${n}`, body: 'b', project: 'p' })
    await sleep(Math.max(0, next - performance.now()))
  }
}
