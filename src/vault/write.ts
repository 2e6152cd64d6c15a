/**
 * The one way to write: changes of one file that wait for it share a write (shared.ts), writes whose
 * decision only reads share a transaction (group.ts), and any other has one of its own (alone.ts).
 */
import pLimit from 'p-limit'
import { KeyedMutex } from '../kernel/keyed-mutex.ts'
import type { Files } from '../kernel/files.ts'
import type { Decision, HowWritten, Kernel, Vault } from '../kernel/kernel.ts'
import { writeAlone } from './alone.ts'
import type { Asked } from './attempt.ts'
import type { Tools } from './complete.ts'
import { Groups } from './group.ts'
import { carryOutAll, Waiting, type Change, type Decide, type Written } from './shared.ts'

/** Groups under way at once, where transactions run beside each other. */
const GROUPS_AT_ONCE = 2

export function vaultWriter(tools: Tools): Vault['write'] {
  // A write queues on its paths before it takes a connection, and writes leave half the pool to reads.
  const mutex = new KeyedMutex()
  const connections = pLimit(Math.max(1, tools.writers))
  const groups = new Groups(tools, connections, Math.min(GROUPS_AT_ONCE, connections.concurrency))
  const waiting = new Waiting()

  async function share<T>(kernel: Kernel, path: string, decide: Decide<T>): Promise<Written<T>> {
    const change: Change = { decide }
    const write = <T>(all: Decide<T>) =>
      groups.write({ kernel, paths: [path], decide: all }) as Promise<Written<T>>
    waiting.add(path, change)
    await mutex.run([path], async () => {
      if (!change.outcome) await carryOutAll(waiting.take(path), write)
    })
    const { outcome } = change
    if (!outcome) throw new Error('a change was lost')
    if ('error' in outcome) throw outcome.error
    return outcome as Written<T>
  }

  return <T, Known>(
    kernel: Kernel,
    paths: readonly string[],
    decideKnowing: (kernel: Kernel, files: Files, known: Known) => Promise<Decision<T>>,
    { shared = false, grouped = shared, ahead, beside }: HowWritten<Known> = {},
  ) => {
    const decide = decideKnowing as Decide<T>
    if (kernel.db.isTransaction) throw new Error('a vault write opens its own transaction')
    const [path, ...more] = new Set(paths)
    if (shared && path !== undefined && more.length === 0) return share(kernel, path, decide)
    const asked: Asked = {
      kernel,
      paths,
      decide,
      ahead,
      beside: tools.inTurns ? beside : undefined,
    }
    if (!tools.inTurns) beside?.(kernel.db)
    const write = grouped
      ? () => groups.write(asked)
      : () => connections(() => writeAlone(tools, asked))
    return mutex.run(paths, write) as Promise<Written<T>>
  }
}
