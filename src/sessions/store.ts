import { sql, type SqlBool } from 'kysely'
import type { Db } from '../kernel/kernel.ts'
import { isolationOf, searchedOf, type Level, type Scope } from '../projects/projects.ts'

export const SESSION_STATUSES = ['active', 'completed', 'expired'] as const
export type SessionStatus = (typeof SESSION_STATUSES)[number]

/** A session as other rooms see it. */
export interface SessionRow {
  id: string
  name: string
  /** '' is the global scope. */
  project: string
  isolation: Level
  status: SessionStatus
  model: string
  cwd: string
  source: string
  /** Made by a client's hook, not by session_start. */
  ambient: boolean
  external_client: string
  client_session_id: string
  /** The key of the client's process that announced it last; '' when there is none. */
  process: string
  first_prompt: string
  findings: string
  /** The findings are the client's last words, and not what the agent wrote. */
  harvested: boolean
}

/** Tokens as a client reports them: of the whole session so far. */
export interface Tokens {
  input?: number
  cached?: number
  cache_creation?: number
  output?: number
}

const COLUMNS = [
  'id',
  'name',
  'project',
  'status',
  'model',
  'cwd',
  'source',
  'ambient',
  'external_client',
  'client_session_id',
  'process',
  'first_prompt',
  'findings',
] as const

/** A call that names no session means an ambient one only if it was alive since then, and does not rest. */
const MEANT = sql<Date>`loam_now() - coalesce(idle_minutes * interval '1 minute', interval '6 hours')`

const rows = (db: Db) =>
  db
    .selectFrom('sessions')
    .select(COLUMNS)
    .select([
      sql<boolean>`metadata ? 'harvested'`.as('harvested'),
      isolationOf('sessions.project').as('isolation'),
    ])
    .$narrowType<{ status: SessionStatus }>()

export const getSession = (db: Db, id: string): Promise<SessionRow> =>
  rows(db).where('id', '=', id).executeTakeFirstOrThrow()

/** Locked until the transaction ends. */
export async function lockSession(db: Db, id: string): Promise<void> {
  await db.selectFrom('sessions').select('id').where('id', '=', id).forUpdate().execute()
}

export async function isActive(db: Db, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('sessions')
    .select('status')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.status === 'active'
}

export const findNamed = (db: Db, name: string): Promise<SessionRow | undefined> =>
  rows(db).where('name', '=', name).forUpdate().executeTakeFirst()

/** The sessions that a call without one could mean, those heard last; two are ambiguous already. */
export const meantAmbients = (db: Db): Promise<SessionRow[]> =>
  rows(db)
    .where('status', '=', sql.lit('active'))
    .where('ambient', '=', true)
    .where('updated_at', '>', MEANT)
    .orderBy('updated_at', 'desc')
    .orderBy('id')
    .limit(20)
    .execute()

/** Ambient sessions that are alive in the same directory, and of this client when it is known; at most two. */
export const ambientsAt = (db: Db, cwd: string, client: string): Promise<SessionRow[]> =>
  rows(db)
    .where('status', '=', sql.lit('active'))
    .where('ambient', '=', true)
    .where('cwd', '=', cwd)
    .$if(client !== '', (found) => found.where('external_client', '=', client))
    .where('updated_at', '>', MEANT)
    .orderBy('id')
    .limit(2)
    .forUpdate()
    .execute()

/** Every session of the client's own, the ambient one first. */
export const ofClient = (db: Db, client: string, external: string): Promise<SessionRow[]> =>
  rows(db)
    .where('external_client', '=', client)
    .where('client_session_id', '=', external)
    .orderBy('ambient', 'desc')
    .orderBy('id')
    .execute()

export interface NewSession {
  id: string
  name: string
  project: string
  cwd: string
  source: string
  model: string
  external_client?: string
  client_session_id?: string
  process?: string
  ambient?: boolean
  metadata?: object
  /** What its user had asked when it began. */
  first_prompt?: string
}

