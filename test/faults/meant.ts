/** A store that is asked by meaning under fault: what was written into it, and whether it is found. */
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type Agent } from '../helpers/agent.ts'
import type { Service } from '../helpers/service.ts'
import { stock, textOf } from '../helpers/subjects.ts'

const WRITE_EVERY_MS = 20
/** A process that learns for a service has its output open, and sees only when it has learned that nobody waits. */
const GONE_WITHIN_MS = 60_000
const QUESTION = 'harbour tide pier'
const MEANT = ['semantic', 'fused']

/** Answers are as long as they are. */
export const ROOMY = { LOAM_BUDGETS_RECALL_BUDGET_TOKENS: '1000000' }

export async function stockBy(service: Service): Promise<void> {
  await using agent = await connect(service)
  await agent.call('project_create', { name: 'Atlas' })
  await stock(agent)
}

/** Throws, with the reason that recall gives, when nothing is found by more than its words. */
export async function askByMeaning(service: Service, when: string): Promise<void> {
  await using agent = await connect(service)
  const asked = { query: QUESTION, project: 'atlas', limit: 100 }
  const { hits, degraded = 'no reason was given' } = await agent.call('recall', asked)
  const sources = (hits as { source: string }[]).map(({ source }) => source)
  if (!sources.some((source) => MEANT.includes(source)))
    throw new Error(`${when}: only words are found, ${sources.length} times; ${String(degraded)}`)
}

/** What was acknowledged, and whether it is there. */
export class Written {
  readonly #ids: string[] = []
  #serial = 0

  get count(): number {
    return this.#ids.length
  }

  async write(service: Service): Promise<void> {
    await using agent = await connect(service)
    await this.#one(agent)
  }

  /** Writes one note after the other until the service is gone. */
  async writeUntilKilled(service: Service): Promise<void> {
    try {
      await using agent = await connect(service)
      for (;;) await this.#one(agent)
    } catch (error) {
      // A connection is lost a moment before its process is known to be.
      if (!(await Promise.race([service.ended(), sleep(GONE_WITHIN_MS)]))) throw error
    }
  }

  async #one(agent: Agent): Promise<void> {
    const nth = ++this.#serial
    const note = { title: `Entry ${nth}`, body: `${textOf(nth)} lost${nth}`, project: 'atlas' }
    const { id } = await agent.call('notes_create', note)
    this.#ids.push(id as string)
    await sleep(WRITE_EVERY_MS)
  }

  /** Those that are not there any more. */
  async missing(service: Service): Promise<string[]> {
    await using agent = await connect(service)
    const gone: string[] = []
    for (const id of this.#ids) {
      const answer = await agent.raw('notes_read', { id })
      if (answer.isError) gone.push(id)
    }
    return gone
  }
}
