/**
 * One hook of an agent's client: its payload comes on standard input, the service's answer goes out on
 * standard output. Nothing here may ever block an agent: whatever fails, the exit code says success,
 * and one line says what happened. Neither the database nor a room is imported.
 */
import { request as plain } from 'node:http'
import { request as secure } from 'node:https'
import type { Readable } from 'node:stream'
import { loadClient } from '../config/client.ts'
import { invalid } from '../kernel/refusal.ts'
import {
  concernsPlans,
  extract,
  hookEvents,
  type HookClient,
  type Payload,
} from './hook/extract.ts'

export interface HookOptions {
  client: string
  config?: string
}

/** The streams of the process; a test brings its own. */
interface Streams {
  input: Readable
  output(line: string): void
  complain(line: string): void
}

/** What is read of a payload, in bytes; the service takes no more either. */
const LARGEST = 8 * 1024 * 1024
/** Until the whole payload is here, in ms. */
const PAYLOAD = 1_000
/** Until the service has taken the connection, in ms: one that is not there is known at once. */
const CONNECT = 800
/** Until the whole answer is here, in ms. A prompt waits for it, so it is shorter than the client's own. */
const ANSWER = 4_000
/** Captures read whole plans and reports. */
const CAPTURE = 8_500
const CAPTURES = new Set(['post-tool-use', 'subagent-stop', 'session-end'])

/** Events whose answer an agent reads, by the name the clients give them. */
const WITH_CONTEXT: Record<string, string> = {
  'session-start': 'SessionStart',
  'user-prompt-submit': 'UserPromptSubmit',
  'subagent-start': 'SubagentStart',
}

const CLIENTS = ['claude-code', 'codex']

/** Refuses an event or a client that does not exist; everything else ends well. */
export async function runHook(
  event: string,
  options: HookOptions,
  streams: Streams = processStreams,
): Promise<void> {
  if (!hookEvents.includes(event)) {
    throw invalid(`no hook "${event.slice(0, 100)}"; there are ${hookEvents.join(', ')}`)
  }
  if (!CLIENTS.includes(options.client)) {
    throw invalid(`no client "${options.client.slice(0, 100)}"; there are ${CLIENTS.join(', ')}`)
  }
  try {
    const payload = await readPayload(streams.input)
    if (event === 'post-tool-use' && !concernsPlans(payload)) return
    const answer = await ask(event, payload, options)
    if (answer.trim() !== '') streams.output(answer.trim())
  } catch (error) {
    tellOf(event, error as Error, streams)
  }
}

/** An agent that is told nothing would take silence for "nothing is known"; it is told the truth instead. */
function tellOf(event: string, error: Error, { output, complain }: Streams): void {
  const why = error.message.replaceAll(/\s+/g, ' ').slice(0, 300)
  const hookEventName = WITH_CONTEXT[event]
  if (!hookEventName) {
    complain(`loam: ${event} was not recorded: ${why}`)
    return
  }
  const additionalContext = `Loam was not reached, so nothing was looked up for this: ${why}`
  output(
    JSON.stringify({
      continue: true,
      suppressOutput: true,
      hookSpecificOutput: { hookEventName, additionalContext },
    }),
  )
}

async function ask(event: string, payload: Payload, options: HookOptions): Promise<string> {
  const client = await loadClient({ file: options.config })
  const key = await client.key()
  const full = await extract(event, payload, options.client as HookClient)
  const url = new URL(`${client.url}/api/hooks/${event}?client=${options.client}`)
  return post(url, key, JSON.stringify(full), CAPTURES.has(event) ? CAPTURE : ANSWER)
}

function post(url: URL, key: string, body: string, patience: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const send = url.protocol === 'https:' ? secure : plain
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  }
  const request = send(url, { method: 'POST', headers, agent: false }, (answer) => {
    const parts: Buffer[] = []
    answer.on('data', (part: Buffer) => parts.push(part))
    answer.on('error', reject)
    answer.on('end', () => {
      if (answer.statusCode === 200) resolve(Buffer.concat(parts).toString('utf8'))
      else
        reject(
          new Error(`${url.origin} answered ${answer.statusCode}${hintFor(answer.statusCode)}`),
        )
    })
  })
  const stop = (what: string) => () => request.destroy(new Error(`${url.origin} ${what}`))
  const connecting = setTimeout(stop('cannot be reached'), CONNECT)
  const answering = setTimeout(stop(`gave no answer within ${patience / 1000} s`), patience)
  request.on('socket', (socket) => {
    socket.on('connect', () => clearTimeout(connecting))
  })
  request.on('close', () => {
    clearTimeout(connecting)
    clearTimeout(answering)
  })
  request.on('error', (error: NodeJS.ErrnoException) => {
    reject(error.code ? new Error(`${url.origin} cannot be reached (${error.code})`) : error)
  })
  request.end(body)
  return promise
}

const hintFor = (status: number | undefined): string =>
  status === 401 ? ': the key is wrong, see "loam key"' : ''

/** What is no JSON object, or longer than any payload, counts as an empty one. */
async function readPayload(input: Readable): Promise<Payload> {
  const parts: Buffer[] = []
  let size = 0
  // A client that does not close the pipe has said what it has to say.
  const enough = setTimeout(() => input.destroy(), PAYLOAD)
  try {
    for await (const part of input as AsyncIterable<Buffer | string>) {
      const bytes = Buffer.from(part)
      size += bytes.length
      if (size <= LARGEST) parts.push(bytes)
    }
  } catch {
    // Whatever came before it broke off is judged below.
  } finally {
    clearTimeout(enough)
  }
  if (size > LARGEST) return {}
  try {
    const value: unknown = JSON.parse(
      Buffer.concat(parts)
        .toString('utf8')
        .replace(/^\ufeff/, ''),
    )
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Payload)
      : {}
  } catch {
    return {}
  }
}

const processStreams: Streams = {
  input: process.stdin,
  output: (line) => void process.stdout.write(`${line}\n`),
  complain: (line) => void process.stderr.write(`${line}\n`),
}
