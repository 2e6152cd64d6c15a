import { embeddingWorker } from './embeddings/embeddings.ts'
import { keepEventMonths } from './postgres/event-months.ts'
import { leasedTimer } from './postgres/leases.ts'
import { reconcile } from './vault/reconcile.ts'
import type { VaultKernel } from './vault/vault.ts'
import { forgetIdleConnections } from './mcp/connections.ts'
import { indexQueued, queueStale, tellStats } from './passages/passages.ts'
import { expireSilent } from './sessions/sessions.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Starts the work that repeats; each job runs on one process of all. Answers what stops it again. */
export function startTimers(kernel: VaultKernel): () => Promise<void> {
  let stopping = false
  const going = () => !stopping
  const embed = embeddingWorker()
  const timers = [
    leasedTimer(kernel, {
      name: 'passages',
      every: SECOND,
      now: true,
      async work(kernel) {
        await indexQueued(kernel, { going })
        await tellStats(kernel, { going })
      },
    }),
    leasedTimer(kernel, {
      name: 'normaliser',
      every: MINUTE,
      now: true,
      work: (kernel) => queueStale(kernel),
    }),
    leasedTimer(kernel, {
      name: 'embeddings',
      every: SECOND,
      now: true,
      work: (kernel, lease) => embed(kernel, { going, lease }),
    }),
    // Watchers may drop events.
    leasedTimer(kernel, { name: 'reconcile', every: 10 * MINUTE, work: () => reconcile(kernel) }),
    leasedTimer(kernel, {
      name: 'event-months',
      every: HOUR,
      now: true,
      work: keepEventMonths,
    }),
    leasedTimer(kernel, { name: 'sessions', every: MINUTE, work: expireSilent }),
    leasedTimer(kernel, { name: 'connections', every: HOUR, work: forgetIdleConnections }),
  ]
  return async () => {
    stopping = true
    await Promise.all(timers.map((timer) => timer.stop()))
  }
}
