import { setImmediate as nextTurn } from 'node:timers/promises'

/** Runs it, and measures the processor's time of this thread in its longest turn of the event loop. */
export async function longestTurn<Result>(
  run: () => Result | Promise<Result>,
): Promise<{ longestMs: number; result: Result }> {
  let longestMs = 0
  let before = process.threadCpuUsage()
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(before)
    longestMs = Math.max(longestMs, (user + system) / 1_000)
    before = process.threadCpuUsage()
  }
  const state = { running: true }
  const running = Promise.resolve(run()).finally(() => (state.running = false))
  look()
  void running.catch(() => {})
  while (state.running) {
    await nextTurn()
    look()
  }
  return { longestMs, result: await running }
}
