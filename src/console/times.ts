/** Times as pages show them: an age in a list, a clock time in a trace, and the exact one on hover. */
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** From the largest on. */
const UNITS = [
  [365 * DAY_MS, 'y'],
  [30 * DAY_MS, 'mo'],
  [DAY_MS, 'd'],
  [HOUR_MS, 'h'],
  [MINUTE_MS, 'm'],
] as const

/** Whoever keeps what an age was put into hears until when that age is true, in milliseconds since 1970. */
interface Keeper {
  says(until: number): void
}

/** Returns the filters of templates for times. An empty zone is the machine's; ages are counted back from `now`. */
export function timeFilters(zone: string, now: () => number, keeper: Keeper) {
  const aged = (say: typeof age) => (time: Date | null) => {
    const at = now()
    if (time !== null) keeper.says(trueUntil(time.getTime(), at))
    return say(time, at)
  }
  const timeZone = zone || undefined
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, timeStyle: 'medium' })
  const minute = new Intl.DateTimeFormat('sv-SE', { timeZone, timeStyle: 'short' })
  const day = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    ...{ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
  })
  const exact = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
  })
  return {
    ago: aged(ago),
    age: aged(age),
    utc,
    iso: (time: Date) => time.toISOString(),
    clock: (time: Date) => clock.format(time),
    minute: (time: Date) => minute.format(time),
    day: (time: Date) => day.format(time),
    exact: (time: Date | null) => (time === null ? '–' : exact.format(time)),
  }
}

/** In a sentence: `just now`, `12m ago`. Minutes, hours, days up to 29, then months and years. */
function ago(time: Date | null, now: number): string {
  if (time === null) return '–'
  const passed = now - time.getTime()
  if (passed < 0) return 'now'
  return passed < MINUTE_MS ? 'just now' : `${whole(passed)} ago`
}

/** In a list: `8s`, `12m`. */
function age(time: Date | null, now: number): string {
  if (time === null) return '–'
  const passed = now - time.getTime()
  if (passed < 0) return 'now'
  return passed < MINUTE_MS ? `${Math.floor(passed / 1000)}s` : whole(passed)
}

function whole(passedMs: number): string {
  const [unitMs, letter] = UNITS.find(([unitMs]) => passedMs >= unitMs)!
  return `${Math.floor(passedMs / unitMs)}${letter}`
}

/** When the age of a time that is counted at another one is told in another way. */
function trueUntil(time: number, at: number): number {
  const passed = at - time
  if (passed < 0) return time
  const nth = UNITS.findIndex(([unitMs]) => passed >= unitMs)
  const unitMs = UNITS[nth]?.[0] ?? 1_000
  const larger = UNITS[nth < 0 ? UNITS.length - 1 : nth - 1]?.[0] ?? Infinity
  return time + Math.min((Math.floor(passed / unitMs) + 1) * unitMs, larger)
}

/** `YYYY-MM-DD HH:MM UTC`. */
function utc(time: Date | null): string {
  return time === null ? '–' : `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
