import { Refusal } from '../../../kernel/refusal.ts'

/** One thing that doctor looked at. */
export interface Check {
  level: 'ok' | 'info' | 'warn' | 'fail'
  about: string
  text: string
}

export const ok = (about: string, text: string): Check => ({ level: 'ok', about, text })
export const info = (about: string, text: string): Check => ({ level: 'info', about, text })
export const warn = (about: string, text: string): Check => ({ level: 'warn', about, text })
export const fail = (about: string, text: string): Check => ({ level: 'fail', about, text })

/** A refusal is what a check reports; anything else is a bug and goes on. */
export function refusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  throw error
}
