/** Which clients call, and when each of their hooks was answered last. */
import { once } from '../../kernel/once.ts'
import type { ScreenApp } from '../screen.ts'
import { findClients, findConnections, type HookRow } from './queries.ts'

const MOST_CLIENTS = 20
const MOST_PROGRAMS = 20
/** A client with sessions at work that is unheard for longer is worth a word. */
const SILENT_MS = 24 * 3_600_000

interface HookState {
  hook: string
  answered_at?: Date
  failed_at?: Date
  /** Why it failed, where that was after it was answered last. */
  cause?: string
}

export function clientsOf(app: ScreenApp) {
  const { kernel, owner, service, clock } = app
  const idle = kernel.config.sessions.idle_minutes
  return {
    clients: once(async () => {
      const rows = await findClients(kernel.db, owner, { idle, most: MOST_CLIENTS })
      return rows.map(({ client, at, live, hooks }) => ({
        client,
        heard_at: at,
        live,
        silent: live > 0 && clock.now() - at.getTime() > SILENT_MS,
        hooks: service.hooks.map((hook) => stateOf(hook, hooks)),
      }))
    }),
    connections: once(async () => {
      const rows = await findConnections(kernel.db, owner, { most: MOST_PROGRAMS })
      return rows.map(({ client, version, connections, at }) => ({
        ...{ client: client || 'nameless', version, connections },
        last_seen: at,
      }))
    }),
  }
}

function stateOf(hook: string, rows: readonly HookRow[]): HookState {
  const row = rows.find((one) => one.hook === hook)
  const [answered, failed] = [row?.answered_at, row?.failed_at].map((at) =>
    at ? new Date(at) : undefined,
  )
  const isFailing = failed !== undefined && (answered === undefined || failed > answered)
  return {
    hook,
    ...(answered && { answered_at: answered }),
    ...(failed && { failed_at: failed }),
    ...(isFailing && { cause: row?.cause || 'it failed' }),
  }
}
