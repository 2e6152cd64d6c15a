/** Answers of the service, read as they come: one body of JSON, or events. */
import type { IncomingMessage } from 'node:http'
import { unavailable } from '../../../kernel/refusal.ts'
import { failure, inOneLine, type Frame, parseFrame, UNREACHABLE } from './frame.ts'
import { isTooLong, lines } from './lines.ts'

/** No answer is longer, in bytes. */
const LONGEST = 64 * 1024 * 1024

/** Yields the frames of an answer as they arrive, each in one line. The call itself is always answered. */
export async function* framesOf(answer: IncomingMessage, call: Frame): AsyncGenerator<string> {
  if (!isEvents(answer)) {
    const line = lineOf(await textOf(answer), answer, call)
    if (line !== undefined) yield line
    return
  }
  let isAnswered = call.id === undefined
  for await (const event of events(answer)) {
    isAnswered ||= answers(event, call)
    yield inOneLine(event)
  }
  if (!isAnswered) throw unavailable(CUT_OFF)
}

/** Returns the frame that answers the call, and leaves out what comes before it. */
export async function answerOf(answer: IncomingMessage, call: Frame): Promise<string> {
  let last = ''
  for await (const frame of framesOf(answer, call)) last = frame
  return last
}

export const CUT_OFF = 'the connection was lost; whether the call took effect is not known'

const isEvents = ({ headers }: IncomingMessage): boolean =>
  headers['content-type']?.startsWith('text/event-stream') ?? false

function lineOf(body: string, answer: IncomingMessage, { id }: Frame): string | undefined {
  const { statusCode = 0, headers } = answer
  const isPlain = statusCode === 200 && (headers['content-type'] ?? '').includes('json')
  if (isPlain && body !== '') return inOneLine(body)
  const frame = parseFrame(body)
  // Refused before it was read: only we know which call that answers.
  if (frame?.id === null && id !== undefined) return JSON.stringify({ ...frame, id })
  // What names no call, as the JSON of a proxy, would leave the client waiting.
  if (frame && (frame.id !== undefined || id === undefined)) return inOneLine(body)
  if (id === undefined) return undefined
  const what = body === '' ? 'without a body' : 'with something that is no answer to the call'
  return failure(id, UNREACHABLE, `the service answered ${statusCode} ${what}`)
}

function answers(event: string, { id }: Frame): boolean {
  const frame = parseFrame(event)
  return frame !== undefined && frame.id === id && frame.method === undefined
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of bodyOf(answer)) {
    size += part.length
    if (size > LONGEST) throw tooLong()
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8').trim()
}

/** The data of each server-sent event. */
async function* events(answer: IncomingMessage): AsyncGenerator<string> {
  let data: string[] = []
  for await (const line of lines(bodyOf(answer), { longest: LONGEST, keepBlank: true })) {
    if (isTooLong(line)) throw tooLong()
    const text = line.toString('utf8')
    if (text.startsWith('data:')) data.push(text.slice(text[5] === ' ' ? 6 : 5))
    if (text !== '' || data.length === 0) continue
    yield data.join('\n')
    data = []
  }
}

async function* bodyOf(answer: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    for await (const part of answer) yield part as Buffer
  } catch {
    throw unavailable(CUT_OFF)
  }
}

const tooLong = (): Error => unavailable('the answer of the service is too long to be passed on')
