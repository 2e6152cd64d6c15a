/**
 * Five calls as agents make them, over their own surface: one agent, eight and thirty-two, on stores of two sizes and
 * both databases. Beside another checkout they are asked in turn, burst by burst, so that what slows the machine down
 * meets both; then the ratios have to stay below the limits here. Not call by call: what a call leaves to be done behind
 * its answer would slow down the other's next call, and never its own caller's.
 */
import { fileURLToPath } from 'node:url'
import { callsOf, openCallers, type Claiming } from './calls/kinds.ts'
import { openFloor } from './calls/floor.ts'
import { since, spentBy, type Spent } from './calls/processor.ts'
import { databases, openStanding, untilRested, type Kind, type Standing } from './calls/store.ts'
import { median, rounded, timed } from './measure.ts'
import type { BenchOptions, Report } from './run.ts'

const HERE = fileURLToPath(new URL('../../', import.meta.url))
/** Calls of one burst, by how many callers share them. */
const BURST: Record<number, number> = { 1: 60, 8: 120, 32: 192 }

/** What a call may take of the other checkout's time, or has to have of its rate. */
interface Limit {
  tool: string
  clients: number
  items?: number
  /** In the other's median. */
  p50?: number
  /** In the other's calls a second. */
  rate?: number
}

/** A reading that is no slower: noise of the machine is within it. */
const AS_BEFORE = 1.1

const LIMITS: Record<Kind, readonly Limit[]> = {
  embedded: [
    { tool: 'memory_write', clients: 1, p50: 0.45 },
    { tool: 'memory_write', clients: 8, rate: 4 },
    { tool: 'recall', clients: 1, items: 1_000, p50: 0.45 },
    { tool: 'recall', clients: 1, items: 10_000, p50: 0.4 },
    { tool: 'recall', clients: 8, rate: 2.2 },
    { tool: 'memory_read', clients: 1, p50: 0.5 },
    { tool: 'tasks_ready', clients: 1, p50: 0.5 },
    { tool: 'tasks_claim', clients: 1, p50: AS_BEFORE },
  ],
  server: [
    { tool: 'memory_write', clients: 1, p50: 0.55 },
    { tool: 'memory_write', clients: 32, rate: 2.5 },
    { tool: 'recall', clients: 1, items: 10_000, p50: 0.55 },
    { tool: 'recall', clients: 8, items: 10_000, rate: 2.2 },
    { tool: 'memory_read', clients: 1, p50: 0.6 },
    { tool: 'tasks_claim', clients: 1, p50: AS_BEFORE },
  ],
}

export interface CallsOptions {
  against: string | undefined
  rounds: number
  items: readonly number[]
  clients: readonly number[]
  tools: readonly string[] | undefined
  databases: readonly string[] | undefined
}

export async function callTimes({ log, calls }: BenchOptions): Promise<Report> {
  const report: Report = { rows: [], missed: [] }
  for (const kind of databases()) {
    if (calls.databases && !calls.databases.includes(kind)) continue
    const floor = await floorOf(kind)
    log(
      `${kind}: M ${rounded(floor.call)} ms, F ${rounded(floor.file)} ms, C ${rounded(floor.commit)} ms`,
    )
    for (const items of calls.items) await measureStore(report, { kind, items, floor, log, calls })
  }
  return report
}

/** Medians of what nothing can be faster than, in milliseconds. */
export interface FloorTimes {
  call: number
  file: number
  commit: number
}

export async function floorOf(kind: Kind): Promise<FloorTimes> {
  await using floor = await openFloor(kind)
  const times = { call: [] as number[], file: [] as number[], commit: [] as number[] }
  for (let n = 0; n < 150; n++) {
    for (const what of ['call', 'file', 'commit'] as const) {
      const took = await floor[what]()
      if (n >= 30) times[what].push(took)
    }
  }
  const { call, file, commit } = times
  return { call: median(call), file: median(file), commit: median(commit) }
}

/** One service with its callers. */
interface Side {
  standing: Standing
  callers: Claiming[]
  /** How many calls were made. */
  made: number
}

interface Burst {
  /** Milliseconds of each call. */
  times: number[]
  /** Of all of them. */
  wall: number
  spent: Spent
}

interface Store {
  kind: Kind
  items: number
  floor: FloorTimes
  log: (line: string) => void
  calls: CallsOptions
}

