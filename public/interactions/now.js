/*
 * The service's time: ages and leases are counted by the clock by which they were written, whatever this machine's
 * clock says.
 */
import { cameAs, toldOf } from './told.js'

/* Less than this is the way of an answer. */
const TOLERANCE_MS = 2_000

let aheadMs = 0

export const nowMs = () => Date.now() + aheadMs

/* Takes a time that the service told at a moment of this machine's clock. */
function hear(told, atMs) {
  const ms = Number(told) - atMs
  if (!Number.isFinite(ms)) return
  aheadMs = Math.abs(ms) < TOLERANCE_MS ? 0 : ms
}

export const hearNow = (answer) =>
  hear(/now;desc=(\d+)/.exec(answer.headers.get('server-timing') ?? '')?.[1], Date.now())

/* The moment at which the page itself came. */
const came = cameAs()
if (came) hear(toldOf('now'), performance.timeOrigin + came.responseStart)
