/**
 * This checkout beside another one, as their users meet them: the same calls in turn, in pairs.
 *
 * Each pair asks both the same calls, one by one in turn, and gives the ratio of the two medians. Of all pairs' ratios the median is told, with its 95 % interval by the percentile
 * bootstrap (Efron and Tibshirani 1993, chapter 13).
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect, type Agent } from '../helpers/agent.ts'
import { testDatabase } from '../helpers/database.ts'
import { startService, type Service } from '../helpers/service.ts'
import { median, rounded, temporary, timed } from './measure.ts'
import { startNoop } from './mcp.ts'
import type { Report } from './run.ts'

const HERE = fileURLToPath(new URL('../../', import.meta.url))
/** What a change may cost at most, by the upper end of the interval. */
const LIMIT = 1.08
const BURST = 40
const MEMORIES = 600
const SAMPLES = 10_000

/** One call of a burst, told apart by its number. */
type Call = (n: string) => Promise<unknown>
interface Side extends AsyncDisposable {
  calls: Record<string, Call>
}
type OpenSide = (checkout: string) => Promise<Side>

const COMPARED: Record<string, OpenSide> = { mcp: endpoint, writes, recall }

export const comparable = Object.keys(COMPARED)

export async function compare(
  name: string,
  { against, pairs, log }: { against: string; pairs: number; log: (line: string) => void },
): Promise<Report> {
  const open = COMPARED[name]
  if (!open) throw new Error(`no comparison "${name}"; there are ${comparable.join(', ')}`)
  await using here = await open(HERE)
  await using there = await open(against)
  const report: Report = { rows: [], missed: [] }
  const ratios: Record<string, { ratio: number; here: number; there: number }[]> = {}
  for (let pair = 0; pair <= pairs; pair++) {
    for (const what of Object.keys(here.calls)) {
      const [mine, other] = await inTurn(here.calls[what]!, there.calls[what]!, `${what}-${pair}`)
      // The first pair warms both up.
      if (pair > 0) (ratios[what] ??= []).push({ ratio: mine / other, here: mine, there: other })
    }
  }
  for (const [what, all] of Object.entries(ratios)) {
    const [low, high] = interval(all.map(({ ratio }) => ratio))
    const row = {
      what,
      pairs: all.length,
      'here ms': rounded(median(all.map(({ here }) => here))),
      'there ms': rounded(median(all.map(({ there }) => there))),
      ratio: rounded(median(all.map(({ ratio }) => ratio))),
      low: rounded(low),
      high: rounded(high),
    }
    report.rows.push(row)
    log(JSON.stringify(row))
    if (high >= LIMIT) report.missed.push(`${what}: up to ${row.high} of the other, limit ${LIMIT}`)
  }
  return report
}

/**
 * Median milliseconds of one call of each, asked in turn: what slows the machine down meets both. Who
 * goes first changes with each call.
 */
async function inTurn(here: Call, there: Call, name: string): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []]
  const sides = [here, there] as const
  for (let n = 0; n < BURST; n++) {
    for (const side of n % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      times[side].push(await timed(() => sides[side](`${name}-${n}`)))
    }
  }
  return [median(times[0]), median(times[1])]
}

/** Where the median lies, at 95 %: medians of samples drawn again from the given ones. */
function interval(values: readonly number[]): [number, number] {
  const medians = Array.from({ length: SAMPLES }, () =>
    median(values.map(() => values[Math.floor(Math.random() * values.length)]!)),
  ).toSorted((a, b) => a - b)
  return [medians[Math.floor(SAMPLES * 0.025)]!, medians[Math.floor(SAMPLES * 0.975)]!]
}

/** A call that does nothing and a listing, through the endpoint alone. */
async function endpoint(checkout: string): Promise<Side> {
  const server = await startNoop('loam', join(checkout, 'test/bench/noop-server.ts'))
  const params = { name: 'noop', arguments: { word: 'nothing' } }
  return {
    calls: {
      'no-op call': () => server.ask({ method: 'tools/call', params }),
      'tools/list': () => server.ask({ method: 'tools/list' }),
    },
    [Symbol.asyncDispose]: async () => void server.child.kill('SIGKILL'),
  }
}

const body = 'A finding of some length, as agents write them. '.repeat(40)

async function writes(checkout: string): Promise<Side> {
  const { agent, close } = await openProduct(checkout)
  const memory = (name: string) => ({
    name,
    kind: 'reference',
    description: `What was found as ${name}`,
    body,
    project: 'atlas',
  })
  const { id } = await agent.call('notes_create', {
    title: 'Log',
    body: 'Begun.',
    project: 'atlas',
  })
  return {
    calls: {
      memory_write: (n) => agent.call('memory_write', memory(n)),
      notes_create: (n) => agent.call('notes_create', { title: n, body, project: 'atlas' }),
      notes_update: (n) => agent.call('notes_update', { id, body: `${body} ${n}` }),
      tasks_add: (n) => agent.call('tasks_add', { title: n, project: 'atlas' }),
    },
    [Symbol.asyncDispose]: close,
  }
}

async function recall(checkout: string): Promise<Side> {
  const { agent, close } = await openProduct(checkout)
  let read = ''
  for (let n = 0; n < MEMORIES; n++) {
    const memory = await agent.call('memory_write', {
      name: `fact ${n}`,
      kind: 'reference',
      description: `What holds of ${word(n)} and ${word(n * 7 + 1)}`,
      body: Array.from({ length: 60 }, (_, i) => word(n * 13 + i * i)).join(' '),
      project: 'atlas',
    })
    read = String(memory['id'])
  }
  return {
    calls: {
      recall: (n) => agent.call('recall', { query: questionOf(n), project: 'atlas' }),
      memory_read: () => agent.call('memory_read', { id: read }),
      tasks_ready: () => agent.call('tasks_ready', { project: 'atlas' }),
    },
    [Symbol.asyncDispose]: close,
  }
}

/** Made words, common ones and rare ones. */
const word = (n: number): string =>
  `w${Math.floor((n * 7919) % 997 ** (1 + (n % 3) / 3)).toString(36)}`
const questionOf = (name: string): string => {
  const seed = [...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 100_000
  return [1, 5, 11, 23].map((step) => word(seed * step)).join(' ')
}

/** The whole product of a checkout as its owner runs it, on a new store. */
async function openProduct(checkout: string): Promise<{ agent: Agent; close(): Promise<void> }> {
  const folder = await temporary()
  const dataDir = join(folder.path, 'loam-data')
  await testDatabase({ onDisk: dataDir, empty: true })
  const program = join(checkout, 'bin/loam.mjs')
  const service: Service = await startService({ folder: folder.path, program, fresh: true })
  const agent = await connect(service)
  return {
    agent,
    async close() {
      await agent.close()
      await service[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}
