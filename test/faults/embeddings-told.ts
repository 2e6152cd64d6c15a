/** What `loam embeddings` does and says to the owner of a store under fault. */
import { setTimeout as sleep } from 'node:timers/promises'
import { loam } from '../helpers/service.ts'

export interface Where {
  folder: string
  env: Record<string, string>
}

/** Runs one of its commands; returns what it said. */
export async function tell(where: Where, act: 'reembed' | 'status'): Promise<string> {
  const { code, stdout, stderr } = await loam(['embeddings', act], where)
  if (code !== 0) throw new Error(stderr)
  return stdout
}

/** Until its status is as it is to be; throws with the last one. `when` names the moment. */
export async function untilTold(
  where: Where,
  when: string,
  limitMs: number,
  isDone: (status: string) => boolean,
): Promise<void> {
  const end = performance.now() + limitMs
  for (;;) {
    const status = await tell(where, 'status')
    if (isDone(status)) return
    if (performance.now() > end) throw new Error(`${when}: ${status}`)
    await sleep(200)
  }
}
