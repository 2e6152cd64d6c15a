/** Where calls have landed: read from the service's rows and events, by the mark that each call carries. */
import type { Db } from '../../src/kernel/kernel.ts'

/** A call that an agent made, and whose it was. */
export interface Made {
  mark: string
  tool: string
  project: string
  client: string
  /** The client's own id of the session. */
  session: string
  model: string
  /** Its client may never say which model it has: that may be unknown, and never wrong. */
  mayLackModel?: boolean
}

/** What the service knows of a call. */
interface Landed extends Made {
  /** It was guessed whose it was. */
  isGuess: boolean
  error: string
}

/** What is wrong, a line for each, and empty when every call landed where it belongs. */
export interface Judged {
  wrong: string[]
}

/** Every mark is of an agent's name and a number. */
export const MARK = /\b[a-z]{2}\d-\d{3}\b/

export async function misplaced(db: Db, made: readonly Made[]): Promise<Judged> {
  const landed = new Map((await landings(db)).map((each) => [each.mark, each]))
  const wrong: string[] = []
  for (const call of made) {
    const found = landed.get(call.mark)
    if (!found) {
      wrong.push(`${call.mark} ${call.tool}: never arrived`)
      continue
    }
    if (found.error) wrong.push(`${call.mark} ${call.tool}: refused: ${found.error}`)
    if (found.isGuess) wrong.push(`${call.mark} ${call.tool}: only guessed`)
    for (const name of ['tool', 'project', 'client', 'session'] as const) {
      if (found[name] !== call[name]) {
        wrong.push(`${call.mark} ${call.tool}: ${name} is "${found[name]}", not "${call[name]}"`)
      }
    }
    const isUnknown = found.model === '' && call.mayLackModel
    if (!isUnknown && found.model !== call.model) {
      wrong.push(`${call.mark} ${call.tool}: model is "${found.model}", not "${call.model}"`)
    }
  }
  return { wrong }
}

/** What was written goes by its own row and the event of its making; the rest by the event of the call. */
async function landings(db: Db): Promise<Landed[]> {
  const calls = await db
    .selectFrom('events')
    .leftJoin('sessions', 'sessions.id', 'events.session_id')
    .select(['events.project as of', 'events.payload', 'client_session_id', 'external_client'])
    .select(['sessions.project as place', 'sessions.first_model as model'])
    .where('kind', '=', 'tool.call')
    .execute()
  const items = await writtenItems(db)
  return calls.flatMap(({ payload, ...row }) => {
    const { tool, args, error, probable_session } = payload as Payload
    const mark = MARK.exec(JSON.stringify(args ?? {}))?.[0]
    if (!mark) return []
    const item = items.get(mark)
    return {
      mark,
      tool,
      project: item?.project ?? row.of ?? '',
      client: item?.client ?? row.external_client ?? '',
      session: item?.session ?? row.client_session_id ?? '',
      model: item?.model || (row.model ?? ''),
      isGuess: probable_session !== undefined,
      error: error ?? '',
    }
  })
}

interface Payload {
  tool: string
  args?: object
  error?: string
  probable_session?: string
}

interface Item {
  project: string
  client: string | null
  session: string | null
  model: string | null
}

/** By the mark in their titles. A task has no model of its own: its session's counts. */
async function writtenItems(db: Db): Promise<Map<string, Item>> {
  const whose = ['external_client as client', 'client_session_id as session'] as const
  const [notes, memories, tasks] = await Promise.all([
    db
      .selectFrom('notes')
      .leftJoin('events', (join) =>
        join.onRef('events.item_id', '=', 'notes.id').on('events.kind', '=', 'note.written'),
      )
      .leftJoin('sessions', 'sessions.id', 'events.session_id')
      .select(['title', 'notes.project', 'notes.model', ...whose])
      .execute(),
    db
      .selectFrom('memories')
      .leftJoin('sessions', 'sessions.id', 'source_session')
      .select(['memories.name as title', 'memories.project', 'memories.model', ...whose])
      .execute(),
    db
      .selectFrom('tasks')
      .leftJoin('sessions', 'sessions.id', 'created_by')
      .select(['title', 'tasks.project', 'sessions.first_model as model', ...whose])
      .execute(),
  ])
  return new Map(
    [...notes, ...memories, ...tasks].flatMap(({ title, ...item }) => {
      const mark = MARK.exec(title)?.[0]
      return mark ? [[mark, item] as const] : []
    }),
  )
}
