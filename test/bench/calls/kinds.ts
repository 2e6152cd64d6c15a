/** The calls that are measured: what agents ask all day. */
import type { Standing } from './store.ts'
import { openCaller, type Caller } from './caller.ts'
import { questionOf, wordsOf } from './words.ts'

/** One call by the caller; `n` tells it apart from all others. */
type Ask = (caller: Claiming, n: number) => Promise<unknown>

/** A caller in a session, with a task of its own that it holds. */
export interface Claiming extends Caller {
  task: { id: string; claim_token: string }
}

const SEARCHED = 'atlas'

/** `memory_write` goes where nobody searches: the store that is asked stays as large as it is said to be. */
export const callsOf = (standing: Standing): Record<string, Ask> => ({
  memory_write: ({ call }, n) =>
    call('memory_write', {
      name: `finding ${n}`,
      kind: 'reference',
      description: `What was found of ${wordsOf(n, 6)}`,
      body: wordsOf(n + 500_000, 60),
      project: 'written',
    }),
  recall: ({ call }, n) => call('recall', { query: questionOf(n % 977), project: SEARCHED }),
  memory_read: ({ call }, n) =>
    call('memory_read', { id: standing.memories[n % standing.memories.length] }),
  tasks_ready: ({ call }) => call('tasks_ready', { project: SEARCHED }),
  async tasks_claim(caller) {
    const { claim_token } = await caller.call('tasks_claim', caller.task)
    caller.task = { ...caller.task, claim_token }
  },
})

/** Opens so many callers, each in a session, and puts some tasks into the queue. */
export async function openCallers(standing: Standing, count: number): Promise<Claiming[]> {
  const callers: Claiming[] = []
  for (let n = 0; n < count; n++) {
    const caller = await openCaller(standing.endpoint, standing.key)
    await caller.call('session_start', { project: SEARCHED })
    const task = await caller.call('tasks_add', { title: `held ${n}`, project: SEARCHED })
    const { claim_token } = await caller.call('tasks_claim', { id: task['id'] })
    await caller.call('tasks_add', { title: `waiting ${n}`, project: SEARCHED })
    callers.push({ ...caller, task: { id: task['id'], claim_token } })
  }
  return callers
}
