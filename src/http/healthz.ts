/** The health of the service, answered from the last check: a request never waits for anything. */
import type { FastifyInstance } from 'fastify'
import type { Build } from '../kernel/build.ts'

/** Throws when what it checks is not well. */
export type Probe = () => Promise<unknown>

const CHECK_INTERVAL_MS = 2_000
const CHECK_TIMEOUT_MS = 2_500
/** The lag is the longest of this time. */
const LAG_WINDOW_MS = 10_000
const LAG_STEP_MS = 100

/** Checks one thing at once and every two seconds, in the background. A check that takes too long has failed. */
export class Watch {
  readonly #probe: Probe
  #timer: NodeJS.Timeout | undefined
  #isChecking = false
  well = true

  constructor(probe: Probe) {
    this.#probe = probe
  }

  begin(): void {
    this.#timer = setInterval(() => void this.check(), CHECK_INTERVAL_MS).unref()
    void this.check()
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

export interface Probes {
  database: Probe
  storage: Probe
  /** How far the rows are behind the files. Never waits. */
  progress(): { behind: boolean; read: number; files: number }
}

/**
 * `GET /healthz`, without a key: whether the process lives. 503 only when the database does not answer;
 * storage trouble is `degraded`, and `catching up` says how many of the files have been read. With
 * `?ready=1` whether it is to be asked: 503 unless all is ok. While the service stops it is 503, `stopping`.
 */
export function healthz(app: FastifyInstance, build: Build, probes: Probes): void {
  const database = new Watch(probes.database)
  const storage = new Watch(probes.storage)
  const lag = watchLag()
  // Not while the routes are laid: the database may need longer than that to open.
  app.addHook('onListen', () => [database, storage].forEach((each) => each.begin()))
  let isStopping = false
  app.addHook('preClose', async () => void (isStopping = true))
  app.addHook('onClose', async () => {
    database.stop()
    storage.stop()
    lag.stop()
  })
  app.get<{ Querystring: { ready?: unknown } }>(
    '/healthz',
    { config: { open: true } },
    async ({ query }, reply) => {
      const { behind, read, files } = probes.progress()
      const well = database.well && storage.well
      const catchingUp = well && behind
      const whole = !well ? 'degraded' : behind ? 'catching up' : 'ok'
      const status = isStopping ? 'stopping' : whole
      const isUp = query.ready === '1' ? status === 'ok' : database.well && !isStopping
      return reply
        .code(isUp ? 200 : 503)
        .header('cache-control', 'no-store')
        .send({ status, ...build, ...(catchingUp && { read, files }), lag_ms: lag.longest() })
    },
  )
}

/** How late a timer lately came, in milliseconds: how long everybody waited for one turn of the event loop. */
function watchLag(): { longest(): number; stop(): void } {
  let [before, now, due] = [0, 0, performance.now() + LAG_STEP_MS]
  const step = setInterval(() => {
    now = Math.max(now, performance.now() - due)
    due = performance.now() + LAG_STEP_MS
  }, LAG_STEP_MS).unref()
  const turn = setInterval(() => ([before, now] = [now, 0]), LAG_WINDOW_MS).unref()
  return {
    longest: () => Math.round(Math.max(before, now)),
    stop() {
      clearInterval(step)
      clearInterval(turn)
    },
  }
}
