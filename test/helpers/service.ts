import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { seedCluster, testDatabase } from './database.ts'

/** As every way to start it has them; see bin/loam.mjs. */
export const LEAN = ['--max-semi-space-size=16']
export const PROGRAM = fileURLToPath(new URL('../../bin/loam.mjs', import.meta.url))

export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

/** The service as its owner runs it: a process of its own, in a folder of its own. */
export interface Service extends AsyncDisposable {
  url: string
  key: string
  pid: number
  process: ChildProcess
  dataDir: string
  /** What it printed so far. */
  stdout(): string
  stderr(): string
  /** Resolves when it has ended, for whatever reason. */
  ended(): Promise<Finished>
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Finished>
}

interface Where {
  /** Home and working directory; the data directory is `loam-data` in it. */
  folder: string
  env?: Record<string, string>
  program?: string
  /** Begins with nothing at all, rather than with a migrated database, which is faster. */
  fresh?: boolean
  /** A command that it is run under: another user, other limits. */
  under?: string[]
}

/** Runs one command to its end. */
export async function loam(
  args: string[],
  { folder, env, program = PROGRAM }: Where,
): Promise<Finished> {
  const options = { cwd: folder, env: await environment(folder, env) }
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error ? ((error.code as number | undefined) ?? null) : 0, stdout, stderr })
    })
  })
}

/** Starts `loam serve` on a free port and waits until it listens. Throws with what it said instead. */
export async function startService({
  folder,
  env,
  program = PROGRAM,
  fresh = false,
  under = [],
}: Where): Promise<Service> {
  const dataDir = join(folder, 'loam-data')
  if (!fresh) await seedCluster(dataDir)
  const [command = '', ...args] = [...under, process.execPath, ...LEAN, program, 'serve']
  const child = spawn(command, args, {
    cwd: folder,
    env: await environment(folder, { LOAM_ADDR: '127.0.0.1:0', ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const ended = once(child, 'close').then(([code]) => ({
    code: code as number | null,
    stdout,
    stderr,
  }))

  const listening = new Promise<string>((resolve) => {
    child.stdout.on('data', () => {
      const [, url] = /listens on (http\S+)\n[^]*\n\n.*connect one that/.exec(stdout) ?? []
      if (url) resolve(url)
    })
  })
  const url = await Promise.race([listening, ended])
  if (typeof url !== 'string') throw new Error(`loam serve ended with ${url.code}: ${url.stderr}`)

  const stop: Service['stop'] = (signal = 'SIGTERM') => {
    child.kill(signal)
    return ended
  }
  const key = env?.['LOAM_MCP_API_KEY'] ?? (await readFile(join(dataDir, 'api-key'), 'utf8')).trim()
  return {
    url,
    key,
    pid: child.pid ?? 0,
    process: child,
    dataDir,
    stdout: () => stdout,
    stderr: () => stderr,
    ended: () => ended,
    stop,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) await stop('SIGKILL')
    },
  }
}

/** Nothing of the surrounding configuration; the database of the run. */
export async function environment(folder: string, env: Record<string, string> = {}) {
  const { url } = await testDatabase({ onDisk: join(folder, 'loam-data') })
  const ours = Object.entries(process.env).filter(([name]) => !/^(LOAM_|DATABASE_URL)/.test(name))
  return {
    ...Object.fromEntries(ours),
    HOME: folder,
    ...(url && { LOAM_DATABASE_URL: url }),
    ...env,
  }
}
