import { spawn, type ChildProcess } from 'node:child_process'
import { Agent, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { headersWith, INITIALIZE } from '../helpers/wire.ts'
import type { BenchOptions, Report } from './run.ts'

const SERVER = fileURLToPath(new URL('noop-server.ts', import.meta.url))
const ROUNDS = 5
const CALLS = 400
const LIMIT = 1.5

const CALL = { method: 'tools/call', params: { name: 'noop', arguments: { word: 'nothing' } } }
const LIST = { method: 'tools/list' }

/** A call that does nothing, and a listing, through the whole stack; in the SDK's own of the same. */
export async function endpointTimes({ log }: BenchOptions): Promise<Report> {
  const servers = [await start('sdk'), await start('loam')]
  const report: Report = { rows: [], missed: [] }
  try {
    for (const [what, message] of Object.entries({ 'no-op call': CALL, 'tools/list': LIST })) {
      const rounds: { sdk: number; loam: number }[] = []
      for (let round = 0; round <= ROUNDS; round++) {
        const [sdk, loam] = await interleaved(servers, message)
        // The first round warms both up.
        if (round > 0) rounds.push({ sdk: sdk!, loam: loam! })
      }
      const ratio = median(rounds.map(({ sdk, loam }) => loam / sdk))
      const [sdk, loam] = [median(rounds.map((r) => r.sdk)), median(rounds.map((r) => r.loam))]
      report.rows.push({
        what,
        'SDK ms': round3(sdk),
        'Loam ms': round3(loam),
        ratio: round3(ratio),
      })
      if (ratio > LIMIT)
        report.missed.push(`${what}: ${round3(ratio)} of the SDK's, limit ${LIMIT}`)
      log(`${what}: ${round3(ratio)}`)
    }
    return report
  } finally {
    for (const { child } of servers) child.kill('SIGKILL')
  }
}

interface Server {
  child: ChildProcess
  ask(message: object): Promise<void>
}

async function start(kind: 'sdk' | 'loam'): Promise<Server> {
  const child = spawn(process.execPath, [SERVER, kind], { stdio: ['ignore', 'pipe', 'inherit'] })
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

const median = (numbers: number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? NaN
const round3 = (number: number): number => Math.round(number * 1000) / 1000
