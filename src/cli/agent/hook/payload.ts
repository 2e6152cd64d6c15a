import type { Readable } from 'node:stream'

/** As a client prints it on our standard input; nothing of it is certain. */
export type Payload = Record<string, unknown>

/** What is read of a payload, in bytes; the service takes no more either. */
const LARGEST = 8 * 1024 * 1024
/** Until the whole payload is here. */
const PAYLOAD_MS = 1_000

/** Returns what the client said. An input that is no JSON object, or too long, is an empty payload. */
export async function readPayload(input: Readable): Promise<Payload> {
  const parts: Buffer[] = []
  let size = 0
  // A client that does not close the pipe has said what it has to say.
  const enough = setTimeout(() => input.destroy(), PAYLOAD_MS)
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
  return size > LARGEST ? {} : parse(Buffer.concat(parts).toString('utf8'))
}

function parse(text: string): Payload {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Payload)
      : {}
  } catch {
    return {}
  }
}
