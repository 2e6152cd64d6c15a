/** A year of days as a calendar: how many sessions began on each, and whether they left something. */
import type { CaptureCalendar } from '../../momentum/momentum.ts'
import { daysAfter } from '../../momentum/momentum.ts'
import { declareFigures } from '../figures.ts'

const FLAME_DAYS = 7
const LEVELS = 4
const WEEK_DAYS = 7

const figure = declareFigures('capture', ['/console/sessions'], {
  current: {
    label: 'Days in a row',
    unit: ['day', 'days'],
    definition:
      'Days in a row, up to today, with a session that left findings, a memory, a note or a trial. A day that is not over breaks nothing.',
    leads: 'explanation',
    href: () => '/console/sessions#calendar',
  },
  longest: {
    label: 'Longest ever',
    unit: ['day', 'days'],
    definition:
      'The most days in a row there ever were, each with a session that left findings, a memory, a note or a trial.',
    leads: 'explanation',
    href: () => '/console/sessions#calendar',
  },
})

const inWords = new Intl.DateTimeFormat('en-GB', {
  ...{ day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' },
})
const monthOf = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' })

/** `18 November 2026`. */
export const dayInWords = (day: string): string => inWords.format(new Date(day))

/** @param chosen the day of which the list shows the sessions; '' when it shows others */
export function calendarOf({ today, first, days, streak }: CaptureCalendar, chosen: string) {
  const known = new Map(days.map((one) => [one.day, one]))
  const most = Math.max(1, ...days.map(({ sessions }) => sessions))
  const weeks = []
  for (let sunday = first; sunday <= today; sunday = daysAfter(sunday, WEEK_DAYS)) {
    const week = Array.from({ length: WEEK_DAYS }, (_, nth) => daysAfter(sunday, nth))
    weeks.push({
      // A month stands over the week with its first day.
      month: week.find((day) => day.endsWith('-01') && day <= today),
      days: week
        .filter((day) => day <= today)
        .map((day) => {
          const { sessions = 0, covered = false } = known.get(day) ?? {}
          return { day, covered, level: levelOf(sessions, most), current: day === chosen, sessions }
        }),
    })
  }
  return {
    weeks: weeks.map(({ month, days }) => ({
      month: month ? monthOf.format(new Date(month)) : '',
      days: days.map(({ sessions, ...day }) => ({ ...day, label: labelOf(day, sessions) })),
    })),
    figures: [
      figure('current', { value: streak.current }),
      figure('longest', { value: streak.longest }),
    ],
    flame: streak.current >= FLAME_DAYS,
  }
}

/** From 0, without a session, to 4. */
const levelOf = (sessions: number, most: number): number =>
  sessions === 0 ? 0 : Math.min(LEVELS, 1 + Math.floor((sessions * LEVELS - 1) / most))

function labelOf({ day, covered }: { day: string; covered: boolean }, sessions: number): string {
  if (sessions === 0) return ''
  const many = `${sessions.toLocaleString('en')} ${sessions === 1 ? 'session' : 'sessions'}`
  return `${dayInWords(day)}: ${many}, ${covered ? 'something kept' : 'nothing kept'}`
}
