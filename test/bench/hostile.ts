/** Demand that has nothing to do with the questions that are asked afterwards. */
import type { Agent } from '../helpers/agent.ts'
import { each } from './asked.ts'

/** Of the documents of a set one in so many is wanted, by several sessions each. */
const ONE_IN = 10
const SESSIONS = 4

/**
 * Has sessions ask for some documents by their titles and read them, which lifts them in every later list.
 *
 * @param notes the ids of all documents, with their titles
 */
export async function wantOthers(
  agents: readonly Agent[],
  notes: readonly { id: string; title: string }[],
): Promise<void> {
  const wanted = notes.filter((_, nth) => nth % ONE_IN === 0)
  const visits = Array.from({ length: SESSIONS }, () => wanted).flat()
  let session = 0
  await each(agents, visits, async (agent, { id, title }) => {
    await agent.call('session_start', { name: `visitor-${session++}`, project: 'bench' })
    await agent.call('recall', { query: title, project: 'bench' })
    await agent.call('notes_read', { id })
  })
}
