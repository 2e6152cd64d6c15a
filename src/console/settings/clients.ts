/** Which clients call, and when each of their hooks was answered last. */
import { once } from '../../kernel/once.ts'
import type { ScreenApp } from '../screen.ts'
import { findClients, findConnections, type HookRow } from './queries.ts'

/** A client with sessions at work that is unheard for longer is worth a word. */
const SILENT_MS = 24 * 3_600_000

interface HookState {
  hook: string
  answered_at?: Date
  failed_at?: Date
  /** Why it failed, where that was after it was answered last. */
  cause?: string
}

export function clientsOf(app: ScreenApp, most: { clients: number; programs: number }) {
  const { kernel, owner, service, clock } = app
  const idle = kernel.config.sessions.idle_minutes
  const clients = once(() => findClients(kernel.db, owner, { idle, most: most.clients }))
  const programs = once(() => findConnections(kernel.db, owner, { most: most.programs }))
  return {
    clients: once(async () => {
      return (await clients()).map(({ client, at, live, hooks }) => ({
        client,
        heard_at: at,
        live,
        silent: live > 0 && clock.now() - at.getTime() > SILENT_MS,
        hooks: service.hooks.map((hook) => stateOf(hook, hooks)),
      }))
    }),
    client_total: async () => (await clients())[0]?.clients ?? 0,
    connections: once(async () =>
      (await programs()).map(({ client, version, connections, at }) => ({
        ...{ client: client || 'nameless', version, connections },
        last_seen: at,
      })),
    ),
    /** Programs that hold connections. */
    connection_total: async () => (await programs())[0]?.programs ?? 0,
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
