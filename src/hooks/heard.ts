/** What is kept of the hooks that come: when each client was heard, and how each of its hooks was answered last. */
import { sql } from 'kysely'
import type { Db } from '../kernel/kernel.ts'
import type { Heartbeat } from '../kernel/telemetry.ts'
import type { Client } from './clients.ts'

/** Any hook is a sign that those of its client come through. A client's row is written once a minute at most. */
export const hooksHeard: Heartbeat = {
  async mark(db, clients) {
    await sql`
      insert into hooks_heard as h (client, at)
      select client, loam_now() from jsonb_array_elements_text(${JSON.stringify(clients)}::jsonb) client
      on conflict (client) do update set at = excluded.at
      where h.at < excluded.at - interval '1 minute'`.execute(db)
  },
}

interface Answered {
  client: Client
  hook: string
  /** Why a part of it failed; undefined: all went well. */
  cause?: string | undefined
}

/** The id of an answer for `hooksAnswered`. */
export const answerId = ({ client, hook, cause = '' }: Answered): string =>
  JSON.stringify([client, hook, cause])

/** How a hook was answered. A row is written once a minute at most, unless it goes well again or no more. */
export const hooksAnswered: Heartbeat = {
  async mark(db, ids) {
    await sql`
      insert into hook_answers as h (client, hook, answered_at, failed_at, cause)
      select a ->> 0, a ->> 1, max(loam_now()) filter (where a ->> 2 = ''),
        max(loam_now()) filter (where a ->> 2 <> ''), max(a ->> 2)
      from unnest(${[...ids]}::text[]) as id, lateral (select id::jsonb as a) parsed
      group by 1, 2 order by 1, 2
      on conflict (client, hook) do update set
        (answered_at, failed_at, cause) = (
          coalesce(excluded.answered_at, h.answered_at), coalesce(excluded.failed_at, h.failed_at),
          coalesce(nullif(excluded.cause, ''), h.cause))
      where excluded.answered_at is not null and (h.answered_at is null
          or h.answered_at <= excluded.answered_at - interval '1 minute' or h.failed_at > h.answered_at)
        or excluded.failed_at is not null and (h.failed_at is null
          or h.failed_at <= excluded.failed_at - interval '1 minute' or h.answered_at > h.failed_at)`.execute(
      db,
    )
  },
}

export interface HookAnswer {
  client: string
  hook: string
  /** Null: never. */
  answered_at: Date | null
  failed_at: Date | null
  /** Of the last failure; '' without one. */
  cause: string
}

/** How each hook of each client was answered last, by client and hook. */
export const listHookAnswers = (db: Db): Promise<HookAnswer[]> =>
  db
    .selectFrom('hook_answers')
    .select(['client', 'hook', 'answered_at', 'failed_at', 'cause'])
    .orderBy('client')
    .orderBy('hook')
    .execute()