async function measureStore(report: Report, { kind, items, floor, log, calls }: Store) {
  const { against, rounds, clients } = calls
  await using here = await openStanding(HERE, kind, items)
  await using there = against ? await openStanding(against, kind, items) : undefined
  log(`${kind}, ${items} items: the stores stand`)
  const sides: Side[] = []
  for (const standing of there ? [here, there] : [here]) {
    const callers = await openCallers(standing, Math.max(...clients))
    sides.push({ standing, callers, made: 0 })
  }
  for (const tool of Object.keys(callsOf(here))) {
    if (calls.tools && !calls.tools.includes(tool)) continue
    for (const count of clients) {
      const bursts: Burst[][] = []
      // The first round warms everything up.
      for (let round = 0; round <= rounds; round++) {
        const burst = await inTurn(sides, tool, count, round)
        if (round > 0) bursts.push(burst)
      }
      const row = { database: kind, items, tool, clients: count, ...rowOf(bursts, floor, tool) }
      report.rows.push(row)
      log(JSON.stringify(row))
      if (against) report.missed.push(...missedBy(LIMITS[kind], row))
    }
  }
  for (const { callers } of sides) for (const caller of callers) caller[Symbol.dispose]()
}

/**
 * A burst of each side, and who goes first changes. Processor time is that of all that the calls led to, also behind
 * their answers.
 */
async function inTurn(sides: Side[], tool: string, count: number, round: number): Promise<Burst[]> {
  const bursts = new Map<Side, Burst>()
  for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
    const before = await spent(side)
    const burst = await together(side, tool, count)
    await untilRested(side.standing)
    bursts.set(side, { ...burst, spent: since(before, await spent(side)) })
  }
  return sides.map((side) => bursts.get(side)!)
}

const spent = async ({ standing }: Side): Promise<Spent> =>
  spentBy(standing.pid, await standing.backends())

function once(side: Side, tool: string, caller: number): Promise<unknown> {
  return callsOf(side.standing)[tool]!(side.callers[caller]!, side.made++)
}

/** All callers at once, each with its next call when the last one is answered. */
async function together(side: Side, tool: string, count: number): Promise<Omit<Burst, 'spent'>> {
  let left = BURST[count] ?? count * 8
  const times: number[] = []
  const wall = await timed(() =>
    Promise.all(
      Array.from({ length: count }, async (_, caller) => {
        while (left-- > 0) times.push(await timed(() => once(side, tool, caller)))
      }),
    ),
  )
  return { times, wall }
}

function rowOf(bursts: Burst[][], floor: FloorTimes, tool: string) {
  const [p50, rate] = [bursts.map((of) => of.map(p50Of)), bursts.map((of) => of.map(rateOf))]
  const mine = bursts.map(([burst]) => burst!)
  const all = mine.flatMap(({ times }) => times)
  const perCall = (part: keyof Spent): number =>
    rounded(mine.reduce((sum, { spent }) => sum + spent[part], 0) / all.length)
  const ms = median(p50.map(([here]) => here!))
  const least = tool === 'memory_write' ? floor.file + floor.commit : floor.call
  return {
    'p50 ms': rounded(ms),
    'p95 ms': rounded(all.toSorted((a, b) => a - b)[Math.floor(all.length * 0.95)]!),
    'a second': Math.round(median(rate.map(([here]) => here!))),
    [tool === 'memory_write' ? 'in F + C' : 'in M']: rounded(ms / least),
    'main ms': perCall('main'),
    'engine ms': perCall('engine'),
    'rest ms': perCall('rest'),
    ...(p50[0]!.length > 1 && {
      'other p50 ms': rounded(median(p50.map(([, there]) => there!))),
      'other a second': Math.round(median(rate.map(([, there]) => there!))),
      'p50 ratio': rounded(median(p50.map(([here, there]) => here! / there!))),
      'rate ratio': rounded(median(rate.map(([here, there]) => here! / there!))),
      'processor ratio': rounded(
        median(bursts.map(([here, there]) => processorOf(here!) / processorOf(there!))),
      ),
    }),
  }
}

/** Of the whole service, for a call. A machine that is busy with other things changes it least. */
const processorOf = ({ times, spent: { main, engine, rest } }: Burst): number =>
  (main + engine + rest) / times.length
const p50Of = ({ times }: Burst): number => median(times)
const rateOf = ({ times, wall }: Burst): number => (times.length / wall) * 1_000

type Row = { items: number; tool: string; clients: number } & Record<string, string | number>

function missedBy(limits: readonly Limit[], row: Row): string[] {
  const what = `${row['database']}, ${row.items} items, ${row.tool}, ${row.clients} at once`
  return limits.flatMap(({ tool, clients, items, p50, rate }) => {
    if (tool !== row.tool || clients !== row.clients || (items ?? row.items) !== row.items)
      return []
    const [time, speed] = [Number(row['p50 ratio']), Number(row['rate ratio'])]
    return [
      ...(p50 !== undefined && time > p50
        ? [`${what}: p50 ${time} of the other, limit ${p50}`]
        : []),
      ...(rate !== undefined && speed < rate
        ? [`${what}: ${speed} × the rate, limit ${rate}`]
        : []),
    ]
  })
}
