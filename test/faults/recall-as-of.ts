import { sql } from 'kysely'
import { pino } from 'pino'
import type { Embedder } from '../../src/kernel/embedder.ts'
import type { Db, Kernel } from '../../src/kernel/kernel.ts'
import { NOBODY } from '../../src/kernel/kernel.ts'
import { indexItem, type ItemKind } from '../../src/passages/passages.ts'
import { scopesFor } from '../../src/projects/projects.ts'
import { recall } from '../../src/recall/recall.ts'
import { none, type Random } from '../attacks/attack.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { bareKernel } from '../helpers/kernel.ts'
import { defineFault } from './fault.ts'

const KINDS = ['memory', 'memory', 'memory', 'note', 'task', 'session'] as const
const DIMS = 16
const MODEL = 1

export const recallAsOf = defineFault({
  id: 'T18',
  title: 'recall as of a time answers what a replay of the history up to then has',
  rounds: 10_000,
  async run({ rounds, random }) {
    await using database = await openTestDatabase()
    const { db } = database
    await sql`insert into models (name, dims) values ('test', ${DIMS})`.execute(db)
    const kernel = {
      ...bareKernel(database),
      config: { budgets: { recall_budget_tokens: 100_000 } },
      telemetry: { push: async () => {} },
      embedder: pointing(),
      log: pino({ level: 'silent' }),
    } as unknown as Kernel
    let [acts, asked] = [0, 0]
    for (let round = 0; round < rounds; round++) {
      const history = invent(random, round)
      acts += history.acts.length
      const trial = await db.startTransaction().execute()
      const within = { ...kernel, db: trial }
      await store(within, history)
      for (const at of history.moments) {
        const wrong = await compare(within, history, at)
        none(wrong, `round ${round}, as of ${at?.toISOString() ?? 'now'}`)
        asked++
      }
      await trial.rollback().execute()
    }
    return `${acts} acts, asked ${asked} times`
  },
})

/** Something is made, or a memory ends, by itself or for another. */
interface Act {
  at: Date
  makes?: { id: string; kind: ItemKind }
  ends?: string
}

interface History {
  project: string
  acts: Act[]
  /** When to ask; undefined is now. */
  moments: (Date | undefined)[]
}

function invent(random: Random, round: number): History {
  let time = Date.parse('2025-01-01T00:00:00Z')
  const acts: Act[] = []
  const active: string[] = []
  const count = 2 + random.int(8)
  for (let i = 0; i < count; i++) {
    time += 1 + random.int(3) * random.int(86_400_000)
    const ends = active.length > 0 && random.int(3) === 0 ? random.pick(active) : undefined
    if (ends !== undefined) active.splice(active.indexOf(ends), 1)
    const kind = ends === undefined ? random.pick(KINDS) : 'memory'
    const id = `${round}-${i}`
    const makes = ends !== undefined && random.int(2) === 0 ? undefined : { id, kind }
    if (makes?.kind === 'memory') active.push(id)
    acts.push({ at: new Date(time), ...(makes && { makes }), ...(ends !== undefined && { ends }) })
  }
  const near = random.pick(acts).at.getTime()
  const moments = [
    undefined,
    new Date(near - 1),
    new Date(near),
    new Date(near + 1),
    new Date(Date.parse('2025-01-01T00:00:00Z') + random.int(20 * 86_400_000)),
  ]
  return { project: `p${round}`, acts, moments }
}

/** What is there after every act up to the moment. */
function replay({ acts }: History, until: Date | undefined): string[] {
  const there = new Set<string>()
  for (const { at, makes, ends } of acts) {
    if (until && at > until) break
    if (ends !== undefined) there.delete(ends)
    if (makes) there.add(makes.id)
  }
  return [...there].sort()
}

async function store(kernel: Kernel, { project, acts }: History): Promise<void> {
  const { db } = kernel
  await sql`
    insert into projects (id, slug, name) values (${project}, ${project}, ${project})`.execute(db)
  for (const { at, makes } of acts) {
    if (!makes) continue
    const { id, kind } = makes
    const end = acts.find(({ ends }) => ends === id)?.at ?? null
    await insert[kind as Insertable](db, { id, project, at, end })
    // Half of them answer by their words, all of them by their meaning.
    const text = id.length % 2 === 0 ? 'sextant' : 'something'
    await indexItem(kernel, { kind, id, project, active: !end, title: id, text, whole: true })
  }
  await sql`
    insert into vectors (kind, id, chunk, model, project, active, hash, e)
    select kind, id, chunk, ${MODEL}, project, active, hash, ${vectorText}::halfvec
    from passages`.execute(db)
}

interface New {
  id: string
  project: string
  at: Date
  end: Date | null
}
type Insertable = keyof typeof insert
const insert = {
  memory: (db: Db, { id, project, at, end }: New) =>
    sql`insert into memories (id, project, name, kind, body, valid_from, invalid_at, path, content_hash,
        created_at, updated_at, heading)
      values (${id}, ${project}, ${id}, 'gotcha', '', ${at}, ${end}, ${id}, '', ${at}, ${at}, '')`.execute(
      db,
    ),
  note: (db: Db, { id, project, at }: New) =>
    sql`insert into notes (id, project, slug, title, body, path, content_hash, created_at, updated_at)
      values (${id}, ${project}, ${id}, ${id}, '', ${id}, '', ${at}, ${at})`.execute(db),
  task: (db: Db, { id, project, at }: New) =>
    sql`insert into tasks (id, project, title, created_at) values (${id}, ${project}, ${id}, ${at})`.execute(
      db,
    ),
  session: (db: Db, { id, project, at }: New) =>
    sql`insert into sessions (id, name, project, created_at) values (${id}, ${id}, ${project}, ${at})`.execute(
      db,
    ),
}

async function compare(kernel: Kernel, history: History, at: Date | undefined): Promise<string[]> {
  const scope = await scopesFor(kernel, { session: null, ambients: [] }).read(history.project)
  const kinds = ['memory', 'note', 'task', 'session'] as const
  const question = { query: 'sextant', kinds, limit: 100, scope: 'all', at }
  const { hits } = await recall(kernel, NOBODY, scope, question)
  const found = hits.map(({ id }) => id).sort()
  const right = replay(history, at)
  if (found.join() === right.join()) return []
  return [`found ${found.join(' ')}`, `instead of ${right.join(' ')}`]
}

const vector = Array.from({ length: DIMS }, () => 1 / Math.sqrt(DIMS))
const vectorText = `[${vector.join(',')}]`

/** Everything means the same to it. */
function pointing(): Embedder {
  return {
    state: () => ({ on: true, model: 'test', dims: DIMS, number: MODEL }),
    embed: async (texts) => ({ model: MODEL, vectors: texts.map(() => vector) }),
    forgetDims: async () => {},
    close: async () => {},
  }
}
