/** The context of a call: for whom it speaks, and what is on for it. */
import { sql } from 'kysely'
import { effectiveFeatures, type Features } from '../features/features.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { unavailable } from '../kernel/refusal.ts'
import { isFenced, type Ambient, type Judged } from '../projects/projects.ts'
import type { BoundSession } from './bound-session.ts'
import { type Guess, guessPlaces, NO_GUESS, placeOf } from './guess.ts'
import { hookClientOf, type Shown } from './shown.ts'

/** A session that a client's hook announced, as a call finds it. */
interface Announced extends BoundSession {
  client: string
  cwd: string
  lab: string
}

/** What a call begins with. One statement reads it, unless the caller must be guessed. */
export interface CallContext {
  /** Its id is '' when the protocol has no connections. */
  connection: { id: string; protocol: string }
  /** For whom the call speaks; null: nobody knows. */
  session: BoundSession | null
  /** The connection was bound by session_start; otherwise its client showed the session. */
  isBound: boolean
  /** What the session may do with the project that the call names, or with its own; null without a session. */
  verdict: Judged | null
  /** Where a caller without a session may work. */
  guess: Guess
  /** What the request shows of its caller. */
  shown: Shown
  /** The open lab; '' when there is none. */
  lab: string
  features: Features
  /** When it was asked for, by performance.now(). */
  began: number
}

/** What is read of the database. */
interface Read {
  protocol: string
  /** What the client called itself in its handshake. */
  client: string
  lab: string
  features: unknown
  bound: Announced | null
  announced: Announced | null
  /** On what `bound`, else `announced`, may do. */
  verdict: Judged | null
  ambients: AmbientOfClient[] | null
  /** Since when the database has every file, which a search asks for; null: not yet. */
  files_read_at: string | null
  /** When it was asked for, by performance.now(). */
  began: number
}

type AmbientOfClient = Ambient & { client: string }

const UNTIL_CHANGED = (): number => Infinity
/** Agents come to rest as time goes by, which changes nothing in the database. */
const PLACES_MS = 1_000
const lasting = ({ ambients }: Pick<Read, 'ambients'>): number => (ambients ? PLACES_MS : Infinity)

/**
 * Reads what a connection stands for, or null when there is no such connection.
 *
 * @param shown what the headers show; what the message shows comes later
 * @param asked the project that the call names
 */
export async function readConnection(
  { db, catchUp, kept }: Kernel,
  id: string,
  { client, process, began }: Shown,
  asked: string | undefined,
): Promise<Read | null> {
  const now = performance.now()
  const question = ['connection', id, client, process, began, asked]
  const context = await kept.answer(question, lasting, async () => {
    const { rows } = await sql<{ context: Omit<Read, 'began'> | null }>`
      select call_context(${id}, ${client}, ${process}, ${began}, ${asked ?? null}) as context`.execute(
      db,
    )
    return rows[0]?.context ?? null
  })
  if (!context) return null
  catchUp.saw(context.files_read_at, now)
  return { ...context, began: now }
}

/** Reads what a call without a connection stands for. */
export async function readStateless(
  { db, catchUp, kept }: Kernel,
  said: { protocol: string; client: string },
  { client, session, process, began }: Shown,
  asked: string | undefined,
): Promise<Read> {
  const now = performance.now()
  type Known = Omit<Read, 'protocol' | 'client' | 'lab' | 'bound' | 'began'>
  const question = ['stateless', client, session, process, began, asked]
  const context = await kept.answer(question, lasting, async () => {
    const { rows } = await sql<{ context: Known }>`
      select stateless_context(
        ${client}, ${session}, ${process}, ${began}, ${asked ?? null}) as context`.execute(db)
    return rows[0]!.context
  })
  catchUp.saw(context.files_read_at, now)
  return { ...said, lab: '', bound: null, ...context, began: now }
}

/**
 * Decides for whom a call speaks. A session counts when session_start bound the connection to it, or when
 * the call shows it and the client's own hook announced it, in whatever state that one is. Everything
 * else is a guess at a place, but none leads out of the fence behind which the client is known to be.
 *
 * @param connection its id; '' without one
 * @param ahead what the headers alone showed when `read` was read
 */
export async function callContext(
  kernel: Kernel,
  connection: string,
  read: Read,
  { ahead, shown: all }: { ahead: Shown; shown: Shown },
): Promise<CallContext> {
  const shown = { ...all, client: all.client || hookClientOf(read.client) }
  const known = read.bound ?? (await announcedSession(kernel, read, { ahead, shown }))
  const session = known && (read.bound || (await isAtHome(kernel, known, shown))) ? known : null
  const isAway = !session && known !== null && isFenced(known)
  const isJudged = session !== null && session === (read.bound ?? read.announced)
  return {
    connection: { id: connection, protocol: read.protocol },
    session,
    verdict: isJudged ? read.verdict : null,
    isBound: read.bound !== null,
    guess: session || isAway ? { ...NO_GUESS, isAway } : await guessed(kernel, read, shown),
    shown,
    lab: session?.lab || read.lab,
    features: effectiveFeatures(kernel.config.features, read.features),
    began: read.began,
  }
}

/** The session that the call shows, when a hook announced it. What the message shows goes before headers. */
async function announcedSession(
  { db, kept }: Kernel,
  { announced }: Read,
  { ahead, shown }: { ahead: Shown; shown: Shown },
): Promise<Announced | null> {
  if (shown.session === ahead.session) return announced
  const { client, session } = shown
  return kept.answer(['announced', client, session], UNTIL_CHANGED, async () => {
    const { rows } = await sql<{ announced: Announced | null }>`
      select session_of_call(session_of_client(${client}, ${session})) as announced`.execute(db)
    return rows[0]?.announced ?? null
  })
}

const guessed = async (kernel: Kernel, read: Read, shown: Shown): Promise<Guess> =>
  guessPlaces(kernel, await ambientsOf(kernel, read), shown)

/** Where agents work. It was not read when the headers showed a session that does not count. */
async function ambientsOf({ db }: Kernel, { ambients }: Read): Promise<AmbientOfClient[]> {
  if (ambients) return ambients
  const { rows } = await sql<AmbientOfClient>`select * from ambient_places()`.execute(db)
  return rows
}

/** Whether the place that the call shows does not speak against the session that it shows. */
async function isAtHome(kernel: Kernel, session: Announced, shown: Shown): Promise<boolean> {
  if (shown.cwd === session.cwd) return true
  const place = await placeOf(kernel, shown)
  return !place || place.project === session.project
}

/** How long a call waits for its context: a lost database must not hang it. */
const CONTEXT_TIMEOUT_MS = 5_000

/** Refuses when the work takes longer than a call may wait for its context. */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(unavailable('the database does not answer; try again')),
      CONTEXT_TIMEOUT_MS,
    )
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}
