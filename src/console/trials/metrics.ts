/** The figures of a trial as pages show them: each a name and a value in words. */
import { oneLine } from '../../text/text.ts'

export interface Metric {
  key: string
  value: string
}

const VALUE_CHARACTERS = 500

/** Of the object as it was recorded; what is within a figure is shown as JSON. */
export const metricsOf = (metrics: object): Metric[] =>
  Object.entries(metrics).map(([key, value]) => ({ key, value: wordsOf(value) }))

export function wordsOf(value: unknown): string {
  if (typeof value === 'number') return value.toLocaleString('en', { maximumSignificantDigits: 15 })
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value), VALUE_CHARACTERS)
}
