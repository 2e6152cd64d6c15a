import { access, constants, lstat, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { request } from 'undici'
import { isLocal, loadConfig, publicUrl, type Config, type Settings } from '../config.ts'
import { withKey } from '../config/key.ts'
import { keyFile } from '../config/key-file.ts'
import type { tryEmbedder } from '../embeddings/embeddings.ts'
import { readBuild } from '../kernel/build.ts'
import { Refusal } from '../kernel/refusal.ts'
import { hearsNotifications, proveServer } from '../postgres/start-proof.ts'
import { catalog } from '../mcp/catalog.ts'
import { bridge } from './bridge.ts'
import { toolProblem, type Registered } from './doctor-tools.ts'
import { fileSystemOf } from './file-system.ts'
import { operate, runningSocket } from './operator.ts'

export interface Check {
  level: 'ok' | 'info' | 'warn' | 'fail'
  about: string
  text: string
}

const ok = (about: string, text: string): Check => ({ level: 'ok', about, text })
const info = (about: string, text: string): Check => ({ level: 'info', about, text })
const warn = (about: string, text: string): Check => ({ level: 'warn', about, text })
const fail = (about: string, text: string): Check => ({ level: 'fail', about, text })

/** Prints one line for each thing looked at. The exit code is 1 only when one of them failed. */
export async function doctor({ config: file }: { config?: string }): Promise<void> {
  for await (const { level, about, text } of checks(file)) {
    console.log(`${level.padEnd(4)}  ${about.padEnd(8)}  ${text}`)
    if (level === 'fail') process.exitCode = 1
  }
}

async function* checks(file: string | undefined): AsyncGenerator<Check> {
  const { version, commit } = readBuild()
  yield ok('version', `loam ${version}${commit && ` (${commit.slice(0, 12)})`}`)
  yield ok('node', process.versions.node)

  const settings = await loadConfig({ file }).catch(refusal)
  if (settings instanceof Refusal) {
    for (const line of settings.message.split('\n')) yield fail('config', line)
    return
  }
  yield ok('config', settings.file ?? 'no file: defaults and environment')
  if (settings.file) yield* ownerOnly('config', settings.file, 0o600)

  const there = yield* dataDirectory(settings.config.data_dir)
  const key = yield* theKey(settings)
  const running = there && (await runningSocket(settings.config.data_dir)) !== undefined
  const registered = there ? yield* store(settings, running) : undefined
  yield* service(settings, running, key, running ? registered : undefined)
}

/** Whether the data directory is there, is nobody else's business, and can be written. */
async function* dataDirectory(dir: string): AsyncGenerator<Check, boolean> {
  const found = await stat(dir).catch(() => undefined)
  if (!found) {
    yield info('data', `${dir} does not exist yet; the first "loam serve" makes it`)
    return false
  }
  if (!found.isDirectory()) {
    yield fail('data', `${dir} is not a directory`)
    return false
  }
  const writable = await access(dir, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
  if (writable) yield ok('data', dir)
  else yield fail('data', `${dir} cannot be read and written by this user`)
  yield* ownerOnly('data', dir, 0o700)
  const { name, advice } = await fileSystemOf(dir)
  yield advice ? warn('disk', `${name}: ${advice}`) : ok('disk', name)
  return true
}

/** Warns about what others may read, with the line that changes it. */
async function* ownerOnly(about: string, path: string, mode: number): AsyncGenerator<Check> {
  const found = await lstat(path)
  if (found.isSymbolicLink()) {
    yield warn(about, `${path} is a symbolic link; name the place it leads to`)
  } else if ((found.mode & 0o077) !== 0) {
    yield warn(about, `${path} is open to other users: chmod ${mode.toString(8)} ${path}`)
  }
}

async function* theKey(settings: Settings): AsyncGenerator<Check, string> {
  const config = await withKey(settings).catch(refusal)
  if (config instanceof Refusal) {
    yield fail('key', config.message)
    return ''
  }
  const { api_key: key = '' } = config?.mcp ?? {}
  const place = settings.keyFrom ?? keyFile(settings.config)
  if (!config) yield info('key', `none yet; the first "loam serve" writes one to ${place}`)
  else if (key === '') yield warn('key', `${place} is empty, so every request is refused`)
  else yield ok('key', place)
  if (config && !settings.keyFrom) yield* ownerOnly('key', place, 0o600)
  return key
}

/** The store, asked from the process that has it open or opened here under its lock. */
async function* store(
  settings: Settings,
  running: boolean,
): AsyncGenerator<Check, Registered | undefined> {
  const stands = await stat(join(settings.config.data_dir, '.loam-store')).catch(() => undefined)
  if (!running && !stands) {
    yield info('store', 'none yet; the first "loam serve" makes it')
    return undefined
  }
  const status = await operate(settings, 'status').catch(refusal)
  if (status instanceof Refusal) {
    yield fail('store', status.message)
    return undefined
  }
  const { database, problems } = status
  yield ok('store', `${status.store}${running ? ` (open in process ${status.pid})` : ''}`)
  yield ok('database', `${database.kind} PostgreSQL ${database.version}, schema ${database.schema}`)
  if (database.kind === 'server') yield* reliedOn(settings.config)
  if (problems.length === 0) yield ok('files', 'all indexed')
  for (const { path, problem } of problems) yield warn('files', `${path}: ${problem}`)
  yield vectors(status.embeddings)
  return status
}

/** What came of asking the embedding provider for one vector. */
function vectors({ on, chosen, model, dims, cause }: Awaited<ReturnType<typeof tryEmbedder>>) {
  if (on && cause === '') return ok('vectors', `${model} answers with ${dims} dimensions`)
  const text = `${cause}; recall searches by words alone`
  return on ? warn('vectors', text) : chosen ? info('vectors', text) : warn('vectors', text)
}

/** What several processes on one database rely on, proved on connections of our own. */
async function* reliedOn({ database: { url, listen_url } }: Config): AsyncGenerator<Check> {
  const config = { connectionString: url }
  try {
    await proveServer(config, new URL(url).host)
    yield ok('locks', 'kept apart between two connections; snapshots are read')
    if (await hearsNotifications({ connectionString: listen_url || url }, config))
      yield ok('feed', 'notifications arrive')
    else
      yield warn(
        'feed',
        'no notification arrives, so events are polled for: set database.listen_url to an ' +
          'address of the server that leads past the pooler',
      )
  } catch (error) {
    yield fail('database', error instanceof Refusal ? error.message : 'it cannot be looked at')
  }
}

/** Whether an agent would get an answer, and the tools it would be offered. */
async function* service(
  settings: Settings,
  running: boolean,
  key: string,
  registered: Registered | undefined,
): AsyncGenerator<Check> {
  const url = publicUrl(settings.config)
  const health = await request(`${url}/healthz`, { signal: AbortSignal.timeout(2000) }).then(
    async ({ statusCode, body }) => ({
      statusCode,
      ...((await body.json()) as { status: string }),
    }),
    () => undefined,
  )
  if (!health) {
    yield running
      ? fail('service', `runs but does not answer at ${url}: check addr and base_url`)
      : info('service', `not running at ${url}`)
    return
  }
  if (health.status === 'ok') yield ok('service', `answers at ${url}`)
  else yield warn('service', `answers at ${url}: ${health.status ?? `status ${health.statusCode}`}`)
  if (!isLocal(settings.config)) yield info('service', 'can be reached from other machines')
  if (key !== '') yield await offeredTools(url, key, registered)
}

async function offeredTools(
  url: string,
  key: string,
  registered: Registered | undefined,
): Promise<Check> {
  const offered = await listTools(url, key).catch(refusal)
  if (offered instanceof Refusal) return fail('tools', offered.message)
  const problem = toolProblem(offered, registered)
  if (problem !== null) return fail('tools', problem)
  return ok('tools', `${offered.length} of ${catalog.length} offered`)
}

/** The names of the tools, over the same way that an agent takes. */
async function listTools(url: string, key: string): Promise<string[]> {
  const frames = [
    {
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'loam-doctor', version: readBuild().version },
      },
    },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/list' },
  ]
  const answers: { id?: number; result?: { tools?: { name: string }[] } }[] = []
  await bridge({
    client: { url, key: async () => key },
    input: lines(frames.map((frame) => JSON.stringify({ jsonrpc: '2.0', ...frame }))),
    output: (line) => answers.push(JSON.parse(line)),
  })
  return answers.find(({ id }) => id === 2)?.result?.tools?.map(({ name }) => name) ?? []
}

async function* lines(all: string[]): AsyncGenerator<string> {
  for (const line of all) yield `${line}\n`
}

/** A refusal is what a check reports; anything else is a bug and goes on. */
function refusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  throw error
}
