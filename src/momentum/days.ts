/** Days as the owner has them, written as 2026-03-31. They have no time of day and no zone. */
const DAY_MS = 86_400_000

export const daysAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)

/** 0 is Sunday. */
export const weekdayOf = (day: string): number => new Date(Date.parse(day)).getUTCDay()

/** Whether the text names a day that there is. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && daysAfter(text, 0) === text
