import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startService } from '../helpers/service.ts'
import { headersWith, INITIALIZE, openWire } from '../helpers/wire.ts'
import { median, resident, rounded, temporary } from './measure.ts'
import type { BenchOptions, Report } from './run.ts'

const SERVER = fileURLToPath(new URL('noop-server.ts', import.meta.url))
const run = promisify(execFile)
const ROUNDS = 5
const CALLS = 400
const LIMIT = 1.5
/** From the start of the process to the first listing, on a store that stands, with joined code: seconds. */
const START_LIMIT = 1.2
/** Of a service that nobody asks anything, half a minute after its start: MiB. */
const IDLE_LIMIT = { embedded: 300, server: 130 }
/** Of the same, at most until then: a start must fit beside what else a small machine holds. */
const MOST_LIMIT = { embedded: 400, server: 200 }
const IDLE_MS = 30_000
const MIB = 1024 * 1024
const JOIN = fileURLToPath(new URL('../../bin/join-code.mjs', import.meta.url))
const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
/** As an owner's machine says to a service; see bin/loam.mjs. */
const FRUGAL = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' }

const CALL = { method: 'tools/call', params: { name: 'noop', arguments: { word: 'nothing' } } }
const LIST = { method: 'tools/list' }

/** The endpoint in the SDK's own of the same, the start of the service, and what it holds when idle. */
export async function mcpTimes({ log }: BenchOptions): Promise<Report> {
  const report: Report = { rows: [], missed: [] }
  const add = (what: string, figures: Record<string, number>, missed: boolean): void => {
    report.rows.push({ what, ...figures })
    const shown = Object.entries(figures).map(([name, figure]) => `${name} ${figure}`)
    log(`${what}: ${shown.join(', ')}`)
    if (missed) report.missed.push(`${what}: ${shown.join(', ')}`)
  }
  await inTheSdks(add)
  await startAndIdle(add)
  return report
}

type Add = (what: string, figures: Record<string, number>, missed: boolean) => void

/** A call that does nothing, and a listing, through the whole stack and through the SDK alone. */
async function inTheSdks(add: Add): Promise<void> {
  const servers = [await startNoop('sdk'), await startNoop('loam')]
  try {
    for (const [what, message] of Object.entries({ 'no-op call': CALL, 'tools/list': LIST })) {
      const rounds: { sdk: number; loam: number }[] = []
      for (let round = 0; round <= ROUNDS; round++) {
        const [sdk, loam] = await interleaved(servers, message)
        // The first round warms both up.
        if (round > 0) rounds.push({ sdk: sdk!, loam: loam! })
      }
      const ratio = rounded(median(rounds.map(({ sdk, loam }) => loam / sdk)))
      const [sdk, loam] = [median(rounds.map((r) => r.sdk)), median(rounds.map((r) => r.loam))]
      const figures = { 'SDK ms': rounded(sdk), 'Loam ms': rounded(loam), 'in M': ratio }
      add(what, figures, ratio > LIMIT)
    }
  } finally {
    for (const { child } of servers) child.kill('SIGKILL')
  }
}

/** The process as its owner runs it, on a store that was there before: from its sources, and from joined code. */
async function startAndIdle(add: Add): Promise<void> {
  await using folder = await temporary()
  const [first, again]: [number[], number[]] = [[], []]
  let memory = { now: NaN, most: NaN }
  for (let round = 0; round <= 2 * ROUNDS; round++) {
    if (round === ROUNDS + 1) await joinCode(folder.path)
    const began = performance.now()
    await using service = await startService({
      folder: folder.path,
      env: { ...FRUGAL, XDG_CACHE_HOME: join(folder.path, 'cache') },
    })
    await (await openWire(service)).ask('tools/list')
    const seconds = (performance.now() - began) / 1_000
    // The very first one makes the store, and compiles what it reads.
    if (round > 0) (round > ROUNDS ? again : first).push(seconds)
    if (round < 2 * ROUNDS) continue
    await sleep(IDLE_MS)
    memory = await resident(service.pid)
  }
  const kind = process.env['LOAM_TEST_DATABASE_URL'] ? 'server' : 'embedded'
  // Seconds are of a machine that has nothing else to do.
  const calm = loadavg()[0]! <= availableParallelism()
  add('start to first answer, from sources', { seconds: rounded(median(first)) }, false)
  const seconds = rounded(median(again))
  const late = calm && kind === 'embedded' && seconds > START_LIMIT
  add('start to first answer', { seconds }, late)
  const [idle, most] = [memory.now / MIB, memory.most / MIB]
  add('resident, idle', { MiB: Math.round(idle) }, idle > IDLE_LIMIT[kind])
  add('resident, at most', { MiB: Math.round(most) }, most > MOST_LIMIT[kind])
}

/** What a service has done for its next start, a minute after its own. */
async function joinCode(folder: string): Promise<void> {
  const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, 'cache/loam/code') }
  await run(process.execPath, [JOIN, MAIN], { env })
}

export interface Server {
  child: ChildProcess
  ask(message: object): Promise<void>
}

/** Starts the server with the tool that does nothing, of this checkout or of another one. */
export async function startNoop(kind: 'sdk' | 'loam', program = SERVER): Promise<Server> {
  const child = spawn(process.execPath, [program, kind], { stdio: ['ignore', 'pipe', 'inherit'] })
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      const [, found] = /at (http\S+)/.exec(chunk.toString()) ?? []
      if (found) resolve(found)
    })
    child.on('exit', () => reject(new Error(`the ${kind} server did not start`)))
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers: Record<string, string> = headersWith('noop')
  const post = (message: object): Promise<string> =>
    new Promise((resolve, reject) => {
      const outgoing = request(
        new URL('/api/mcp', url),
        { method: 'POST', agent, headers },
        (incoming) => {
          incoming.resume().on('end', () => resolve(String(incoming.headers['mcp-session-id'])))
          if (incoming.statusCode !== 200) reject(new Error(`${kind}: ${incoming.statusCode}`))
        },
      )
      outgoing.on('error', reject)
      outgoing.end(JSON.stringify(message))
    })
  headers['mcp-session-id'] = await post(INITIALIZE)
  return { child, ask: async (message) => void (await post({ jsonrpc: '2.0', id: 1, ...message })) }
}

/** Median milliseconds of each server, asked in turn. */
async function interleaved(servers: readonly Server[], message: object): Promise<number[]> {
  const times = servers.map((): number[] => [])
  for (let call = 0; call < CALLS; call++) {
    for (const [index, server] of servers.entries()) {
      const started = performance.now()
      await server.ask(message)
      times[index]!.push(performance.now() - started)
    }
  }
  return times.map(median)
}
