/** What was noted within a service, as parts of a call. Times are milliseconds per call. */
import { median } from '../measure.ts'
import type { Noted, Span } from './inside.ts'

export interface Parts {
  /** The median of what a client waits, and the mean, of which the following are parts. */
  median: number
  mean: number
  /** Before the service has the request, and after it has answered. */
  client: number
  /** Within the service: at least one statement is under way. */
  waits: number
  /** A file is made durable, and no statement is under way. */
  durable: number
  /** The rest of the time within the service. */
  computes: number
  /** The thread of the embedded database was at work, for this call and what it left to the background. */
  engine: number
  statements: Statement[]
  /** What the main thread computed, by room or package, the most first. */
  main: [where: string, ms: number][]
}

export interface Statement {
  text: string
  /** Per call. */
  times: number
  ms: number
  /** For so long the thread of the embedded database was at work for it. */
  engine: number
  /** Of all of them: those that were under way when the call had been answered. */
  behind: number
}

const sumOf = (spans: readonly Span[]): number =>
  spans.reduce((sum, { from, to }) => sum + (to - from), 0)

/** Spans that overlap made one, in order. */
function joined(spans: readonly Span[]): Span[] {
  const all: Span[] = []
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to)
    else all.push({ from, to })
  }
  return all
}

/** What lies within both. */
const within = (spans: readonly Span[], others: readonly Span[]): Span[] =>
  spans.flatMap((one) =>
    others
      .map(({ from, to }) => ({ from: Math.max(from, one.from), to: Math.min(to, one.to) }))
      .filter(({ from, to }) => from < to),
  )

/** @param times what a client waited, call by call */
export function partsOf(noted: Noted, times: readonly number[]): Parts {
  const calls = times.length
  const mean = times.reduce((sum, time) => sum + time, 0) / calls
  const requests = joined(noted.requests)
  const asked = within(joined(noted.statements), requests)
  const synced = within(joined(noted.synced), requests)
  const waits = sumOf(asked) / calls
  const durable = (sumOf(synced) - sumOf(within(synced, asked))) / calls
  const served = sumOf(requests) / calls
  return {
    ...{ median: median(times), mean, client: Math.max(0, mean - served), waits, durable },
    computes: Math.max(0, served - waits - durable),
    engine: noted.engine / calls,
    statements: statementsOf(noted, requests, calls),
    main: mainOf(noted.main, calls),
  }
}

function statementsOf(
  { statements, atWork }: Noted,
  requests: readonly Span[],
  calls: number,
): Statement[] {
  const byText = new Map<string, Statement>()
  for (const { from, to, text } of statements) {
    const words = wordsOf(text)
    const one = byText.get(words) ?? { text: words, times: 0, ms: 0, engine: 0, behind: 0 }
    byText.set(words, one)
    one.times += 1 / calls
    one.ms += (to - from) / calls
    if (!requests.some((request) => request.from <= from && from < request.to))
      one.behind += 1 / calls
  }
  for (const [text, ms] of Object.entries(atWork)) {
    const one = byText.get(wordsOf(text))
    if (one) one.engine += ms / calls
  }
  return [...byText.values()].toSorted((a, b) => b.engine - a.engine || b.ms - a.ms)
}

const wordsOf = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

function mainOf(main: Noted['main'], calls: number): Parts['main'] {
  const byRoom = new Map<string, number>()
  for (const [url, ms] of Object.entries(main)) {
    const room = roomOf(url)
    byRoom.set(room, (byRoom.get(room) ?? 0) + ms / calls)
  }
  return [...byRoom].toSorted(([, a], [, b]) => b - a)
}

/** What the runtime says of itself; all else that has no file is written in its own language. */
const RUNTIME = ['(program)', '(garbage collector)']

/** `src/recall`, `kysely`, `node:http`, or what the runtime does. */
function roomOf(url: string): string {
  const [, ours] = /\/(src\/[^/]+)\//.exec(url) ?? []
  const [, theirs] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? []
  if (theirs !== undefined) return theirs
  if (ours !== undefined) return ours
  const [, inner] = /^(node:[^/]+)/.exec(url) ?? []
  if (inner !== undefined) return inner
  if (url === 'postMessage') return 'messages between threads'
  return RUNTIME.includes(url) ? url.slice(1, -1) : 'files and sockets'
}
