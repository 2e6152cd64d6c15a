import { forgetLongTold } from './briefing/briefing.ts'
import { embeddingWorker, foldLeft, learningInTurns } from './embeddings/embeddings.ts'
import { gardenAgain } from './gardener/gardener.ts'
import { keepEventMonths } from './postgres/event-months.ts'
import { leasedTimer } from './postgres/leases.ts'
import { reconcile } from './vault/reconcile.ts'
import type { VaultKernel } from './vault/vault.ts'
import { forgetIdleConnections } from './mcp/connections.ts'
import { indexQueued, queueStale, updateStatistics } from './passages/passages.ts'
import { ownerScope } from './projects/projects.ts'
import { expireSilent } from './sessions/sessions.ts'
import { forgetPulse, keepOwnerZone, tellInGaps, tidyShown } from './usage/usage.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** Starts the work that repeats; each job runs on one process of all. Returns what stops it. */
export function startTimers(kernel: VaultKernel): () => Promise<void> {
  let stopping = false
  const going = () => !stopping
  const embed = embeddingWorker()
  const learn = learningInTurns()
  const timers = [
    leasedTimer(kernel, {
      name: 'passages',
      everyMs: SECOND_MS,
      now: true,
      async work(kernel) {
        await indexQueued(kernel, { going })
        await updateStatistics(kernel, { going })
      },
    }),
    leasedTimer(kernel, {
      name: 'normaliser',
      everyMs: MINUTE_MS,
      now: true,
      work: (kernel) => queueStale(kernel),
    }),
    leasedTimer(kernel, {
      name: 'embeddings',
      everyMs: SECOND_MS,
      now: true,
      async work(kernel, lease) {
        await embed(kernel, { going, lease })
        await foldLeft(kernel, { going, lease })
      },
    }),
    leasedTimer(kernel, {
      name: 'learning',
      everyMs: MINUTE_MS,
      now: true,
      work: (kernel, lease) => learn(kernel, { going, lease, pace: kernel.pace }),
    }),
    leasedTimer(kernel, {
      name: 'statistics',
      everyMs: SECOND_MS,
      work: tellInGaps,
    }),
    // Watchers may drop events.
    leasedTimer(kernel, {
      name: 'reconcile',
      everyMs: 10 * MINUTE_MS,
      work: () => reconcile(kernel),
    }),
    leasedTimer(kernel, {
      name: 'event-months',
      everyMs: HOUR_MS,
      now: true,
      work: keepEventMonths,
    }),
    leasedTimer(kernel, { name: 'sessions', everyMs: MINUTE_MS, work: expireSilent }),
    leasedTimer(kernel, {
      name: 'owner-zone',
      everyMs: HOUR_MS,
      now: true,
      work: keepOwnerZone,
    }),
    leasedTimer(kernel, { name: 'shown', everyMs: HOUR_MS, work: tidyShown }),
    leasedTimer(kernel, { name: 'pulse', everyMs: 10 * MINUTE_MS, work: forgetPulse }),
    leasedTimer(kernel, { name: 'told', everyMs: HOUR_MS, work: forgetLongTold }),
    ...(kernel.config.gardener.enabled
      ? [
          leasedTimer(kernel, {
            name: 'gardener',
            everyMs: kernel.config.gardener.interval_minutes * MINUTE_MS,
            firstMs: 20 * SECOND_MS,
            work: (kernel) => gardenAgain(kernel, ownerScope(), going),
          }),
        ]
      : []),
    leasedTimer(kernel, { name: 'connections', everyMs: HOUR_MS, work: forgetIdleConnections }),
  ]
  return async () => {
    stopping = true
    await Promise.all(timers.map((timer) => timer.stop()))
  }
}
