/** A process of its own, which is handed passages, works behind everything else and answers once. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { ToFit } from './fit-process.ts'

/** More than learning from the most passages that are read takes. */
const MOST_MEGABYTES = 400
/** For what is young: with more of it, what is over is kept for long, beside the numbers that fill the memory. */
const YOUNG_MEGABYTES = 4
/**
 * Bytes from which on a piece of memory is taken from the system and given back by itself. Left alone, the C library raises
 * this to the size of what was given back last, and keeps from then on what is smaller.
 */
const OWN_PIECE = '131072'

/** The process has ended without an answer. */
export class ChildEnded extends Error {}

export interface Child extends Disposable {
  /** Throws when the process has ended. */
  tell(message: ToFit): Promise<void>
  /** Undefined when it is not to go on. Throws when the process ends without an answer. */
  answer(going: () => boolean): Promise<unknown>
}

/** Begins one, which ends at the latest with this process. */
export function openChild(): Child {
  const child = fork(new URL('./fit-process.ts', import.meta.url), [], {
    serialization: 'advanced',
    execArgv: [
      `--max-old-space-size=${MOST_MEGABYTES}`,
      `--max-semi-space-size=${YOUNG_MEGABYTES}`,
    ],
    env: { MALLOC_MMAP_THRESHOLD_: OWN_PIECE, MALLOC_TRIM_THRESHOLD_: OWN_PIECE },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const answer = answerOf(child)
  answer.catch(() => {})
  return {
    async tell(message) {
      try {
        await sent(child, message)
      } catch (error) {
        // Why nobody hears it is known when its end is.
        await answer
        throw error
      }
    },
    async answer(going) {
      const stopped = watch(going)
      try {
        return await Promise.race([answer, stopped.promise])
      } finally {
        stopped.clear()
      }
    },
    [Symbol.dispose]() {
      if (child.exitCode === null) child.kill('SIGKILL')
    },
  }
}

const sent = (child: ChildProcess, message: ToFit): Promise<void> =>
  new Promise((resolve, reject) => {
    child.send(message, (error) => (error ? reject(error) : resolve()))
  })

async function answerOf(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController()
  const exit = once(child, 'exit', { signal: ended.signal }).then(([code, signal]) => {
    throw new ChildEnded(`the process that learns has ended (${String(signal ?? code)})`)
  })
  exit.catch(() => {})
  try {
    const [answer] = await Promise.race([once(child, 'message', { signal: ended.signal }), exit])
    return answer as unknown
  } finally {
    ended.abort()
  }
}

const LOOK_MS = 200

/** Resolves when the work is not to go on. */
function watch(going: () => boolean): { promise: Promise<undefined>; clear(): void } {
  let timer: NodeJS.Timeout | undefined
  const promise = new Promise<undefined>((resolve) => {
    timer = setInterval(() => {
      if (!going()) resolve(undefined)
    }, LOOK_MS)
  })
  return { promise, clear: () => clearInterval(timer) }
}
