/** A whole house on a port of its own, for whoever runs it: a test, an attack, a fault. */
import { createHash, randomBytes } from 'node:crypto'
import { globSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { buildApp, type App, type AppOptions } from '../../src/app.ts'
import type { Database } from '../../src/postgres/database.ts'
import { loadConfig } from '../../src/config.ts'
import { WrongKeys } from '../../src/http/wrong-keys.ts'
import { newId } from '../../src/kernel/id.ts'
import type { Isolation } from '../../src/projects/projects.ts'
import { connect, type Agent } from './agent.ts'
import { openTestDatabase } from './database.ts'
import { emptyTables } from './empty-tables.ts'

export interface House extends AsyncDisposable {
  /** Without `/api/mcp`. */
  url: string
  key: string
  /** The data directory. */
  dir: string
  app: App
  /** A new connection, with headers of its own on every request. */
  connect(name?: string, headers?: Record<string, string>): Promise<Agent>
  /** A session that works in the project; of a hook's making when `ambient`. Answers its id. */
  session(
    project: string,
    how?: {
      ambient?: boolean
      model?: string
      name?: string
      process?: string
      external_client?: string
      client_session_id?: string
    },
  ): Promise<string>
  /** A new connection that speaks for a session in the project, registered at this level. */
  inside(project: string, isolation?: Isolation): Promise<Agent>
  /** The recorded events of one kind, oldest first. */
  events(kind: string): Promise<EventRow[]>
  /** The row of a note. */
  note(id: string): Promise<{ updated_at: Date; content_hash: string }>
  /** The knowledge files below the data directory, sorted. */
  files(): Promise<string[]>
  /** Of a file below the data directory. */
  sha256(path: string): Promise<string>
  /** Moves the database's clock by an interval: '-1 day'. */
  moveClock(by: string): Promise<void>
  close(): Promise<void>
  /** Closes the connections and lets the minute pass in which wrong keys count. */
  leave(): Promise<unknown>
}

export interface EventRow {
  id: string
  item_id: string | null
  project: string | null
  session_id: string | null
  payload: Record<string, unknown>
}

export interface HouseOptions extends Partial<AppOptions> {
  database?: Database
  /** LOAM_* variables. */
  env?: Record<string, string>
  /** A data directory that stays when the house is closed. */
  dir?: string
  /** The same database every time the directory is opened. */
  onDisk?: boolean
  /** Is entered while the rows may still be behind the files. */
  behind?: boolean
  /** Its agents call it without a socket. */
  within?: boolean
}

/** No knowledge, and hidden from what lists files. */
const KEPT = 'kept'

/** Leaves a running house as if nothing had ever been in it. */
export async function sweepOut({ app, dir }: House): Promise<void> {
  await app.caughtUp
  await app.kernel.telemetry.flush()
  for (const root of ['notes', 'memory', 'projects']) {
    const folder = join(dir, root)
    await mkdir(folder, { recursive: true })
    // A folder with nothing in it, while there are rows still, would count as vanished.
    await writeFile(join(folder, KEPT), '')
    const names = (await readdir(folder)).filter((name) => name !== KEPT)
    await Promise.all(names.map((name) => rm(join(folder, name), { recursive: true })))
  }
  // A test may have acted as a service that leaves word of itself.
  await rm(join(dir, 'client.yaml'), { force: true })
  // The store's own row says that this directory and this database belong together.
  await emptyTables(app.database.db, ['store'])
}

/** Opens a house that is closed, and gone, when it is disposed of. */
export async function buildHouse(options: HouseOptions = {}): Promise<House> {
  const { behind = false, within = false, ...others } = options
  const { env = {}, log = testLog(), onDisk = false, ...rest } = others
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'loam-house-')))
  const key = randomBytes(16).toString('hex')
  const settings = await loadConfig({
    env: {
      ...{ HOME: dir, LOAM_DATA_DIR: dir, LOAM_MCP_API_KEY: key },
      // A round of its own, in the middle of whatever is tried.
      LOAM_GARDENER_ENABLED: 'false',
      ...env,
    },
    cwd: dir,
  })
  const { config } = settings
  const database =
    rest.database ?? (await openTestDatabase(onDisk ? { onDisk: dir, log } : { log }))
  let passedMs = 0
  const wrongKeys = new WrongKeys(() => performance.now() + passedMs)
  const given = { log, database, configured: settings }
  const app = await buildApp(config, { deadlineFactor: 100, wrongKeys, ...rest, ...given })
  await app.app.listen({ host: '127.0.0.1', port: 0 })
  if (!behind) await app.caughtUp
  const { port } = app.app.server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const { db } = database
  const agents: Agent[] = []
  let sessions = 0

  async function close(): Promise<void> {
    await Promise.allSettled(agents.map((agent) => agent.close()))
    await app.close()
    if (!options.dir) await rm(dir, { recursive: true, force: true })
  }

  const house: House = {
    url,
    key,
    dir,
    app,
    async connect(name = 'alice', headers = {}) {
      const agent = await connect({ url, key, name, headers, within: within ? app.app : undefined })
      agents.push(agent)
      return agent
    },
    async session(project, { name = `session ${sessions++}`, ...how } = {}) {
      const id = newId(new Date())
      await db
        .insertInto('sessions')
        .values({ id, name, project, ...how })
        .execute()
      return id
    },
    async inside(project, isolation = 'open') {
      if (project !== '') {
        await db
          .insertInto('projects')
          .values({ id: newId(new Date()), slug: project, name: project, isolation })
          .onConflict((conflict) => conflict.column('slug').doNothing())
          .execute()
      }
      const agent = await house.connect()
      const session = await house.session(project)
      await db
        .updateTable('mcp_sessions')
        .set({ session_id: session })
        .where('id', '=', agent.id)
        .execute()
      return agent
    },
    async events(kind) {
      await app.kernel.telemetry.flush()
      const rows = await db
        .selectFrom('events')
        .select(['id', 'item_id', 'project', 'session_id', 'payload'])
        .where('kind', '=', kind)
        .orderBy('tx')
        .orderBy('id')
        .execute()
      return rows as EventRow[]
    },
    note: (id) =>
      db
        .selectFrom('notes')
        .select(['updated_at', 'content_hash'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow(),
    async files() {
      return globSync('{notes,memory,projects}/**/*.*', { cwd: dir }).sort()
    },
    async sha256(path) {
      return createHash('sha256')
        .update(await readFile(join(dir, path)))
        .digest('hex')
    },
    async moveClock(by) {
      // What happened before happened at the time before.
      await app.kernel.telemetry.flush()
      await sql`update clock set shift = ${by}::interval`.execute(db)
    },
    close,
    leave() {
      passedMs += 60_000
      return Promise.allSettled(agents.splice(0).map((agent) => agent.close()))
    },
    [Symbol.asyncDispose]: close,
  }
  return house
}

/** Silent, unless LOAM_TEST_LOG names a level. */
const testLog = () => pino({ level: process.env['LOAM_TEST_LOG'] ?? 'silent' })