/** False when its name is taken, or its client has an ambient session already. */
export async function insertSession(db: Db, session: NewSession): Promise<boolean> {
  const { metadata = {}, ...row } = session
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('sessions')
    .values({ ...row, first_model: row.model, metadata: JSON.stringify(metadata) })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Never earlier than it was: the clock may have stepped. */
const NOW = sql<Date>`greatest(loam_now(), updated_at)`

/** What a change may set. An empty model or project is one that is not known. A silent one is no sign of life. */
export interface Change {
  status?: SessionStatus
  project?: string
  model?: string
  findings?: string
  harvested?: boolean
  tokens?: Tokens
  isSilent?: boolean
}

export async function changeSession(db: Db, id: string, change: Change): Promise<void> {
  const { status, project, model, findings, harvested, tokens, isSilent } = change
  await db
    .updateTable('sessions')
    .set({
      ...(!isSilent && { updated_at: NOW }),
      // One that comes back is at work.
      ...(status && { status, ...(status === 'active' && { idle_minutes: null }) }),
      ...(project !== undefined && { project }),
      ...(model && { model, first_model: firstModel(model) }),
      ...(findings !== undefined && { findings }),
      ...(harvested === true && { metadata: sql`metadata || '{"harvested": true}'` }),
      ...(harvested === false && { metadata: sql`metadata - 'harvested'` }),
      ...(tokens && tokenColumns(tokens)),
    })
    .where('id', '=', id)
    .execute()
}

/**
 * What a client reports of its own session after that has ended. It is no sign of life, and takes nothing back: a
 * report of a process that ended earlier may come late.
 */
export async function putTokens(
  db: Db,
  client: string,
  external: string,
  tokens: Tokens,
): Promise<void> {
  const told = Object.entries(tokenColumns(tokens)).map(([column, count]) => [
    column,
    sql<number>`greatest(${sql.ref(column)}, ${count})`,
  ])
  await db
    .updateTable('sessions')
    .set(Object.fromEntries(told))
    .where('external_client', '=', client)
    .where('client_session_id', '=', external)
    .where('ambient', '=', true)
    .where('status', '<>', sql.lit('active'))
    .execute()
}

/** The first one that is known stays. */
const firstModel = (model: string) =>
  sql<string>`case when first_model = '' then ${model} else first_model end`

function tokenColumns({ input, cached, cache_creation, output }: Tokens) {
  return {
    ...(input !== undefined && { input_tokens: input }),
    ...(cached !== undefined && { cached_tokens: cached }),
    ...(cache_creation !== undefined && { cache_creation_tokens: cache_creation }),
    ...(output !== undefined && { output_tokens: output }),
  }
}

/** What a sign of life says of its session. */
export interface Sign {
  client: string
  external: string
  /** '' when it is not said. */
  model: string
  /** Minutes of silence that make it idle, as its turn has ended; null: a turn runs; undefined: not said. */
  idle_minutes?: number | null | undefined
  /** The first line of what its user asked; '' when nothing was. Only the first one is kept. */
  asked: string
}

/** A sign of life for what is active; nothing revives here. */
export async function touch(
  db: Db,
  { client, external, model, idle_minutes, asked }: Sign,
): Promise<void> {
  const rest = idle_minutes === undefined ? sql`idle_minutes` : sql`${idle_minutes}::integer`
  await sql`
    with due as (
      select id from sessions
      where external_client = ${client} and client_session_id = ${external}
        and client_session_id <> '' and status = 'active'
        and (updated_at < loam_now() - interval '1 second' or model <> ${model} and ${model} <> ''
          or idle_minutes is distinct from ${rest} or first_prompt = '' and ${asked} <> '')
      order by id for no key update)
    update sessions set updated_at = greatest(loam_now(), updated_at), idle_minutes = ${rest},
      model = case when ${model} = '' then model else ${model} end,
      first_model = ${firstModel(model)},
      first_prompt = case when first_prompt = '' then ${asked} else first_prompt end
    from due where sessions.id = due.id`.execute(db)
}

/** The lab that a session has open; '' when there is none. */
export async function labOfSession(db: Db, id: string): Promise<string> {
  const row = await db.selectFrom('sessions').select('lab').where('id', '=', id).executeTakeFirst()
  return row?.lab ?? ''
}

export async function openSessionLab(db: Db, id: string, lab: string): Promise<void> {
  await db.updateTable('sessions').set({ lab }).where('id', '=', id).execute()
}

/** Silent ones whose time is over, the longest first. */
export async function listSilent(db: Db, minutes: number, most: number): Promise<string[]> {
  const found = await db
    .selectFrom('sessions')
    .select('id')
    .where(silent(minutes))
    .orderBy('updated_at')
    .limit(most)
    .execute()
  return found.map(({ id }) => id)
}

/** Whether the session was still silent, and is expired now. Its last sign of life stays as it was. */
export async function expire(db: Db, id: string, minutes: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('sessions')
    .set({ status: 'expired' })
    .where('id', '=', id)
    .where(silent(minutes))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/**
 * Whether no session is active, and so no task claimed. That stays so until the transaction ends. Throws
 * when a session is being written at the moment.
 */
export async function isNoneActive(db: Db): Promise<boolean> {
  await sql`lock table sessions in share row exclusive mode nowait`.execute(db)
  const active = db.selectFrom('sessions').select('id').where('status', '=', sql.lit('active'))
  return (await active.limit(1).executeTakeFirst()) === undefined
}

const silent = (minutes: number) =>
  sql<SqlBool>`status = 'active' and updated_at < loam_now() - ${minutes} * interval '1 minute'`

/** Active memories of these scopes whose name stands somewhere in the text. */
export function memoriesIn(
  db: Db,
  text: string,
  scope: Scope,
): Promise<{ id: string; name: string }[]> {
  return db
    .selectFrom('memories')
    .select(['id', 'name'])
    .where('project', 'in', [...searchedOf(scope)])
    .where('invalid_at', 'is', null)
    .where(sql<SqlBool>`strpos(${text}, name) > 0`)
    .orderBy('id')
    .execute()
}

/** What a recorded end says of the tasks that are free again. */
export async function claimsReleased(db: Db, event: string): Promise<number> {
  const { rows } = await sql<{ n: number | null }>`
    select (payload ->> 'claims_released')::int as n from events_acts where id = ${event}`.execute(
    db,
  )
  return rows[0]?.n ?? 0
}
