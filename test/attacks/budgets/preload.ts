/**
 * Loaded before the service: tells how long its event loop was held and how much memory it has, over
 * the socket that TEST_METER names.
 *
 * A hold is the time between two ticks that are due every 10 ms, by the clock and by the time of the
 * processor that the main thread took: on a machine that others use as well only the second is ours.
 */
import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'
import type { Reading } from './meter.ts'

const TICK_MS = 10
const MIB = 1_048_576

// The options of a process hold for its worker threads too, but these have a loop of their own.
if (isMainThread) measure(process.env['TEST_METER']!)

function measure(socket: string): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  let reading: Reading = { heldMs: 0, busyMs: 0, peakMib: 0 }
  let [tick, busy] = [performance.now(), process.threadCpuUsage()]

  setInterval(() => {
    const held = performance.now() - tick - TICK_MS
    const { user, system } = process.threadCpuUsage(busy)
    reading.heldMs = Math.max(reading.heldMs, held)
    reading.busyMs = Math.max(reading.busyMs, (user + system) / 1_000)
    reading.peakMib = Math.max(reading.peakMib, memory())
    restart()
  }, TICK_MS).unref()

  function restart(): void {
    ;[tick, busy] = [performance.now(), process.threadCpuUsage()]
  }

  // Of the process before.
  rmSync(socket, { force: true })
  createServer((request, response) => {
    // What was due before this request counts, and a collection that was asked for does not.
    setTimeout(() => {
      const taken = reading
      reading = { heldMs: 0, busyMs: 0, peakMib: memory() }
      if (request.url === '/collected') collect()
      response.end(JSON.stringify({ ...taken, memoryMib: memory() }))
      restart()
    }, TICK_MS + 1)
  })
    .listen(socket)
    .unref()
}

/** Heap and external memory, array buffers included, in MiB. */
function memory(): number {
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / MIB
}
