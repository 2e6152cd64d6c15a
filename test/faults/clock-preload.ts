/**
 * Loaded before the service: its clock is off by the milliseconds that the file TEST_CLOCK_FILE holds,
 * which may change at any time. The thread of the embedded database keeps the right time, as a database
 * on another machine would, unless TEST_DATABASE_CLOCK_FILE names a file of its own.
 */
import { readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const file = process.env[isMainThread ? 'TEST_CLOCK_FILE' : 'TEST_DATABASE_CLOCK_FILE'] ?? ''
const RightDate = Date
let off = 0
const look = (): void => {
  try {
    off = Number(readFileSync(file, 'utf8'))
  } catch {
    // It is being written.
  }
}

class WrongDate extends RightDate {
  constructor(...given: []) {
    super(...(given.length === 0 ? ([WrongDate.now()] as unknown as []) : given))
  }

  static override now(): number {
    return RightDate.now() + off
  }
}

if (file !== '') {
  look()
  setInterval(look, 20).unref()
  globalThis.Date = WrongDate as unknown as DateConstructor
}
