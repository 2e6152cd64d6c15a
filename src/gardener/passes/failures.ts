/** What failed in the last days, gathered by what the failures have in common. */
import { createHash } from 'node:crypto'
import type { Db } from '../../kernel/kernel.ts'
import { scopeSql, type OwnerScope } from '../../projects/projects.ts'
import { oneLine } from '../../text/text.ts'
import { readBack, type Entry, type Page } from './log.ts'
import { anonymous, templateOf, unnamed } from './template.ts'

export const DAYS = 14
const FRESH_DAYS = 3
/** The newest events of each kind that are looked at. */
const READ = 50_000
/** Messages and calls that a failure shows, and the most characters of one, and of one argument. */
const EXAMPLES = 5
const LONGEST = 500
const LONGEST_ARGUMENT = 120

/** Failures of the same words, in the same project. */
export interface Failure {
  key: string
  surface: 'tool' | 'hook'
  project: string
  /** Of the tool; of a hook, the fixed label of what failed. */
  name: string
  template: string
  /** What it is, in words that are the same each time. */
  title: string
  /** The newest first. */
  examples: Set<string>
  /** '' among them: unknown ones, which count as one. Hooks have none. */
  sessions: Set<string>
  times: number
  first: Date
  last: Date
  isFresh: boolean
  /** The newest calls that had arguments which may be shown. */
  calls: Entry[]
}

/** One of them, as it is counted. */
interface Seen extends Pick<Failure, 'surface' | 'project' | 'name' | 'template' | 'title'> {
  entry: Entry
  fresh: boolean
  example: string
  session?: string
  hasArgs?: boolean
}

type Looked = Page & { fresh: number; longest: number }

interface Call extends Entry {
  project: string
  /** '': nobody's. */
  session: string
  name: string
  error: string
  /** The kind of the refusal; null when it was none. */
  refused: string | null
  fresh: boolean
  hasArgs: boolean
  /** Whether those of the project may read it. */
  told: boolean
}
const failedCalls = scopeSql<Looked, Call, OwnerScope>('gardener/failed_calls')

interface HookCall extends Entry {
  name: string
  client: string
  error: string
  fresh: boolean
}
const failedHooks = scopeSql<Looked, HookCall, OwnerScope>('gardener/failed_hooks')

/** Refusals of which nothing is wrong: another was faster, or what was looked for is not there. */
const BENIGN_REFUSALS = new Set(['conflict', 'not_found'])
const BENIGN = /already claimed|not found/i

/** Calls of tools that failed. What nobody's session did is told without what it names: its place is unknown. */
export async function failuresOfTools(db: Db, owner: OwnerScope): Promise<Failure[]> {
  const failures = new Map<string, Failure>()
  for await (const page of pagesOf(failedCalls, db, owner)) {
    for (const { project, session, name, error, refused, fresh, hasArgs, told, ...entry } of page) {
      if (!told || BENIGN_REFUSALS.has(refused ?? '') || BENIGN.test(error)) continue
      count(failures, {
        ...{ surface: 'tool', project, name, entry, fresh, session },
        template: templateOf(name, error),
        title: session === '' ? anonymous(error) : unnamed(error),
        example: session === '' ? anonymous(error) : error,
        hasArgs: hasArgs && session !== '',
      })
    }
  }
  return [...failures.values()]
}

/** Hooks that failed. Their words may be those of any project, and every agent may read of them. */
export async function failuresOfHooks(db: Db, owner: OwnerScope): Promise<Failure[]> {
  const failures = new Map<string, Failure>()
  for await (const page of pagesOf(failedHooks, db, owner)) {
    for (const { name, client, error, fresh, ...entry } of page) {
      if (BENIGN.test(error)) continue
      const said = anonymous(error)
      count(failures, {
        ...{ surface: 'hook', project: '', name, template: '', entry, fresh },
        title: `the hook ${name}`,
        example: client === '' ? said : `${client}: ${said}`,
      })
    }
  }
  return [...failures.values()]
}

const pagesOf = <Row extends Entry>(
  ask: (db: Db, owner: OwnerScope, looked: Looked) => Promise<Row[]>,
  db: Db,
  owner: OwnerScope,
): AsyncGenerator<Row[]> => {
  const looked = (db: Db, owner: OwnerScope, page: Page) =>
    ask(db, owner, { ...page, fresh: FRESH_DAYS, longest: LONGEST })
  return readBack(looked, db, owner, { days: DAYS, most: READ })
}

/** The log is read backwards: one is older than those of its words that came before. */
function count(failures: Map<string, Failure>, seen: Seen): void {
  const { surface, project, name, template, entry, fresh, session } = seen
  const key = keyOf(seen)
  const failure = failures.get(key) ?? {
    ...{ key, surface, project, name, template, title: oneLine(seen.title, LONGEST) },
    ...{ times: 0, first: entry.at, last: entry.at, isFresh: fresh },
    examples: new Set(),
    sessions: new Set(),
    calls: [],
  }
  failures.set(key, failure)
  failure.times++
  failure.first = entry.at
  if (session !== undefined) failure.sessions.add(session)
  if (failure.examples.size < EXAMPLES) failure.examples.add(oneLine(seen.example, LONGEST))
  if (seen.hasArgs && failure.calls.length < EXAMPLES) failure.calls.push(entry)
}

function keyOf({ surface, project, name, template }: Seen): string {
  const told = [surface, name, template].join('\0')
  return `tool_error:${project}:${createHash('sha256').update(told).digest('hex').slice(0, 16)}`
}

type Asked = { ids: string[]; times: Date[]; longest: number }
const argumentsOf = scopeSql<Asked, { id: string; args: string }, OwnerScope>('gardener/arguments')

/** The arguments of a failure's newest calls, as JSON that is cut, each once. */
export async function argumentsIn(
  db: Db,
  owner: OwnerScope,
  failures: readonly Failure[],
): Promise<Map<Failure, string[]>> {
  const calls = failures.flatMap(({ calls }) => calls)
  const [ids, times] = [calls.map(({ id }) => id), calls.map(({ at }) => at)]
  const rows =
    calls.length > 0 ? await argumentsOf(db, owner, { ids, times, longest: LONGEST_ARGUMENT }) : []
  const args = new Map(rows.map(({ id, args }) => [id, oneLine(args, LONGEST)]))
  return new Map(
    failures.map((failure) => {
      const shown = failure.calls.flatMap(({ id }) => args.get(id) ?? [])
      return [failure, [...new Set(shown)]]
    }),
  )
}
