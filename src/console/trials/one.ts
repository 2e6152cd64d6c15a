/** One trial: what was changed, what was expected of it, and what came out. */
import { hrefOf as labHref } from '../labs/address.ts'
import type { ScreenApp } from '../screen.ts'
import { calledSessions } from '../sessions/called.ts'
import { metricsOf, wordsOf } from './metrics.ts'
import { besideOf, earlierFigures, readTrial } from './queries.ts'
import { tallyOf } from './tally.ts'

/** Others of its lab that are named, in each direction. */
const MOST_BESIDE = 3
/** Figures that are held against earlier ones. */
const MOST_COMPARED = 50

/** By how much a number has changed; of anything else nothing is said. */
function changed(before: unknown, now: unknown): { change?: string } {
  if (typeof before !== 'number' || typeof now !== 'number' || before === 0) return {}
  const percent = Math.round((100 * (now - before)) / Math.abs(before))
  const amount = Math.abs(percent).toLocaleString('en')
  return { change: percent === 0 ? 'flat' : `${percent > 0 ? '▲' : '▼'} ${amount} %` }
}

/** Returns undefined when there is no trial with this id. */
export async function trialOf({ kernel: { db }, owner }: ScreenApp, id: string) {
  const row = await readTrial(db, owner, id)
  if (!row) return undefined
  const metrics = metricsOf(row.metrics as object)
  const [sessions, { before, after }, earlier] = await Promise.all([
    calledSessions(db, owner, row.session_id === '' ? [] : [row.session_id]),
    besideOf(db, owner, row, MOST_BESIDE),
    earlierFigures(
      db,
      owner,
      row,
      metrics.slice(0, MOST_COMPARED).map(({ key }) => key),
    ),
  ])
  const session = sessions.get(row.session_id) ?? null
  const was = new Map(earlier.map((one) => [one.key, one]))
  const { lab, title, outcome, project, favorite, changes, expected, actual, created } = row
  const beside = [...after.toReversed(), row, ...before]
  return {
    ...{ id, lab, lab_href: labHref(lab), title, tally: tallyOf(outcome), favorite, created },
    project,
    ...(outcome !== '' && { outcome }),
    ...(changes !== '' && { changes }),
    ...(expected !== '' && { expected }),
    ...(actual !== '' && { actual }),
    ...(metrics.length > 0 && {
      metrics: metrics.map((metric) => {
        const before = was.get(metric.key)
        return {
          ...metric,
          ...(before && {
            ...{ before: wordsOf(before.value), before_id: before.id },
            ...changed(before.value, (row.metrics as Record<string, unknown>)[metric.key]),
          }),
        }
      }),
    }),
    ...(row.session_id !== '' && { session_id: row.session_id }),
    ...(session && { session_name: session.name }),
    session,
    beside:
      beside.length === 1
        ? []
        : beside.map((each) => ({
            ...{ id: each.id, title: each.title, tally: tallyOf(each.outcome) },
            ...(each.outcome !== '' && { outcome: each.outcome }),
            created: each.created,
          })),
  }
}
