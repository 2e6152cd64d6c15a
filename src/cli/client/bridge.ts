import type { Client } from '../../config/client.ts'
import type { Refusal } from '../../kernel/refusal.ts'
import { Conversation } from './bridge/conversation.ts'
import { lines } from './bridge/lines.ts'
import { Link } from './bridge/link.ts'
import type { Memory } from './bridge/packaged.ts'
import { openWire } from './bridge/wire.ts'

/** What a client may send in one frame, in bytes. The service takes less, and refuses it in its own words. */
const LONGEST_FRAME = 16 * 1024 * 1024

/** For telling the service that the client is gone, in milliseconds. */
const LEAVE_MS = 300

interface Options {
  client: Client
  /** Headers that say whose requests these are. */
  identity?: Record<string, string>
  /** What is known of the service while it is away. Left out: only the service answers. */
  memory?: Memory
  /** Lines of JSON-RPC from the client that started us. */
  input: AsyncIterable<Buffer | string> & { destroy?(): unknown }
  /** Takes one line, without its end. */
  output(line: string): void
  /** Ends the bridge as if the input had ended, and waits for no answer. */
  signal?: AbortSignal
  /** How long a call waits for a service that is away, in milliseconds. */
  patienceMs?: number
  /** How long answers may still come once the input has ended, in milliseconds. */
  settleMs?: number
}

/**
 * Forwards newline-framed JSON-RPC to the service and its answers back, byte for byte. Ends when the input
 * ends, in less than a second even when the service does not answer.
 */
export async function bridge({
  client,
  identity = {},
  memory,
  input,
  output,
  signal,
  patienceMs = 30_000,
  settleMs = 500,
}: Options): Promise<void> {
  const wire = openWire(`${client.url}/api/mcp`)
  const link = new Link(client, wire, identity)
  let failure: Refusal | undefined
  let isStopped = signal?.aborted ?? false
  const stop = (): void => {
    isStopped = true
    input.destroy?.()
  }
  const refused = (error: Refusal): void => {
    failure = error
    stop()
  }
  const conversation = new Conversation({ link, memory, output, patienceMs, refused })
  signal?.addEventListener('abort', stop)
  try {
    for await (const line of lines(input, { longest: LONGEST_FRAME })) conversation.take(line)
  } catch (error) {
    // A client that dies may tear the pipe.
    if (!isStopped && !('code' in (error as object))) throw error
  } finally {
    signal?.removeEventListener('abort', stop)
    if (!isStopped) await Promise.race([conversation.settled(), pause(settleMs)])
    conversation.close()
    await Promise.race([link.leave(AbortSignal.timeout(LEAVE_MS)), pause(LEAVE_MS)])
    wire.close()
  }
  if (failure) throw failure
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms).unref())
