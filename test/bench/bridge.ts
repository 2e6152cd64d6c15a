import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { openStub } from '../helpers/mcp-stub.ts'
import { median, rounded, temporary, timed } from './measure.ts'
import type { BenchOptions, Report } from './run.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/loam-hook.mjs', import.meta.url))
const PAIRS = 15
/** To the list of the tools, in starts of Node alone. */
const LIMIT = 3.5

const FRAMES = [
  { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18' } },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
]

/** From the start of the bridge to its first answers, with a service that answers at once, in starts of Node alone. */
export async function bridgeTimes({ log }: BenchOptions): Promise<Report> {
  await using stub = await openStub()
  await using folder = await temporary()
  const env = { PATH: process.env['PATH'], HOME: folder.path }
  const config = join(folder.path, '.config/loam/client.yaml')
  await mkdir(dirname(config), { recursive: true })
  await writeFile(config, `url: ${stub.url}\nkey_file: ${folder.path}/key\n`)
  await writeFile(join(folder.path, 'key'), stub.key)
  const report: Report = { rows: [], missed: [] }
  const pairs: { node: number; initialize: number; list: number }[] = []
  for (let pair = 0; pair <= PAIRS; pair++) {
    const node = await timed(() => once(spawn(process.execPath, ['-e', '0']), 'exit'))
    const [initialize = NaN, list = NaN] = await answers(env, folder.path)
    // The first one fills the cache of compiled code.
    if (pair > 0) pairs.push({ node, initialize, list })
  }
  for (const what of ['initialize', 'list'] as const) {
    const ratio = rounded(median(pairs.map((pair) => pair[what] / pair.node)))
    const ms = rounded(median(pairs.map((pair) => pair[what])))
    const row = { 'answer to': what, ms, 'starts of Node': ratio }
    report.rows.push(row)
    log(JSON.stringify(row))
    if (what === 'list' && ratio > LIMIT) report.missed.push(`the tools after ${ratio} starts`)
  }
  return report
}

/** Milliseconds from the start of a bridge to each of its answers. */
async function answers(env: NodeJS.ProcessEnv, cwd: string): Promise<number[]> {
  const began = performance.now()
  const args = [PROGRAM, 'bridge', '--client', 'codex']
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] })
  for (const frame of FRAMES) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`)
  const times: number[] = []
  for await (const _ of createInterface({ input: child.stdout })) {
    times.push(performance.now() - began)
    if (times.length === 2) child.stdin.end()
  }
  return times
}
