/** Extracts the text of a page, in a thread that cannot block this one. */
import { Worker } from 'node:worker_threads'
import type { Kernel } from '../kernel/kernel.ts'
import { invalid, unavailable } from '../kernel/refusal.ts'
import type { Page } from './fetch.ts'

const TIME_MS = 8_000
/** The heap of the thread. A page that needs more is kept as plain text. */
const OLD_SPACE_MIB = 48
const YOUNG_SPACE_MIB = 8

/** The input of the thread. */
export interface Job {
  bytes: Uint8Array<ArrayBuffer>
  kind: Page['kind']
  charset: string | null
  /** The address that links are relative to. */
  url: string
}

/** A message of the thread. It sends one or two, and the second is the better one. */
export interface Reading {
  /** Empty when the page has none. */
  title: string
  text: string
  /** Whether the text was longer. */
  cut: boolean
  done: boolean
}

/** Returns the text of a page and consumes its bytes. Throws a Refusal when the page holds no text. */
export async function readPage(
  { log }: Pick<Kernel, 'log'>,
  { bytes, kind, charset, url, cut }: Page,
  stop: AbortSignal,
): Promise<Pick<Reading, 'title' | 'text' | 'cut'>> {
  const job: Job = { bytes, kind, charset, url: url.href }
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: job,
    // The bytes move to the thread, and no copy stays here.
    transferList: [bytes.buffer],
    resourceLimits: {
      maxOldGenerationSizeMb: OLD_SPACE_MIB,
      maxYoungGenerationSizeMb: YOUNG_SPACE_MIB,
    },
  })
  let reading: Reading | undefined
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const late = setTimeout(resolve, TIME_MS)
  const end = (): void => resolve()
  worker.on('message', (message: Reading) => {
    reading = message
    if (message.done) resolve()
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
