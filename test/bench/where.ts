/**
 * Where the time of five calls goes: for one agent, on both databases, beside what nothing can be faster than. Writes
 * `docs/figures.md` when it has asked both.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { callsOf, openCallers, type Claiming } from './calls/kinds.ts'
import { since, spentBy, type Spent } from './calls/processor.ts'
import { databases, openStanding, type Kind, type Standing } from './calls/store.ts'
import { floorOf, type FloorTimes } from './calls.ts'
import { rounded, temporary, timed } from './measure.ts'
import type { BenchOptions, Report } from './run.ts'
import type { Noted } from './where/inside.ts'
import { figuresPage } from './where/page.ts'
import { partsOf, type Parts } from './where/parts.ts'

const HERE = fileURLToPath(new URL('../../', import.meta.url))
const INSIDE = new URL('where/inside.ts', import.meta.url).href
const PAGE = join(HERE, 'docs/figures.md')
/** Databases that the page tells of. */
const KINDS = 2
const ITEMS = 1_000
/** Before and within a spell. */
const [WARM, CALLS] = [40, 60]
/** What a call leaves to the background is told within a second; it belongs to the spell. */
const AFTER_MS = 1_500
const POLL_MS = 50

/** One kind of call on one database, per call. */
export interface Where {
  kind: Kind
  tool: string
  parts: Parts
  spent: Spent
}

export async function whereTimeGoes({ log, calls }: BenchOptions): Promise<Report> {
  const found: Where[] = []
  const floors = new Map<Kind, FloorTimes>()
  for (const kind of databases()) {
    if (calls.databases && !calls.databases.includes(kind)) continue
    floors.set(kind, await floorOf(kind))
    found.push(...(await measure(kind, log)))
  }
  if (floors.size === KINDS) {
    await writeFile(PAGE, await figuresPage({ found, floors, items: ITEMS, calls: CALLS }))
    log(`written: ${PAGE}`)
  } else log('nothing is written: the page tells of both databases')
  return { rows: found.map(rowOf), missed: [] }
}

const rowOf = ({ kind, tool, parts, spent }: Where) => ({
  ...{ database: kind, tool, p50: rounded(parts.median), client: rounded(parts.client) },
  ...{ database_waits: rounded(parts.waits), durable: rounded(parts.durable) },
  ...{ main: rounded(spent.main), engine: rounded(spent.engine), rest: rounded(spent.rest) },
})

async function measure(kind: Kind, log: (line: string) => void): Promise<Where[]> {
  await using folder = await temporary()
  const file = join(folder.path, 'noted.json')
  // From its sources, so that what runs is told by room.
  await using standing = await openStanding(HERE, kind, ITEMS, {
    program: 'src/main.ts',
    env: { NODE_OPTIONS: `--import ${INSIDE}`, BENCH_WHERE: file, UV_THREADPOOL_SIZE: '16' },
  })
  log(`${kind}: the store stands`)
  const [caller] = (await openCallers(standing, 1)) as [Claiming]
  const found: Where[] = []
  for (const [tool, ask] of Object.entries(callsOf(standing))) {
    let made = 0
    const once = () => ask(caller, 10_000 + made++)
    for (let n = 0; n < WARM; n++) await once()
    await sleep(AFTER_MS)
    const { noted, times, spent } = await spell(standing, file, once)
    const parts = partsOf(noted, times)
    const each = (ms: number): number => ms / CALLS
    const perCall = { main: each(spent.main), engine: each(spent.engine), rest: each(spent.rest) }
    found.push({ kind, tool, parts, spent: perCall })
    log(JSON.stringify(rowOf(found.at(-1)!)))
  }
  caller[Symbol.dispose]()
  return found
}

async function spell({ pid, backends }: Standing, file: string, once: () => Promise<unknown>) {
  await signal(pid, file, (text) => text === 'begun')
  const before = await spentBy(pid, await backends())
  const times: number[] = []
  for (let n = 0; n < CALLS; n++) times.push(await timed(once))
  await sleep(AFTER_MS)
  const spent = since(before, await spentBy(pid, await backends()))
  const noted = await signal(pid, file, (text) => text.startsWith('{'))
  return { noted: JSON.parse(noted) as Noted, times, spent }
}

/** Tells the service that a spell begins or ends, and waits until its file says so. */
async function signal(pid: number, file: string, said: (text: string) => boolean): Promise<string> {
  await writeFile(file, '')
  process.kill(pid, 'SIGUSR2')
  for (;;) {
    const text = await readFile(file, 'utf8')
    if (said(text)) return text
    await sleep(POLL_MS)
  }
}
