/** How much happened in the last hour, in twelve times five minutes. */
import type { PulseRow } from './queries.ts'

export interface Pulse {
  /** The database's time when it was asked. */
  at: Date
  /** When each of the twelve began; the last one still runs. */
  spans: Date[]
  /** Events of the whole house. */
  house: number[]
  /** Events of one session. */
  of(session: string): number[]
}

/** @param rows at least one for each of the twelve, the earliest first */
export function pulseOf(rows: readonly PulseRow[]): Pulse {
  const times = [...new Set(rows.map(({ since }) => since.getTime()))]
  const bySession = Map.groupBy(rows, ({ session }) => session)
  const counted = (of: readonly PulseRow[]): number[] => {
    const byTime = Map.groupBy(of, ({ since }) => since.getTime())
    return times.map((time) =>
      (byTime.get(time) ?? []).reduce((sum, { events }) => sum + events, 0),
    )
  }
  return {
    at: rows[0]!.at,
    spans: times.map((time) => new Date(time)),
    house: counted(rows),
    of: (session) => counted(bySession.get(session) ?? []),
  }
}
