/**
 * One connection that LISTENs for the whole process.
 *
 * A lost connection is opened again, and its loss is logged. Nothing may depend on a NOTIFY: each
 * listener is also woken after a loss, and polls besides.
 */
import pg from 'pg'
import type { Logger } from 'pino'
import { clientConfig, withDeadline } from './connection.ts'

/** Called when something may have happened on the channel. Must not throw. */
export type OnWake = () => void

export interface Listener {
  /** LISTENs on the channel until disposed of. `onWake` is also called each time that LISTEN succeeds. */
  listen(channel: string, onWake: OnWake): Disposable
  /** Whether notifications arrive at the moment. */
  listening(): boolean
  close(): Promise<void>
}

const PING_INTERVAL_MS = 4_000
const PING_DEADLINE_MS = 4_000
const RETRY_MS = 500
const PROOF = 'loam_proof'

export interface ListenerOptions {
  config: () => pg.ClientConfig
  /** Sends an empty NOTIFY from another connection: only one that arrives proves the LISTEN. */
  notify(channel: string): Promise<void>
  log: Logger
}

export function openListener({ config, notify, log }: ListenerOptions): Listener {
  const channels = new Map<string, Set<OnWake>>()
  let client: pg.Client | undefined
  let proven = false
  let closed = false
  let retry: NodeJS.Timeout | undefined
  let heartbeat: NodeJS.Timeout | undefined

  const wake = (channel: string): void => channels.get(channel)?.forEach((onWake) => onWake())
  const subscribe = (on: pg.Client, channel: string): Promise<unknown> =>
    withDeadline(on, on.query(`listen ${pg.escapeIdentifier(channel)}`), PING_DEADLINE_MS)

  async function connect(): Promise<void> {
    const fresh = new pg.Client(clientConfig(config()))
    fresh.on('error', () => lose(fresh, 'the connection broke'))
    fresh.on('end', () => lose(fresh, 'the connection ended'))
    fresh.on('notification', ({ channel }) => {
      if (channel === PROOF && !proven) {
        proven = true
        log.info('listening for notifications')
      }
      wake(channel)
    })
    client = fresh
    await begin(fresh).catch(() => {
      // What was lost or closed meanwhile is given up already.
      if (fresh !== client) return
      giveUp(fresh)
      again()
    })
  }

  async function begin(fresh: pg.Client): Promise<void> {
    await fresh.connect()
    await subscribe(fresh, PROOF)
    for (const channel of channels.keys()) {
      await subscribe(fresh, channel)
      wake(channel)
    }
    heartbeat = setInterval(beat, PING_INTERVAL_MS, fresh).unref()
    await notify(PROOF)
  }

  function beat(on: pg.Client): void {
    // A half-open connection neither answers nor ends; this ends it.
    withDeadline(on, on.query('select 1'), PING_DEADLINE_MS).catch(() => {
      lose(on, 'it did not answer')
    })
  }

  function lose(which: pg.Client, reason: string): void {
    if (which !== client || closed) return
    giveUp(which)
    log.warn({ reason }, 'no longer listening for notifications; polling until it is back')
    for (const channel of channels.keys()) wake(channel)
    again()
  }

  /** The heartbeat keeps whatever connection it asks. */
  function giveUp(which: pg.Client): void {
    client = undefined
    proven = false
    clearInterval(heartbeat)
    which.end().catch(() => {})
  }

  function again(): void {
    clearTimeout(retry)
    retry = setTimeout(start, RETRY_MS).unref()
  }

  function start(): void {
    connect().catch(() => !closed && again())
  }

  start()
  return {
    listen(channel, onWake) {
      const listeners = channels.get(channel) ?? new Set()
      const first = listeners.size === 0
      channels.set(channel, listeners.add(onWake))
      if (first && client) {
        const on = client
        subscribe(on, channel).then(
          () => wake(channel),
          () => lose(on, 'it did not answer'),
        )
      }
      return {
        [Symbol.dispose]: () => {
          listeners.delete(onWake)
          if (listeners.size === 0 && channels.get(channel) === listeners) channels.delete(channel)
        },
      }
    },
    listening: () => proven,
    async close() {
      closed = true
      clearTimeout(retry)
      clearInterval(heartbeat)
      const last = client
      client = undefined
      await last?.end().catch(() => {})
    },
  }
}
