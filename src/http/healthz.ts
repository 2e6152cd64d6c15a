/** The health of the service, answered from the last check: a request never waits for anything. */
import type { FastifyInstance } from 'fastify'
import type { Build } from '../kernel/build.ts'

/** Throws when what it checks is not well. */
export type Probe = () => Promise<unknown>

const CHECK_INTERVAL_MS = 2_000
const CHECK_TIMEOUT_MS = 2_500

/** Checks one thing every two seconds, in the background. A check that takes too long has failed. */
export class Watch {
  readonly #probe: Probe
  readonly #timer: NodeJS.Timeout
  #isChecking = false
  well = true

  constructor(probe: Probe) {
    this.#probe = probe
    this.#timer = setInterval(() => void this.check(), CHECK_INTERVAL_MS)
    this.#timer.unref()
  }

  async check(): Promise<void> {
    if (this.#isChecking) return
    this.#isChecking = true
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('no answer')), CHECK_TIMEOUT_MS)
    })
    this.well = await Promise.race([this.#probe(), timeout]).then(
      () => true,
      () => false,
    )
    clearTimeout(timer)
    this.#isChecking = false
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}

/** `GET /healthz`, without a key. 503 only when the database does not answer; storage trouble is `degraded`. */
export function healthz(
  app: FastifyInstance,
  build: Build,
  probes: { database: Probe; storage: Probe },
): void {
  const database = new Watch(probes.database)
  const storage = new Watch(probes.storage)
  app.addHook('onReady', () => void Promise.all([database.check(), storage.check()]))
  app.addHook('onClose', async () => {
    database.stop()
    storage.stop()
  })
  app.get('/healthz', { config: { open: true } }, async (_request, reply) => {
    const status = database.well && storage.well ? 'ok' : 'degraded'
    return reply
      .code(database.well ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status, ...build })
  })
}
