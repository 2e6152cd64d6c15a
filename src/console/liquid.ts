/** The template engine: everything is escaped, a misspelt name is an error, templates are files of ours only. */
import { fileURLToPath } from 'node:url'
import { Liquid } from 'liquidjs'
import { renderMarkdown } from './markdown.ts'

export const VIEWS = fileURLToPath(new URL('../../views/', import.meta.url))

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export function openLiquid({ cache }: { cache: boolean }): Liquid {
  const engine = new Liquid({
    root: VIEWS,
    extname: '.liquid',
    cache,
    strictVariables: true,
    strictFilters: true,
    lenientIf: true,
    ownPropertyOnly: true,
    dynamicPartials: false,
    outputEscape: 'escape',
  })
  engine.registerFilter('markdown', { raw: true, handler: (text: string) => renderMarkdown(text) })
  engine.registerFilter('ago', ago)
  engine.registerFilter('utc', utc)
  engine.registerFilter('iso', (time: Date) => time.toISOString())
  engine.registerFilter('project', (slug: string) => slug || 'global')
  engine.registerFilter('segment', (text: string) => encodeURIComponent(text))
  engine.registerFilter('tail', (id: string) => id.slice(-8))
  engine.registerFilter('pretty', (value: unknown) => JSON.stringify(value, null, 2))
  engine.registerFilter('count', (n: number) => n.toLocaleString('en-US'))
  return engine
}

/** `just now`, minutes, hours, days up to 29, then months and years. */
export function ago(time: Date | null, now = Date.now()): string {
  if (time === null) return '–'
  const passed = now - time.getTime()
  if (passed < 0) return 'now'
  if (passed < MINUTE) return 'just now'
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)}m ago`
  if (passed < DAY) return `${Math.floor(passed / HOUR)}h ago`
  if (passed < 30 * DAY) return `${Math.floor(passed / DAY)}d ago`
  if (passed < 365 * DAY) return `${Math.floor(passed / (30 * DAY))}mo ago`
  return `${Math.floor(passed / (365 * DAY))}y ago`
}

/** `YYYY-MM-DD HH:MM UTC`. */
export function utc(time: Date | null): string {
  return time === null ? '–' : `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
