/** A store to be briefed from: rows as the rooms write them, and a kernel that reads them. */
import { tellStatistics } from '../../src/usage/usage.ts'
import { sql } from 'kysely'
import { pino } from 'pino'
import { loadConfig } from '../../src/config.ts'
import { nothingBehind } from '../../src/kernel/catch-up.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { newId } from '../../src/kernel/id.ts'
import type { Kernel } from '../../src/kernel/kernel.ts'
import { wordsOf } from '../../src/passages/words.ts'
import { vectorOf } from '../../src/passages/store.ts'
import type { Isolation } from '../../src/projects/projects.ts'
import { recount } from '../../src/tasks/tasks.ts'
import { noChat } from './chat.ts'
import { openTestDatabase } from './database.ts'

export interface Memory {
  project?: string
  name: string
  kind?: string
  description?: string
  /** Days since it was changed last. */
  age?: number
  favorite?: boolean
  invalid?: boolean
  status?: string
  gate?: string
}

export interface Store {
  kernel: Kernel
  warnings: string[]
  /** Empties everything and forgets all settings. */
  clear(): Promise<void>
  project(slug: string, how?: { isolation?: Isolation; parent?: string }): Promise<void>
  memory(memory: Memory): Promise<string>
  memories(rows: Memory[]): Promise<void>
  session(session: {
    project?: string
    name: string
    findings?: string
    status?: string
    ambient?: boolean
    age?: number
  }): Promise<string>
  task(task: {
    project?: string
    title: string
    status?: string
    plan?: string
    claimed_by?: string
    lease?: string
    after?: string[]
    age?: number
  }): Promise<string>
  note(note: {
    project: string
    title: string
    tags: string[]
    source_url?: string
    age?: number
  }): Promise<string>
  families(families: Record<string, string[]>): Promise<void>
  /** The captured plan that a session works on. */
  workingOn(session: string, plan: string, status: string): Promise<void>
  setting(key: string, value: unknown): Promise<void>
  demand(id: string, raw: number): Promise<void>
  /** By as many sessions as read it when they had been shown it. */
  used(item: string, times: number): Promise<void>
  mishap(project: string, ids: string[], age?: number): Promise<void>
  /** The kernel with other configuration. */
  with(env: Record<string, string>): Promise<Kernel>
  close(): Promise<void>
}

const TABLES = [
  'memories',
  'notes',
  'tasks',
  'task_deps',
  'task_totals',
  'sessions',
  'session_totals',
  'session_plans',
  'projects',
  'families',
  'settings',
  'item_stats',
  'session_items',
  'events',
  'event_items',
  'passages',
  'lexeme_stats',
  'lexeme_totals',
  'passage_totals',
  'passage_changes',
]

