import { listHookAnswers } from '../../../hooks/hooks.ts'
import type { Db } from '../../../kernel/kernel.ts'

/** When a hook of a client was last answered without trouble. */
export interface Heard {
  client: string
  hook: string
  /** RFC 3339, to the second. */
  at: string
}

/** Which hooks of which client ever came through, the last one of each client first. */
export async function listHeard(db: Db): Promise<Heard[]> {
  const heard = (await listHookAnswers(db)).flatMap(({ client, hook, answered_at: at }) =>
    at === null ? [] : [{ client, hook, at: `${at.toISOString().slice(0, 19)}Z` }],
  )
  return heard.toSorted((a, b) =>
    a.client === b.client && a.at !== b.at ? (a.at < b.at ? 1 : -1) : 0,
  )
}
