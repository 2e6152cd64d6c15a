/** From the bytes of a page to what is worth keeping of it, in a thread that cannot hold up this one. */
import { Worker } from 'node:worker_threads'
import type { Kernel } from '../kernel/kernel.ts'
import { invalid, unavailable } from '../kernel/refusal.ts'
import type { Page } from './fetch.ts'

const TIME_MS = 8_000
/** Of the thread's heap, in MiB. A page that needs more is kept as plain text. */
const OLD_SPACE = 48
const YOUNG_SPACE = 8

/** What the thread is given. */
export interface Job {
  bytes: Uint8Array<ArrayBuffer>
  kind: Page['kind']
  charset: string | null
  /** What links are relative to. */
  url: string
}

/** What the thread tells, once or twice: the second is the better one. */
export interface Reading {
  /** Empty when the page has none. */
  title: string
  text: string
  /** There was more. */
  cut: boolean
  done: boolean
}

/** Takes the bytes of the page away. Throws a Refusal when the page holds no text. */
export async function readPage(
  { log }: Pick<Kernel, 'log'>,
  { bytes, kind, charset, url, cut }: Page,
  stop: AbortSignal,
): Promise<Pick<Reading, 'title' | 'text' | 'cut'>> {
  const job: Job = { bytes, kind, charset, url: url.href }
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: job,
    // It goes with the thread, and no copy of it stays behind here.
    transferList: [bytes.buffer],
    resourceLimits: { maxOldGenerationSizeMb: OLD_SPACE, maxYoungGenerationSizeMb: YOUNG_SPACE },
  })
  let reading: Reading | undefined
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const late = setTimeout(resolve, TIME_MS)
  const end = (): void => resolve()
  worker.on('message', (told: Reading) => {
    reading = told
    if (told.done) resolve()
  })
  worker.on('error', (error) => {
    log.info({ err: error, host: url.host }, 'a page is kept as plain text')
    resolve()
  })
  worker.on('exit', end)
  stop.addEventListener('abort', end, { once: true })
  try {
    await ended
  } finally {
    clearTimeout(late)
    stop.removeEventListener('abort', end)
    await worker.terminate()
  }
  if (stop.aborted) throw unavailable('the service is stopping; try again')
  if (!reading || reading.text.trim() === '') {
    throw invalid(
      'URL fetch failed (the page holds no text); pages that a script fills cannot be captured: ' +
        'read it yourself and keep it with notes_create',
    )
  }
  return { title: reading.title, text: reading.text, cut: cut || reading.cut }
}
