/** A store of so many items, and the service of a checkout on it, as its owner runs it. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { renderDocument } from '../../../src/documents/documents.ts'
import { newId } from '../../../src/kernel/id.ts'
import { memoryDocument } from '../../../src/memories/memories.ts'
import { testDatabase } from '../../helpers/database.ts'
import { startService } from '../../helpers/service.ts'
import { send } from '../../helpers/wire.ts'
import { temporary } from '../measure.ts'
import { since, spentBy } from './processor.ts'
import { wordsOf } from './words.ts'

export type Kind = 'embedded' | 'server'

/** The databases that this run has. */
export const databases = (): Kind[] =>
  process.env['LOAM_TEST_DATABASE_URL'] ? ['embedded', 'server'] : ['embedded']

export interface Standing extends AsyncDisposable {
  endpoint: string
  key: string
  pid: number
  /** The server's processes that serve it; none of the embedded database. */
  backends(): Promise<number[]>
  /** The ids of some memories in it. */
  memories: readonly string[]
}

/** Other than as its owner starts it. */
interface Started {
  program?: string
  env?: Record<string, string>
}

/** How many of the memories are known by id. */
const KNOWN = 200
const CATCH_UP_MS = 600_000

/**
 * A service that takes no more of a processor than this has done what follows an import, when it stays so for longer than
 * the minute after which the last part of that begins: the learning of a model.
 */
const QUIET = 0.1
const LOOK_MS = 2_000
const QUIET_LOOKS = 35
const SETTLE_MS = 300_000
/** As long as the service's own timers wait, and half as long again. */
const REST_MS = 1_500
const LONGEST_REST_MS = 15_000

/**
 * Writes the items as files, from which a first start makes the rows, and waits until it has, and until what it does by
 * itself afterwards is done: what is measured are calls.
 */
export async function openStanding(
  checkout: string,
  kind: Kind,
  items: number,
  { program = 'bin/loam.mjs', env = {} }: Started = {},
): Promise<Standing> {
  const folder = await temporary()
  const dataDir = join(folder.path, 'loam-data')
  const memories = await writeItems(dataDir, items)
  const onServer = kind === 'server'
  const url = onServer ? (await testDatabase({ onDisk: dataDir, empty: true })).url : undefined
  const service = await startService({
    folder: folder.path,
    program: join(checkout, program),
    fresh: true,
    env: { LOAM_DATABASE_URL: url ?? '', ...env },
  })
  await untilCaughtUp(service.url)
  await untilQuiet(service.pid)
  return {
    endpoint: new URL('/api/mcp', service.url).href,
    key: service.key,
    pid: service.pid,
    memories: memories.slice(0, KNOWN),
    backends: async () => (url === undefined ? [] : await backendsOf(url)),
    async [Symbol.asyncDispose]() {
      await service.stop()
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** Six of ten in one project, one of ten global, the others in nine projects. */
const projectOf = (n: number): string =>
  n % 10 < 6 ? 'atlas' : n % 10 === 6 ? '' : `other-${Math.floor(n / 10) % 9}`

async function writeItems(dataDir: string, items: number): Promise<string[]> {
  const at = new Date()
  const ids: string[] = []
  for (let n = 0; n < items; n++) {
    const [id, name, project] = [newId(at), `fact-${n}`, projectOf(n)]
    const folder = join(dataDir, 'memory', project || '_global')
    if (n < 200) await mkdir(folder, { recursive: true, mode: 0o700 })
    const links = n > 10 && n % 5 === 0 ? `\n\nSee [[fact-${n - 10}]].` : ''
    const memory = {
      ...{ id, name, project, kind: 'reference' as const, tags: ['made'], extra: {}, uncut: false },
      ...{ created: at, updated: at, valid_from: at, invalid_at: null, superseded_by: '' },
      ...{ model: '', favorite: false, source_session: '' },
      description: `What holds of ${wordsOf(n, 8)}`,
      body: `${wordsOf(n, 60)}${links}\n`,
    }
    await writeFile(join(folder, `${name}.md`), renderDocument(memoryDocument, memory))
    if (project === 'atlas') ids.push(id)
  }
  return ids
}

async function untilCaughtUp(url: string): Promise<void> {
  const end = performance.now() + CATCH_UP_MS
  for (;;) {
    const { body } = await send(url, { path: '/healthz' })
    if (body?.status === 'ok') return
    if (performance.now() > end) throw new Error(`the store is still ${body?.status}`)
    await sleep(200)
  }
}

async function untilQuiet(pid: number): Promise<void> {
  const end = performance.now() + SETTLE_MS
  for (let quiet = 0; quiet < QUIET_LOOKS && performance.now() < end;) {
    const before = await spentBy(pid, [])
    await sleep(LOOK_MS)
    const { main, engine, rest } = since(before, await spentBy(pid, []))
    quiet = main + engine + rest < QUIET * LOOK_MS ? quiet + 1 : 0
  }
}

/** Waits until it has done what calls left to the background, so that nothing of it meets whoever is measured next. */
export async function untilRested({ pid, backends }: Standing): Promise<void> {
  const end = performance.now() + LONGEST_REST_MS
  for (let rests = false; !rests && performance.now() < end;) {
    const before = await spentBy(pid, await backends())
    await sleep(REST_MS)
    const { main, engine, rest } = since(before, await spentBy(pid, await backends()))
    rests = main + engine + rest < QUIET * REST_MS
  }
}

/** The processes of a server on this machine that serve a database. */
async function backendsOf(url: string): Promise<number[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ pid: number }>(
      `select pid from pg_stat_activity
       where datname = current_database() and application_name = 'loam'`,
    )
    return rows.map(({ pid }) => pid)
  } finally {
    await client.end()
  }
}
