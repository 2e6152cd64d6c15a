/**
 * The smallest edits of a TOML file that somebody else wrote: tables of ours are put behind the last line
 * and taken out whole; nothing else is touched. Values are read by a parser, places by their headers.
 */
import { parse } from 'smol-toml'
import { invalid } from '../../../../kernel/refusal.ts'
import { eolOf, splice } from './json.ts'

export type Table = Record<string, unknown>

export function tomlOf(text: string): Table {
  try {
    return parse(text.replace(/^\ufeff/, ''), { integersAsBigInt: 'asNeeded' }) as Table
  } catch (error) {
    throw invalid(`not TOML (${(error as Error).message.split('\n', 1)[0]})`)
  }
}

/** Puts a table behind the last line, its inner tables behind it. */
export function appendTable(text: string, path: readonly string[], table: Table): string {
  const eol = eolOf(text)
  const body = text.replace(/^\ufeff/, '')
  const gap =
    body === '' ? '' : `${body.endsWith('\n') ? '' : eol}${/\n\r?\n$/.test(body) ? '' : eol}`
  return `${text}${gap}${written(path, table).join(eol)}${eol}`
}

/** Takes a table out with its inner tables, and the blank line that came with it. */
export function removeTable(text: string, path: readonly string[]): string {
  const headers = headersOf(text)
  const within = (name: readonly string[]): boolean => path.every((part, at) => name[at] === part)
  let rest = text
  for (const [place, { at, name }] of [...headers.entries()].toReversed()) {
    if (!within(name)) continue
    const next = headers[place + 1]
    const end = next ? beginningOf(rest, at, next.at) : rest.length
    const gap = /\r?\n(?=\r?\n$)/.exec(rest.slice(0, at))
    const isLast = rest.slice(end).trim() === ''
    const from = isLast && gap ? at - /\r?\n$/.exec(rest.slice(0, at))![0].length : at
    rest = splice(rest, from, end, '')
  }
  return rest
}

/** Whether a table stands under a header of its own, so that it can be taken out whole. */
export const hasHeader = (text: string, path: readonly string[]): boolean =>
  headersOf(text).some(
    ({ name }) => name.length === path.length && path.every((part, at) => name[at] === part),
  )

/** Comments right above a header belong to its table, and the blank lines before them to nobody. */
function beginningOf(text: string, from: number, header: number): number {
  const lines = text.slice(from, header).split(/(?<=\n)/)
  let at = header
  while (lines.length > 1 && /^\s*(?:#.*)?\r?\n?$/.test(lines.at(-1)!)) at -= lines.pop()!.length
  const blank = /^(?:[ \t]*\r?\n)+/.exec(text.slice(at, header))
  return at + (blank?.[0].length ?? 0)
}

interface Header {
  at: number
  name: string[]
}

/** The headers of a text with their places; brackets within values are none. */
function headersOf(text: string): Header[] {
  const headers: Header[] = []
  let at = text.startsWith('\ufeff') ? 1 : 0
  while (at < text.length) {
    const line = /^[ \t]*/.exec(text.slice(at))![0].length + at
    if (text[line] === '[') {
      const [head] = /^\[[^\r\n]*/.exec(text.slice(line))!
      headers.push({ at, name: nameOf(head) })
      at = lineEnd(text, line)
    } else at = valueEnd(text, line)
  }
  return headers
}

/** The parts of a header's name; none for one that is not understood. */
function nameOf(head: string): string[] {
  const names: string[] = []
  let table: unknown
  try {
    table = parse(head)
  } catch {
    return []
  }
  while (typeof table === 'object' && table !== null) {
    const [name] = Object.keys(table)
    if (name === undefined) break
    if (!Array.isArray(table)) names.push(name)
    table = (table as Table)[name]
  }
  return names
}

const lineEnd = (text: string, from: number): number => {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end + 1
}

/** The end of a line that may hold strings and lists over several lines. */
function valueEnd(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const three = text.slice(at, at + 3)
    if (three === '"""' || three === "'''") at = closing(text, at + 3, three)
    else if (text[at] === '"' || text[at] === "'") at = closing(text, at + 1, text[at]!)
    else if (text[at] === '#') at = commentEnd(text, at)
    else if (text[at] === '[' || text[at] === '{') depth++
    else if (text[at] === ']' || text[at] === '}') depth--
    else if (text[at] === '\n' && depth <= 0) return at + 1
  }
  return text.length
}

/** The last character of a comment: what ends its line counts for the value around it. */
const commentEnd = (text: string, from: number): number => {
  const end = text.indexOf('\n', from)
  return (end === -1 ? text.length : end) - 1
}

/** The last character of a string; one in single quotes knows no escapes. */
function closing(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\' && quote.startsWith('"')) at++
    else if (text.startsWith(quote, at)) return at + quote.length - 1
  }
  return text.length
}

function written(path: readonly string[], table: Table): string[] {
  const inner = Object.entries(table).filter(([, value]) => isTable(value))
  const plain = Object.entries(table).filter(([, value]) => !isTable(value))
  return [
    ...(plain.length > 0 || inner.length === 0 ? [`[${path.map(keyOf).join('.')}]`] : []),
    // The strings of JSON are strings of TOML, and its lists are lists.
    ...plain.map(([key, value]) => `${keyOf(key)} = ${JSON.stringify(value)}`),
    ...inner.flatMap(([key, value]) => ['', ...written([...path, key], value as Table)]),
  ]
}

const isTable = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const keyOf = (key: string): string => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key))

/** Gives keys of a table other values, in their own lines; what else stands in the table stays. */
export function setKeys(text: string, path: readonly string[], wanted: Table): string {
  let rest = text
  for (const [key, value] of Object.entries(wanted)) {
    const headers = headersOf(rest)
    const place = headers.findIndex(
      ({ name }) => name.length === path.length && path.every((part, at) => name[at] === part),
    )
    const header = headers[place]
    if (!header) throw new Error(`no table ${path.join('.')}`)
    const line = `${keyOf(key)} = ${JSON.stringify(value)}`
    const end = headers[place + 1]?.at ?? rest.length
    const first = lineEnd(rest, header.at)
    const known = statements(rest, first, end).find(({ name }) => name === key)
    const eol = eolOf(rest)
    const ended = rest.slice(0, first).endsWith('\n') ? '' : eol
    rest = known
      ? splice(
          rest,
          known.at,
          known.end,
          line + (/\r?\n$/.exec(rest.slice(0, known.end))?.[0] ?? ''),
        )
      : splice(rest, first, first, `${ended}${line}${eol}`)
  }
  return rest
}

function statements(
  text: string,
  from: number,
  to: number,
): { name: string; at: number; end: number }[] {
  const found: { name: string; at: number; end: number }[] = []
  for (let at = from; at < to;) {
    const end = valueEnd(text, at)
    const [, name] = /^[ \t]*["']?([\w-]+)["']?[ \t]*=/.exec(text.slice(at, end)) ?? []
    if (name !== undefined) found.push({ name, at, end })
    at = end
  }
  return found
}
