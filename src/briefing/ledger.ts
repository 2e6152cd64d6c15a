/**
 * The ledger: what the context of an agent holds of memories, so that a hook tells each of them once. A
 * context begins with its session, and anew when it is cleared, resumed or compacted; a subagent has its
 * own. What an agent asked for counts as told, and is never thinned itself.
 */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Kernel } from '../kernel/kernel.ts'
import { inTurns } from '../kernel/together.ts'
import { sqlFile } from '../postgres/sql-file.ts'
import { estimateTokens } from '../text/text.ts'

/** Whose context it is, as the ledger names it. */
export interface Hearer {
  whose: string
  agent: string
}

/** Returns undefined when the client does not say which session it is: then everything is new. */
export function hearerOf(client: string, external_id: string, agent_id = ''): Hearer | undefined {
  if (external_id === '') return undefined
  return { whose: md5(`${client}/${external_id}`), agent: agent_id && md5(agent_id) }
}

/** As told_session in the database makes it. */
const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

/** A memory as it would be told. */
export interface Offer {
  id: string
  /** Left out: as the memory is now. */
  version?: string
  line: string
}

/** What was not told again. */
export interface Saved {
  items: number
  tokens: number
}

const NOTHING_SAVED: Saved = { items: 0, tokens: 0 }

type NewParams = Hearer & {
  ids: string[]
  versions: (string | null)[]
  tokens: number[]
  place: string
}
const tellNewRows = sqlFile<NewParams, { id: string }>('briefing/tell_new', { kept: true })

/** Tells those of the memories that are new to an agent of the project, and returns which they are. */
export async function tellNew(
  db: Db,
  hearer: Hearer | undefined,
  place: string,
  offers: readonly Offer[],
): Promise<{ fresh: ReadonlySet<string>; saved: Saved }> {
  const ids = offers.map(({ id }) => id)
  if (!hearer || ids.length === 0) return { fresh: new Set(ids), saved: NOTHING_SAVED }
  const versions = offers.map(({ version = null }) => version)
  const tokens = offers.map(({ line }) => estimateTokens(line))
  const rows = await tellNewRows(db, { ...hearer, ids, versions, tokens, place })
  const fresh = new Set(rows.map(({ id }) => id))
  const held = tokens.filter((_, at) => !fresh.has(ids[at]!))
  return { fresh, saved: { items: held.length, tokens: held.reduce((a, b) => a + b, 0) } }
}

type Begun = { whose: string; whole: boolean; ids: readonly string[] }
const begin = sqlFile<Begun, never>('briefing/tell_begin', { kept: true })

/**
 * The context of a session begins with these items. After a compaction those of its subagents, which
 * may still be at work, stay as they are.
 */
export async function beginTelling(
  { db }: Kernel,
  { whose }: Hearer,
  ids: readonly string[],
  { compacted }: { compacted: boolean },
): Promise<void> {
  await begin(db, { whose, ids, whole: !compacted })
}

/** These items did not reach the agent after all. */
export async function untold(
  { db }: Kernel,
  { whose, agent }: Hearer,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  await db
    .deleteFrom('told')
    .where('session', '=', whose)
    .where('agent', '=', agent)
    .where('item', 'in', [...ids])
    .execute()
}

type Shown = { sessions: readonly string[]; ids: readonly string[] }
const tellAllShown = sqlFile<Shown, never>('briefing/tell_shown', { kept: true })
const tellSession = inTurns(
  async (db, shown: readonly { session: string; ids: readonly string[] }[]) => {
    await tellAllShown(db, {
      sessions: shown.flatMap(({ session, ids }) => ids.map(() => session)),
      ids: shown.flatMap(({ ids }) => ids),
    })
    return shown.map(() => undefined)
  },
)

/**
 * What a session asked for was shown to its agent. Without hooks of its client nothing tells it again, and nothing is
 * kept. A database that takes no writes costs no answer.
 */
export async function toldBySession(
  { db, log }: Kernel,
  { id: session, client_session_id }: { id: string; client_session_id: string },
  ids: readonly string[],
): Promise<void> {
  if (client_session_id === '' || ids.length === 0) return
  await tellSession(db, { session, ids }).catch((error: unknown) =>
    log.warn({ err: error }, 'what was shown was not kept: it may be told again'),
  )
}

/** The client of a session is gone, and with it what its agent and its subagents were told. */
export async function forgetTold({ db }: Kernel, session: string): Promise<void> {
  await sql`
    delete from told using sessions s
    where s.id = ${session} and told.session = told_session(s.external_client, s.client_session_id, s.id)`.execute(
    db,
  )
}

/** No context lasts longer; a memory told before may be told again. */
const KEPT_DAYS = 30

/** For a timer: forgets what was told to contexts that are gone and never said so. */
export async function forgetLongTold({ db }: Kernel): Promise<void> {
  await sql`delete from told where at < loam_now() - make_interval(days => ${KEPT_DAYS})`.execute(
    db,
  )
}
