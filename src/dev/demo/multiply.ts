/**
 * A large store: the ordinary sessions of the demo again and again, at other minutes of their days. What they were
 * told and asked goes into the log as it stands there, without being told and asked anew, so that a hundred times as
 * much takes minutes. What is counted with each event is counted for these as well.
 */
import { encodeTime } from 'ulid'
import { sql } from 'kysely'
import { rebuildDemand } from '../../demand/demand.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { rebuildShown } from '../../usage/usage.ts'
import { dayOf, type Ledger, type SessionAccount } from './ledger.ts'
import { HOUR, MINUTE } from './timeline.ts'

/** Calls that leave nothing behind but a line in the log. */
const LOOKS = new Set([
  'recall',
  'memory_read',
  'notes_read',
  'tasks_ready',
  'project_list',
  'session_end',
])

/** A copy lies so far from its original at most, so that it stays within its day. */
const FARTHEST = 4 * HOUR

interface Copy {
  of: SessionAccount
  account: SessionAccount
  shiftMs: number
  /** Three letters that its ids have in place of those of the original. */
  mark: string
}

/** @param count how many sessions are added */
export async function multiply(
  kernel: Kernel,
  ledger: Ledger,
  { count, now, progress }: { count: number; now: Date; progress?(share: number): void },
): Promise<void> {
  const sources = ordinary(ledger, now)
  for (let done = 0, nth = 1; done < count; nth++) {
    const copies = sources.slice(0, count - done).map((of) => copyOf(of, nth))
    await copyRows(kernel, copies)
    for (const copy of copies) enter(ledger, copy)
    done += copies.length
    progress?.(done / count)
  }
  // Copies come out of the order of their times.
  await rebuildShown(kernel)
  await rebuildDemand(kernel)
}

function ordinary({ sessions, made }: Ledger, now: Date): SessionAccount[] {
  const earliest = Date.parse(made.from) + FARTHEST
  const latest = now.getTime() - FARTHEST - 6 * HOUR
  return sessions.filter(
    ({ ambient, status, mishaps, calls, started, memoryWrites, noteWrites, trials }) =>
      ambient &&
      status !== 'active' &&
      mishaps + memoryWrites + noteWrites + trials === 0 &&
      Object.keys(calls).every((tool) => LOOKS.has(tool)) &&
      Date.parse(started) > earliest &&
      Date.parse(started) < latest,
  )
}

function copyOf(of: SessionAccount, nth: number): Copy {
  const steps = (2 * FARTHEST) / (5 * MINUTE)
  // A prime step visits every place before one comes again; minutes differ where places do not.
  const place = ((nth * 37) % steps) - steps / 2
  const shiftMs = place * 5 * MINUTE + nth * 997
  const mark = encodeTime(nth, 3)
  const moved = (time: string): string => new Date(Date.parse(time) + shiftMs).toISOString()
  const account = {
    ...of,
    key: `${of.key}-${nth}`,
    name: `${of.name}${nth}`,
    id: encodeTime(Date.parse(of.started) + shiftMs) + mark + of.id.slice(13),
    started: moved(of.started),
    lastHeard: moved(of.lastHeard),
    ended: of.ended && moved(of.ended),
  }
  return { of, account, shiftMs, mark }
}

async function copyRows({ db }: Kernel, copies: readonly Copy[]): Promise<void> {
  const list = JSON.stringify(
    copies.map(({ of, account: { id, name, key }, shiftMs, mark }) => ({
      ...{ of: of.id, id, name, key, mark },
      shift: `${shiftMs} milliseconds`,
    })),
  )
  const copied = sql`jsonb_to_recordset(${list}::jsonb)
    as c (of text, id text, name text, key text, mark text, shift interval)`
  const columns = await sessionColumns(db)
  await db.transaction().execute(async (trx) => {
    await sql`
      insert into sessions (${sql.join(columns.map((name) => sql.ref(name)))})
      select ${sql.join(columns.map((name) => sql.ref(`made.${name}`)))}
      from ${copied} join sessions s on s.id = c.of, jsonb_populate_record(s, jsonb_build_object(
        'id', c.id, 'name', c.name, 'client_session_id', c.key, 'process', '',
        'created_at', s.created_at + c.shift, 'updated_at', s.updated_at + c.shift,
        'announced_at', s.announced_at + c.shift)) made`.execute(trx)
    await sql`
      insert into events (id, ts, kind, transport, session_id, project, item_id, payload)
      select t.letters || c.mark || substr(e.id, 14), e.ts + c.shift, e.kind, e.transport, c.id, e.project, e.item_id,
        case when e.payload ? 'claude_session_id'
          then e.payload || jsonb_build_object('claude_session_id', c.key) else e.payload end
      from ${copied} join events e on e.session_id = c.of, lateral (
        select string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ',
          ((extract(epoch from e.ts + c.shift) * 1000)::bigint >> (45 - 5 * nth) & 31)::int + 1, 1), '' order by nth) as letters
        from generate_series(0, 9) as nth
      ) t
      order by e.ts + c.shift, e.id`.execute(trx)
  })
}

/** Without those that the database makes by itself. */
async function sessionColumns(db: Kernel['db']): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = 'sessions'::regclass and attnum > 0 and not attisdropped and attgenerated = ''
    order by attnum`.execute(db)
  return rows.map(({ name }) => name)
}

/** What the copy did is what its original did, at another time. */
function enter(ledger: Ledger, { of, account, shiftMs }: Copy): void {
  const moved = (at: string): string => new Date(Date.parse(at) + shiftMs).toISOString()
  ledger.sessions.push(account)
  const day = dayOf(ledger, new Date(account.started))
  day.sessions++
  day.injections += account.injections
  day.items += account.itemsShown
  day.calls += Object.values(account.calls).reduce((sum, each) => sum + each, 0)
  for (const kept of [ledger.failures, ledger.misses] as { at: string; session: string }[][]) {
    const own = kept.filter(({ session }) => session === of.key)
    kept.push(...own.map((one) => ({ ...one, at: moved(one.at), session: account.key })))
  }
}
