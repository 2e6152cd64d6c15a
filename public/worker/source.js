/* The stream of events, opened anew whenever it breaks. */

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 5_000
/* Events that come together are handed on together. */
const TOGETHER_MS = 50
const LOOK_MS = 15_000
const ANSWER_MS = 5_000
/* Timers stood still for so long: the machine slept, and its connections may be dead without a word. */
const ASLEEP_MS = 45_000

/*
 * Tells `onState` { name: 'waiting' | 'live' | 'away' | 'signed-out', since }, `onEvents` what happened, and `onMissed`
 * that something may have happened while nobody listened: what is shown has to be read again.
 */
export function openSource({ onState, onEvents, onMissed }) {
  let source
  let tries = 0
  let retry
  let since = 0
  let waiting = []
  let flushing
  let lookedAt = Date.now()

  function open() {
    clearTimeout(retry)
    source?.close()
    source = new EventSource('/console/events')
    source.addEventListener('open', () => {
      tries = 0
      onState({ name: 'live', since: Date.now() })
      onMissed()
    })
    source.addEventListener('message', ({ data }) => {
      waiting.push(JSON.parse(data))
      flushing ??= setTimeout(flush, TOGETHER_MS)
    })
    source.addEventListener('resync', () => onMissed())
    source.addEventListener('error', breakOff)
  }

  function flush() {
    const events = waiting
    waiting = []
    flushing = undefined
    onEvents(events)
  }

  async function breakOff() {
    const broken = source
    // For good: something else than a stream was answered.
    const wasRefused = broken.readyState === EventSource.CLOSED
    broken.close()
    if (tries++ === 0) since = Date.now()
    const name = wasRefused && (await isSignedOut()) ? 'signed-out' : 'away'
    if (source !== broken) return
    onState({ name, since })
    // It varies, so that browsers do not come back all at once.
    const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** tries) * (0.75 + Math.random() / 2)
    retry = setTimeout(open, wait)
  }

  const looking = setInterval(() => {
    const asleep = Date.now() - lookedAt > ASLEEP_MS
    lookedAt = Date.now()
    if (asleep) open()
  }, LOOK_MS)
  onState({ name: 'waiting', since: Date.now() })
  open()
  return {
    close() {
      for (const timer of [retry, flushing]) clearTimeout(timer)
      clearInterval(looking)
      source.close()
      source = undefined
    },
  }
}

/* Whether the key is missing. A stream that was refused does not say why. */
async function isSignedOut() {
  try {
    const { status, body } = await fetch('/console/events', {
      headers: { accept: 'text/event-stream' },
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    await body?.cancel()
    return status === 401
  } catch {
    return false
  }
}
