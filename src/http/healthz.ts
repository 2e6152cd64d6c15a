/** Whether the service is well, told at once from the last look: asking never waits for anything. */
import type { FastifyInstance } from 'fastify'
import type { Build } from '../kernel/build.ts'

/** Throws when what it looks at is not well. */
export type Probe = () => Promise<unknown>

const EVERY = 2_000
const PATIENCE = 2_500

/** Looks at one thing every two seconds, in the background. A look that takes longer counts as failed. */
export class Watch {
  readonly #probe: Probe
  readonly #timer: NodeJS.Timeout
  #looking = false
  well = true

  constructor(probe: Probe) {
    this.#probe = probe
    this.#timer = setInterval(() => void this.look(), EVERY)
    this.#timer.unref()
  }

  async look(): Promise<void> {
    if (this.#looking) return
    this.#looking = true
    let late: NodeJS.Timeout | undefined
    const patience = new Promise<never>((_, reject) => {
      late = setTimeout(() => reject(new Error('no answer')), PATIENCE)
    })
    this.well = await Promise.race([this.#probe(), patience]).then(
      () => true,
      () => false,
    )
    clearTimeout(late)
    this.#looking = false
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
  app.addHook('onReady', () => void Promise.all([database.look(), storage.look()]))
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
