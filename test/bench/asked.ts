/** What the benches of quality have in common: a store at rest, what stands beside the words, many agents at work. */
import { sql } from 'kysely'
import { checkedStatus, embeddingWorker, learnAgain } from '../../src/embeddings/embeddings.ts'
import { checkEncoder } from '../../src/embeddings/encoder-check.ts'
import { isTrouble, NOTHING_FOLDED, type Embedder } from '../../src/kernel/embedder.ts'
import type { Kernel } from '../../src/kernel/kernel.ts'
import { indexQueued, updateStatistics } from '../../src/passages/passages.ts'
import type { Agent } from '../helpers/agent.ts'
import type { Service } from './service.ts'

/** Words alone, whatever is written meanwhile. */
export const NONE: Embedder = {
  state: () => ({ on: false, cause: 'words alone', misconfigured: false, chosen: true }),
  look: async () => ({ on: false, cause: 'words alone', misconfigured: false, chosen: true }),
  embed: async () => ({ kind: 'off', cause: 'words alone' }),
  fold: () => NOTHING_FOLDED,
  forgetDims: async () => {},
  close: async () => {},
}

/** What a model learned of the set is worth beside the words; undefined when the set is too small to learn of. */
export async function learnedWeight(kernel: Kernel): Promise<number | undefined> {
  await learnAgain(kernel)
  const answer = await kernel.embedder.embed([''], { deadlineMs: 1_000, attempts: 1 })
  return isTrouble(answer) ? undefined : answer.scale?.weight
}

/** How a played provider is asked. */
const HOW = { deadlineMs: 60_000, attempts: 1 }

/** Until every passage has a vector of the model in use. */
export async function readAll(kernel: Kernel): Promise<void> {
  const work = embeddingWorker()
  const { number } = kernel.embedder.state() as { number: number }
  const missing = async (): Promise<boolean> => {
    const { rows } = await sql<{ missing: boolean }>`
      select (select count(*) from vectors where model = ${number}) < (select count(*) from passages) as missing`.execute(
      kernel.db,
    )
    return rows[0]!.missing
  }
  while (await missing()) await work(kernel)
  await sql`analyze`.execute(kernel.db)
}

/** What the check of the model came to; undefined when the set is too small for one. */
export async function checkedWeight(kernel: Kernel): Promise<number | undefined> {
  const { number } = kernel.embedder.state() as { number: number }
  await checkEncoder(kernel, number, { how: HOW, going: () => true })
  return (await checkedStatus(kernel))?.weight
}

/** Until everything is indexed and counted, as the timers would have it a little later. */
export async function settle({ app: { kernel } }: Service): Promise<void> {
  while ((await indexQueued(kernel)) > 0);
  while ((await updateStatistics(kernel)) > 0);
  await sql`analyze`.execute(kernel.db)
}

export async function each<T>(
  agents: readonly Agent[],
  work: readonly T[],
  run: (agent: Agent, one: T) => Promise<void>,
): Promise<void> {
  const rest = work.values()
  await Promise.all(
    agents.map(async (agent) => {
      for (const one of rest) await run(agent, one)
    }),
  )
}
