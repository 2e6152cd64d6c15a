/**
 * Is loaded into the thread of the embedded database before its own code, and notes there how long each statement keeps
 * it at work. The main thread says over a channel when a spell begins, and asks at its end what was noted.
 */
import { PGlite } from '@electric-sql/pglite'
import { cutMessages, typeOf } from '../../../src/postgres/embedded/wire.ts'

const CHANNEL = 'bench-where-engine'
/** A thread that does not answer within it has no database. */
const PATIENCE_MS = 2_000

/** Milliseconds for which the thread was at work, by the text of the statement. */
export type AtWork = Record<string, number>

type Said = { say: 'begin' } | { say: 'end' } | { say: 'noted'; atWork: AtWork }

/** What a message of the protocol names: the text of a statement, or the name under which one was prepared. */
function namesOf(message: Buffer): string[] {
  return message.toString('utf8', 5).split('\0')
}

/** Notes statements in this thread. */
export function noteAtWork(): void {
  const prepared = new Map<string, string>()
  let atWork: AtWork | undefined

  function textOf(message: Buffer): string | undefined {
    const [first = '', second = ''] = namesOf(message)
    if (typeOf(message) === 'Q') return first
    if (typeOf(message) === 'P') prepared.set(first, second)
    return typeOf(message) === 'B' ? prepared.get(second) : undefined
  }

  const { prototype } = PGlite
  const real = Reflect.get(prototype, 'execProtocolRawStream') as PGlite['execProtocolRawStream']
  prototype.execProtocolRawStream = function (this: PGlite, ...given) {
    const from = performance.now()
    // It has run to its end when it returns.
    const running = real.apply(this, given)
    const spent = performance.now() - from
    const texts = cutMessages(Buffer.from(given[0]), true).messages.flatMap(
      (message) => textOf(message) ?? [],
    )
    const [text = 'others'] = texts
    if (atWork) atWork[text] = (atWork[text] ?? 0) + spent
    return running
  }

  const channel = new BroadcastChannel(CHANNEL)
  channel.addEventListener('message', ({ data }: MessageEvent<Said>) => {
    if (data.say === 'begin') atWork = {}
    if (data.say !== 'end' || !atWork) return
    channel.postMessage({ say: 'noted', atWork })
    atWork = undefined
  })
}

/** Begins a spell, and returns what ends it. */
export function spellOfEngine(): () => Promise<AtWork> {
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage({ say: 'begin' })
  return () =>
    new Promise((resolve) => {
      const over = (atWork: AtWork): void => {
        clearTimeout(timer)
        channel.close()
        resolve(atWork)
      }
      const timer = setTimeout(over, PATIENCE_MS, {})
      channel.addEventListener('message', ({ data }: MessageEvent<Said>) => {
        if (data.say === 'noted') over(data.atWork)
      })
      channel.postMessage({ say: 'end' })
    })
}
