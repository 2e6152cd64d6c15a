/** The service under fault: a process of its own, always at the same address, and its store on disk. */
import { readdir, readFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { parseDocument, type Document, type DocumentKind } from '../../src/documents/documents.ts'
import { memoryDocument, type Memory } from '../../src/memories/memories.ts'
import { noteDocument, type Note } from '../../src/notes/notes.ts'
import type { Database } from '../../src/postgres/database.ts'
import { contentHash } from '../../src/vault/paths.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { startService, type Service } from '../helpers/service.ts'
import { send } from '../helpers/wire.ts'

export const KEY = 'faulted-key-0123456789abcdef'

export interface Store {
  folder: string
  dataDir: string
  url: string
  key: string
  /** Whether there are pages to capture. */
  web: boolean
  service: Service
  /** Starts the process again, the old one having ended; answers how many milliseconds it took to listen. */
  start(env?: Record<string, string>): Promise<number>
  /** Resolves when the rows have caught up with the files; answers what that took. */
  caughtUp(): Promise<CatchUp>
}

/** What the reconcile of a start has found, as the log says. */
export interface CatchUp {
  seen: number
  indexed: number
  forgotten: number
  problems: number
  withheld: number
}

export async function openStore(
  folder: string,
  env: Record<string, string> = {},
  how: { under?: string[]; fresh?: boolean } = {},
): Promise<Store> {
  const addr = `127.0.0.1:${await freePort()}`
  const store: Store = {
    folder,
    dataDir: join(folder, 'loam-data'),
    url: `http://${addr}`,
    key: KEY,
    web: 'TEST_WEB_PORT' in env,
    service: undefined as unknown as Service,
    async start(more = {}) {
      const began = performance.now()
      const common = { LOAM_ADDR: addr, LOAM_MCP_API_KEY: KEY, LOAM_LOG_LEVEL: 'info' }
      store.service = await startService({ folder, env: { ...common, ...env, ...more }, ...how })
      return performance.now() - began
    },
    async caughtUp() {
      const end = performance.now() + 30_000
      for (;;) {
        const lines = store.service.stderr().split('\n')
        const line = lines.findLast((each) => each.includes('the rows are in line with the files'))
        if (line) return JSON.parse(line) as CatchUp
        if (performance.now() > end) throw new Error(`not caught up: ${store.service.stderr()}`)
        await sleep(20)
      }
    },
  }
  await store.start()
  return store
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}

/** Waits for /healthz to say what is wanted; answers its status code and what it said. */
export async function untilHealth(
  { url }: Store,
  wanted: (status: string) => boolean,
): Promise<string> {
  const end = performance.now() + 30_000
  for (;;) {
    const { status, body } = await send(url, { path: '/healthz' })
    if (wanted(body?.status)) return `${status} ${body?.status}`
    if (performance.now() > end) throw new Error(`healthz says ${status} ${body?.status}`)
    await sleep(50)
  }
}

/** An item's file as it lies on disk. */
export type Filed<Item = Note> = Item & { path: string; hash: string }

/** Every note on disk. Throws for a file that is not whole. */
export const notesOnDisk = (dataDir: string): Promise<Filed[]> =>
  documentsOnDisk(dataDir, noteDocument)

/** Every memory on disk. Throws for a file that is not whole. */
export const memoriesOnDisk = (dataDir: string): Promise<Filed<Memory>[]> =>
  documentsOnDisk(dataDir, memoryDocument)

async function documentsOnDisk<D extends Document>(
  dataDir: string,
  kind: DocumentKind<D>,
): Promise<Filed<D>[]> {
  const { root } = kind
  const names = await readdir(join(dataDir, root), { recursive: true }).catch(() => [])
  const files = names.filter((name) => name.endsWith('.md')).map((name) => `${root}/${name}`)
  return Promise.all(
    files.map(async (path) => {
      const bytes = await readFile(join(dataDir, path))
      const hash = contentHash(bytes)
      return { ...parseDocument(kind, { path, bytes, hash }), path, hash }
    }),
  )
}

/** What no write may leave behind. */
export async function leftovers(dataDir: string): Promise<string[]> {
  const names = await readdir(dataDir, { recursive: true }).catch(() => [])
  return names.filter((name) =>
    /\.tmp$|^\.(intents|unindexed)\/.|^\.loam-(probe|store\.)/.test(name),
  )
}

/** Where rows and files differ. The embedded database can be looked at only while no service has it. */
export async function mismatches(dataDir: string): Promise<string[]> {
  // What the engine says when it does not open is half of the finding.
  const log = pino({ level: 'error' }, pino.destination({ dest: 2, sync: true }))
  await using database = await openTestDatabase({ onDisk: dataDir, log })
  return await differences(database, dataDir)
}

/** The same, of a database that is open. */
export async function differences(database: Database, dataDir: string): Promise<string[]> {
  const found: string[] = []
  for (const [table, items] of [
    ['notes', await notesOnDisk(dataDir)],
    ['memories', await memoriesOnDisk(dataDir)],
  ] as const) {
    const { rows } = await sql<{ path: string; row: string; file: string; problem: string | null }>`
      select i.path, i.content_hash as row, f.content_hash as file, f.problem
      from ${sql.table(table)} i left join files f using (path)`.execute(database.db)
    const disk = new Map(items.map(({ path, hash }) => [path, hash]))
    for (const { path, row, file, problem } of rows) {
      if (disk.get(path) !== row || file !== row || problem !== null) found.push(path)
      disk.delete(path)
    }
    found.push(...disk.keys())
  }
  return found
}
