/** What agents look up and write down, with what the ledger keeps of it. */
import type { Answer, DemoAgent } from './agent.ts'
import type { KnownMemory, KnownNote } from './story/story.ts'

/** Asks; answers the hits, none when nothing is known. */
export async function recall(
  agent: DemoAgent,
  query: string,
  more: object = {},
): Promise<Answer[]> {
  const { hits } = await agent.call('recall', { query, ...more })
  agent.wasAnswered(query, (hits as Answer[]).length)
  return hits as Answer[]
}

/** Reads the first of what was found that is a memory or a note. */
export async function readHit(agent: DemoAgent, hits: Answer[]): Promise<void> {
  const at = hits.findIndex(({ kind }) => kind === 'memory' || kind === 'note')
  const [hit] = at < 0 ? [] : hits.splice(at, 1)
  if (!hit) return
  if (hit['kind'] === 'memory') {
    await agent.call('memory_read', { id: hit['id'] })
    agent.account.memoryReads++
  } else {
    await agent.call('notes_read', { id: hit['id'] })
    agent.account.noteReads++
  }
}

export async function writeMemory(
  agent: DemoAgent,
  { name, kind, description, body, tags, project }: KnownMemory,
  more: { supersedes?: string } = {},
): Promise<Answer> {
  const given = {
    name,
    kind,
    description,
    body,
    ...(tags && { tags }),
    ...(project && { project }),
    ...more,
  }
  const { id } = await agent.call('memory_write', given)
  agent.account.memoryWrites++
  agent.keep('memories', { id, name, kind }, project)
  return { id }
}

export async function createNote(
  agent: DemoAgent,
  { title, description, body, tags, plan, source_url, project, edit, append }: KnownNote,
): Promise<Answer> {
  const given = { title, description, body, tags, plan, source_url, project }
  const { id, slug } = await agent.call('notes_create', given)
  agent.account.noteWrites++
  agent.keep('notes', { id, name: slug, kind: 'note' }, project)
  if (edit) await agent.call('notes_edit', { id, edits: [edit] })
  if (append) await agent.call('notes_append', { id, body: append })
  agent.account.noteWrites += Number(edit !== undefined) + Number(append !== undefined)
  return { id, slug }
}