export async function openStore(): Promise<Store> {
  const database = await openTestDatabase()
  const { db } = database
  const warnings: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) })
  const kernelOf = async (env: Record<string, string>): Promise<Kernel> => {
    const { config } = await loadConfig({ env: { HOME: '/', ...env }, cwd: '/' })
    return {
      db,
      config,
      log,
      clock: systemClock,
      catchUp: nothingBehind,
      chat: noChat,
      reactions: [],
    } as unknown as Kernel
  }
  const kernel = await kernelOf({})
  const ago = (days = 0) => sql<Date>`loam_now() - make_interval(secs => ${days * 86_400})`
  const id = (): string => newId(new Date())

  const store: Store = {
    kernel,
    warnings,
    async clear() {
      warnings.length = 0
      // On tables of a few rows far faster than to truncate them.
      await sql.raw(TABLES.map((name) => `delete from ${name}`).join(';')).execute(db)
    },
    async project(slug, { isolation = 'open', parent } = {}) {
      await db
        .insertInto('projects')
        .values({ id: id(), slug, name: slug, isolation, parent_slug: parent ?? null })
        .execute()
    },
    async memory(memory) {
      const own = id()
      await insert([memory], () => own)
      return own
    },
    memories: (rows) => insert(rows, id),
    async session({
      project = '',
      name,
      findings = '',
      status = 'completed',
      ambient = false,
      age,
    }) {
      const own = id()
      await db
        .insertInto('sessions')
        .values({ id: own, project, name, findings, status, ambient, updated_at: ago(age) })
        .execute()
      return own
    },
    async task({ project = '', title, status = 'open', plan = '', claimed_by = '', ...more }) {
      const own = id()
      const { lease, after = [], age } = more
      const lease_expires_at = lease ? sql<Date>`loam_now() + ${lease}::interval` : null
      await db
        .insertInto('tasks')
        .values({
          id: own,
          project,
          title,
          status,
          plan,
          claimed_by,
          lease_expires_at,
          created_at: ago(age),
          updated_at: ago(age),
        })
        .execute()
      for (const depends_on of after) {
        await db.insertInto('task_deps').values({ task_id: own, depends_on }).execute()
      }
      await recount(kernel)
      return own
    },
    async note({ project, title, tags, source_url = '', age }) {
      const own = id()
      const at = ago(age)
      await db
        .insertInto('notes')
        .values({
          id: own,
          project,
          slug: own,
          title,
          body: 'canary-of-the-note',
          tags,
          source_url,
          path: own,
          content_hash: '',
          created_at: at,
          updated_at: at,
        })
        .execute()
      return own
    },
    async families(families) {
      const rows = Object.entries(families).flatMap(([family, members]) =>
        members.map((project) => ({ family, project })),
      )
      await db.insertInto('families').values(rows).execute()
    },
    async workingOn(session_id, plan, status) {
      await db.insertInto('session_plans').values({ session_id, plan, status }).execute()
    },
    async setting(key, value) {
      await db
        .insertInto('settings')
        .values({ key, value: JSON.stringify(value) })
        .onConflict((conflict) =>
          conflict.column('key').doUpdateSet({ value: JSON.stringify(value) }),
        )
        .execute()
    },
    async demand(item, raw) {
      await db
        .insertInto('item_stats')
        .values({ kind: 'memory', id: item, read_raw: raw, as_of: sql<Date>`loam_now()` })
        .execute()
    },
    async used(item, times) {
      const row = { project: '', findings: '', status: 'completed', ambient: true }
      for (let nth = 0; nth < times; nth++) {
        const session_id = id()
        const now = sql<Date>`loam_now()`
        await db
          .insertInto('sessions')
          .values({ ...row, id: session_id, name: session_id, updated_at: ago(60) })
          .execute()
        await db
          .insertInto('session_items')
          .values({ session_id, item_id: item, shown_at: now, read_at: now })
          .execute()
      }
    },
    async mishap(project, ids, age) {
      const payload = JSON.stringify({ description: 'it went wrong', item_ids: ids })
      await db
        .insertInto('events')
        .values({
          id: id(),
          ts: ago(age),
          kind: 'agent.mishap',
          transport: false,
          project,
          payload,
        })
        .execute()
      await tellStatistics(db)
    },
    with: kernelOf,
    close: () => database.close(),
  }

  async function insert(rows: Memory[], newId: () => string): Promise<void> {
    for (let from = 0; from < rows.length; from += 500) {
      await db
        .insertInto('memories')
        .values(
          rows.slice(from, from + 500).map((memory) => {
            const { project = '', name, kind = 'reference', description = `about ${name}` } = memory
            const own = newId()
            const at = ago(memory.age)
            return {
              id: own,
              project,
              name,
              kind,
              description,
              body: 'canary-of-the-body',
              favorite: memory.favorite ?? false,
              stage_status: memory.status ?? '',
              stage_gate: memory.gate ?? '',
              valid_from: at,
              invalid_at: memory.invalid ? at : null,
              path: `memory/${project || '_global'}/${name}.md`,
              content_hash: own,
              created_at: at,
              updated_at: at,
              heading: sql<string>`${vectorOf(wordsOf(`${name}\n${description}`).counts)}::tsvector`,
            }
          }),
        )
        .execute()
    }
  }
  return store
}
