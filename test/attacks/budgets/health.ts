/** A thread that asks `/healthz` every 20 ms, apart from the one that makes the calls. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { send } from '../../helpers/wire.ts'

const EVERY_MS = 20

export interface Health {
  /** How long each answer took, in milliseconds. */
  times: number[]
  /** Answers that were none, and other statuses than 200. */
  wrong: string[]
}

export function watchHealth(url: string): { stop(): Promise<Health> } {
  const worker = new Worker(new URL(import.meta.url), { workerData: url })
  const { promise, resolve, reject } = Promise.withResolvers<Health>()
  worker.on('message', resolve).on('error', reject)
  return {
    async stop() {
      worker.postMessage('stop')
      const health = await promise
      await worker.terminate()
      return health
    },
  }
}

async function watch(url: string): Promise<void> {
  const health: Health = { times: [], wrong: [] }
  let stopped = false
  parentPort!.once('message', () => (stopped = true))
  while (!stopped) {
    const started = performance.now()
    await send(url, { path: '/healthz' }).then(
      ({ status }) => status === 200 || health.wrong.push(`status ${status}`),
      (error: Error) => health.wrong.push(error.message),
    )
    health.times.push(performance.now() - started)
    await sleep(EVERY_MS)
  }
  parentPort!.postMessage(health)
}

if (!isMainThread && typeof workerData === 'string') void watch(workerData)
