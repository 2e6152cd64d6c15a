/** The log of a process: JSON lines for a supervisor, plain lines for a person at a terminal. */
import { type Logger, pino } from 'pino'
import type { Machine, Output } from '../../machine.ts'

export const LOG_FORMS = ['json', 'plain'] as const
type LogForm = (typeof LOG_FORMS)[number]

/**
 * Opens the log on standard error, or in a file. Without a form a terminal gets plain lines, of which `info`
 * brings only the warnings and worse: a person asked for a service, not for its diary. Everything else gets
 * JSON.
 */
export function openLog(
  level: string,
  { stderr }: Pick<Machine, 'stderr'>,
  { file, form }: { file?: string | undefined; form?: LogForm | undefined } = {},
): Logger {
  const isWatched = file === undefined && stderr.isTTY === true
  const isPlain = (form ?? (isWatched ? 'plain' : 'json')) === 'plain'
  const dest = file ?? stderr.fd
  // A terminal gets everything through the output that lets nothing steer it.
  if (dest === undefined || isWatched) {
    const shown = isWatched && form === undefined && level === 'info' ? 'warn' : level
    return pino({ level: shown, base: null }, linesTo(stderr, isPlain))
  }
  const lines = pino.destination({ dest, mkdir: true, sync: true })
  return pino({ level, base: null }, isPlain ? linesTo(lines, true) : lines)
}

const linesTo = (output: Pick<Output, 'write'>, isPlain: boolean) => ({
  write: (line: string) => void output.write(isPlain ? plain(line) : line),
})

const LEVELS: Record<number, string> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
}

interface Entry {
  level: number
  time: number
  msg?: string
  err?: { message?: string; stack?: string; code?: string }
}

/** `09:41:07 warn  the words; key=value`, and of an error its words, with the stack when it is ours. */
function plain(line: string): string {
  const { level, time, msg = '', err, ...rest } = JSON.parse(line) as Entry
  const clock = new Date(time).toTimeString().slice(0, 8)
  const more = Object.entries(rest).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const details = more.length > 0 ? ` (${more.join(', ')})` : ''
  const first = `${clock} ${(LEVELS[level] ?? String(level)).padEnd(5)} ${msg}${details}`
  if (err === undefined) return `${first}\n`
  const why = level >= 50 ? (err.stack ?? err.message) : err.message
  return `${first}${why ? `: ${why.replaceAll('\n', '\n    ')}` : ''}\n`
}
