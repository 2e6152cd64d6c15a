/* Moments that are told in the corner of whatever page is open when they happen. */
import { showToast } from './toast.js'

const TOLD = ['memory.first_reuse']

export function tellMoments(events) {
  const moment = events.findLast(({ kind }) => TOLD.includes(kind))
  if (moment) showToast(`${moment.summary.slice(0, 1).toUpperCase()}${moment.summary.slice(1)}`)
}
