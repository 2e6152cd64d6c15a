/** Has a model learned by a process of its own, which is handed the passages and works behind everything else. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Kernel } from '../../kernel/kernel.ts'
import type { ToFit } from './fit-process.ts'
import type { Checked } from './model.ts'
import { countOpen, sampled, sentencesOf, type Sampled } from './sample.ts'

export interface Fitted {
  bytes: Buffer
  dims: number
  checked: Checked
  /** Open passages when it began. */
  passages: number
}

/** More than learning from the most passages that are read takes. */
const MOST_MEGABYTES = 400

/** Undefined when it was stopped. Throws when the process ends without an answer. */
export async function fitModel(kernel: Kernel, going: () => boolean): Promise<Fitted | undefined> {
  const passages = await countOpen(kernel.db)
  const child = fork(new URL('./fit-process.ts', import.meta.url), [], {
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${MOST_MEGABYTES}`],
    env: {},
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const answer = answerOf(child)
  try {
    const seen: Pick<Sampled, 'kind' | 'id' | 'hash'>[] = []
    for await (const rows of sampled(kernel.db, passages)) {
      if (!going()) return undefined
      seen.push(...rows.map(({ kind, id, hash }) => ({ kind, id, hash })))
      await tell(child, {
        kind: 'passages',
        rows: rows.map(({ kind, id, hash, words }) => ({ hash, item: `${kind} ${id}`, words })),
      })
    }
    await tell(child, { kind: 'sentences', sentences: await sentencesOf(kernel, seen) })
    await tell(child, { kind: 'fit' })
    const stopped = watch(going)
    const fitted = await Promise.race([answer, stopped.promise])
    stopped.clear()
    return fitted && { ...fitted, bytes: Buffer.from(fitted.bytes), passages }
  } finally {
    answer.catch(() => {})
    if (child.exitCode === null) child.kill('SIGKILL')
  }
}

type Answer = Omit<Fitted, 'passages'>

async function answerOf(child: ChildProcess): Promise<Answer> {
  const ended = new AbortController()
  const exit = once(child, 'exit', { signal: ended.signal }).then(([code, signal]) => {
    throw new Error(`the process that learns has ended (${String(signal ?? code)})`)
  })
  exit.catch(() => {})
  try {
    const [answer] = await Promise.race([once(child, 'message', { signal: ended.signal }), exit])
    return answer as Answer
  } finally {
    ended.abort()
  }
}

const tell = (child: ChildProcess, message: ToFit): Promise<void> =>
  new Promise((resolve, reject) => {
    child.send(message, (error) => (error ? reject(error) : resolve()))
  })

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
