/** The windows of time that pages are asked for by `w`. */
import { Choice } from './parameters.ts'

/** `within` stands behind what was done in it. */
export const WINDOWS = {
  '24h': { label: 'last 24 hours', within: 'in the last 24 hours', span: '24 hours', hours: 24 },
  '7d': { label: 'last 7 days', within: 'in the last 7 days', span: '7 days', hours: 168 },
  '30d': { label: 'last 30 days', within: 'in the last 30 days', span: '30 days', hours: 720 },
  all: { label: 'all time', within: 'since the beginning', span: null, hours: Infinity },
} as const

export type Window = keyof typeof WINDOWS
export const WINDOW_KEYS = ['24h', '7d', '30d', 'all'] as const satisfies readonly Window[]

export const isWindow = (value: unknown): value is Window =>
  WINDOW_KEYS.some((window) => window === value)

/** The parameter `w` of a page. */
export const WindowParameter = Choice(WINDOW_KEYS)

/** The window, or the next wider one that still holds this time: a list beside an item shows the item too. */
export function windowHolding(w: Window, time: Date, now: number): Window {
  const hours = (now - time.getTime()) / 3_600_000
  return WINDOW_KEYS.find((key) => WINDOWS[key].hours >= Math.max(hours, WINDOWS[w].hours)) ?? 'all'
}
