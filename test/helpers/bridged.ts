/** A client and the bridge that it talks through, in this process: frames go in, lines come out. */
import { PassThrough } from 'node:stream'
import { expect } from 'vitest'
import type { Memory } from '../../src/cli/client/bridge/packaged.ts'
import { bridge } from '../../src/cli/client/bridge.ts'

export interface Answer {
  id?: unknown
  method?: string
  error?: { code: number; message: string }
  result?: Record<string, unknown>
}

interface Options {
  key?: string | (() => string)
  patienceMs?: number
  memory?: Memory
  identity?: Record<string, string>
  signal?: AbortSignal
}

export function bridged(
  { url }: { url: string },
  { key = 'right', patienceMs = 5000, ...options }: Options = {},
) {
  const input = new PassThrough()
  const arrived: string[] = []
  const waiting: ((line: string) => void)[] = []
  const output = (line: string) => {
    const next = waiting.shift()
    if (next) next(line)
    else arrived.push(line)
  }
  const client = { url, key: async () => (typeof key === 'string' ? key : key()) }
  const ended = bridge({ client, input, output, patienceMs, ...options })
  /** The next line, as it came. */
  const line = async (): Promise<string> => {
    const next = arrived.shift() ?? (await new Promise<string>((resolve) => waiting.push(resolve)))
    expect(next).not.toContain('\n')
    return next
  }
  const next = async (): Promise<Answer> => JSON.parse(await line()) as Answer
  return {
    send: (frame: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`),
    write: (bytes: string | Buffer) => input.write(bytes),
    line,
    next,
    /** Lines that came and that nobody has taken. */
    arrived,
    async call(frame: object) {
      this.send(frame)
      return next()
    },
    end: () => (input.end(), ended),
    ended,
  }
}
