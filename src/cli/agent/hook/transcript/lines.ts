/** Reads a client's own transcript of a session, line by line. Every line may be torn, strange or missing. */
import { fs } from '../../../client/node.ts'

export interface Tokens {
  /** Not served from a cache. */
  input: number
  cached: number
  cache_creation: number
  output: number
}

/** What is read of the end of a transcript, in bytes. */
const TAIL = 1024 * 1024
/** What is read of its beginning. */
const HEAD = 256 * 1024
/** A line past this is skipped: no message is so long, but the output of a tool may be. */
const LONGEST_LINE = 16 * 1024 * 1024
/** As much of a last message as is worth keeping, in characters. */
const FINDINGS = 2_000

/** A line of a transcript, as far as anything is known of it. */
export interface Line {
  type?: unknown
  isSidechain?: unknown
  message?: {
    id?: unknown
    role?: unknown
    model?: unknown
    content?: unknown
    usage?: Record<string, unknown>
  }
  payload?: Record<string, unknown>
}

export const count = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0

/** The text of a message: a string, or parts of which some are text. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content.trim()
  if (!Array.isArray(content)) return ''
  return content
    .map((part: { type?: unknown; text?: unknown } | null) =>
      (part?.type === 'text' || part?.type === 'output_text') && typeof part.text === 'string'
        ? part.text
        : '',
    )
    .filter((text) => text !== '')
    .join('\n')
    .trim()
}

export const cut = (text: string): string => [...text].slice(0, FINDINGS).join('')

/** The whole lines among the last bytes of a file, oldest first. */
export const tail = (path: string): Line[] => parse(tailText(path))

/** The same, newest first; a line is read when it is asked for. */
export function* newestFirst(path: string): Generator<Line> {
  const text = tailText(path)
  for (let end = text.length; end > 0;) {
    const begin = text.lastIndexOf('\n', end - 1) + 1
    const line = parseLine(text.slice(begin, end))
    if (line) yield line
    end = begin - 1
  }
}

function tailText(path: string): string {
  const { text, whole } = readPart(path, (size) => Math.max(0, size - TAIL), TAIL)
  return whole ? text : text.slice(text.indexOf('\n') + 1)
}

export const head = (path: string): Line[] => parse(readPart(path, () => 0, HEAD).text)

function readPart(
  path: string,
  from: (size: number) => number,
  length: number,
): { text: string; whole: boolean } {
  let file: number | undefined
  try {
    file = fs.openSync(path, 'r')
    const { size } = fs.fstatSync(file)
    const start = from(size)
    const buffer = Buffer.alloc(Math.min(length, size - start))
    const read = fs.readSync(file, buffer, 0, buffer.length, start)
    return { text: buffer.toString('utf8', 0, read), whole: start === 0 }
  } catch {
    return { text: '', whole: true }
  } finally {
    if (file !== undefined) fs.closeSync(file)
  }
}

const parse = (text: string): Line[] => text.split('\n').flatMap((line) => parseLine(line) ?? [])

function parseLine(line: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** Every line of a file, one after the other: a long session's transcript fits in no memory. */
export async function* lines(path: string): AsyncGenerator<Line> {
  let rest: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of fs.createReadStream(path) as AsyncIterable<Buffer>) {
      let from = 0
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
        rest.push(chunk.subarray(from, end))
        size += end - from
        const line =
          size <= LONGEST_LINE ? parseLine(Buffer.concat(rest).toString('utf8')) : undefined
        if (line) yield line
        from = end + 1
        rest = []
        size = 0
      }
      size += chunk.length - from
      // Of a line that is too long nothing is kept but its length.
      rest = size <= LONGEST_LINE ? [...rest, chunk.subarray(from)] : []
    }
  } catch {
    return
  }
  const last = parseLine(Buffer.concat(rest).toString('utf8'))
  if (last) yield last
}
