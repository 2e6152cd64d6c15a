import { sql } from 'kysely'
import { pino } from 'pino'
import { NOTHING_FOLDED, type Embedder } from '../../src/kernel/embedder.ts'
import type { Kernel } from '../../src/kernel/kernel.ts'
import { NOBODY } from '../../src/kernel/kernel.ts'
import { indexItem, type ItemKind } from '../../src/passages/passages.ts'
import { scopesFor } from '../../src/projects/projects.ts'
import { recall } from '../../src/recall/recall.ts'
import { none, type Random } from '../attacks/attack.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { bareKernel } from '../helpers/kernel.ts'
import { defineFault } from './fault.ts'
import { NOBODY_KNOWN } from '../helpers/callers.ts'

const KINDS = ['memory', 'memory', 'memory', 'note', 'task', 'session'] as const
const DIMS = 16
const MODEL = 1
/** Histories that lie in one project and are asked about together, each on its own account. */
const TOGETHER = 25
const DAY = 86_400_000
/** When what happens in a history that is asked about happens: in all of one project at once. */
const NEAR = Date.parse('2025-01-20T00:00:00Z')

export const recallAsOf = defineFault({
  id: 'T18',
  title: 'recall as of a time answers what a replay of the history up to then has',
  rounds: 10_000,
  quick: true,
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
    const count = { acts: 0, asked: 0, compared: 0 }
    for (let round = 0; round < rounds; round += TOGETHER) {
      const histories = Array.from({ length: Math.min(TOGETHER, rounds - round) }, (_, i) =>
        invent(random, round + i),
      )
      count.acts += histories.flatMap(({ acts }) => acts).length
      const project = `p${round}`
      const trial = await db.startTransaction().execute()
      const within = { ...kernel, db: trial }
      await store(within, project, histories)
      for (const at of momentsOf(random)) {
        const wrong = await compare(within, project, histories, at)
        none(wrong, `as of ${at?.toISOString() ?? 'now'}`)
        count.asked++
        count.compared += histories.length
      }
      await trial.rollback().execute()
    }
    return `${count.acts} acts, asked ${count.asked} times, ${count.compared} replays compared`
  },
})

/** Something is made, or a memory ends, by itself or for another. */
interface Act {
  at: Date
  makes?: { id: string; kind: ItemKind }
  ends?: string
}

interface History {
  round: number
  acts: Act[]
}

/** One of its acts, whichever, happens at NEAR. */
function invent(random: Random, round: number): History {
  let time = 0
  const acts: (Omit<Act, 'at'> & { time: number })[] = []
  const active: string[] = []
  const count = 2 + random.int(8)
  for (let i = 0; i < count; i++) {
    time += 1 + random.int(3) * random.int(DAY)
    const ends = active.length > 0 && random.int(3) === 0 ? random.pick(active) : undefined
    if (ends !== undefined) active.splice(active.indexOf(ends), 1)
    const kind = ends === undefined ? random.pick(KINDS) : 'memory'
    const id = `${round}-${i}`
    const makes = ends !== undefined && random.int(2) === 0 ? undefined : { id, kind }
    if (makes?.kind === 'memory') active.push(id)
    acts.push({ time, ...(makes && { makes }), ...(ends !== undefined && { ends }) })
  }
  const near = random.pick(acts).time
  return {
    round,
    acts: acts.map(({ time, ...act }) => ({ at: new Date(NEAR + time - near), ...act })),
  }
}

/** When to ask; undefined is now. */
const momentsOf = (random: Random): (Date | undefined)[] => [
  undefined,
  ...[-1, 0, 1].map((ms) => new Date(NEAR + ms)),
  new Date(NEAR + random.int(20 * DAY) - 10 * DAY),
]

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

async function store(
  kernel: Kernel,
  project: string,
  histories: readonly History[],
): Promise<void> {
  const { db } = kernel
  await sql`
    insert into projects (id, slug, name) values (${project}, ${project}, ${project})`.execute(db)
  const made = histories.flatMap(({ acts }) =>
    acts.flatMap(({ at, makes }): New[] => {
      if (!makes) return []
      return [
        { ...makes, project, at, end: acts.find(({ ends }) => ends === makes.id)?.at ?? null },
      ]
    }),
  )
  for (const [kind, several] of Map.groupBy(made, (one) => one.kind)) {
    await sql`
      ${insert[kind as Insertable]}
      from jsonb_to_recordset(${JSON.stringify(several)}::jsonb)
        as made (id text, project text, at timestamptz, "end" timestamptz)`.execute(db)
  }
  for (const { kind, id, end } of made) {
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
  kind: ItemKind
  id: string
  project: string
  at: Date
  end: Date | null
}
type Insertable = keyof typeof insert
const insert = {
  memory: sql`
    insert into memories (id, project, name, kind, body, valid_from, invalid_at, path, content_hash,
      created_at, updated_at, heading)
    select id, project, id, 'gotcha', '', at, "end", id, '', at, at, ''`,
  note: sql`
    insert into notes (id, project, slug, title, body, path, content_hash, created_at, updated_at)
    select id, project, id, id, '', id, '', at, at`,
  task: sql`insert into tasks (id, project, title, created_at) select id, project, id, at`,
  session: sql`insert into sessions (id, name, project, created_at) select id, id, project, at`,
}

/** One line for each history of which the answer has not what its replay has. */
async function compare(
  kernel: Kernel,
  project: string,
  histories: readonly History[],
  at: Date | undefined,
): Promise<string[]> {
  const scope = await scopesFor(kernel, NOBODY_KNOWN).read(project)
  const kinds = ['memory', 'note', 'task', 'session'] as const
  const question = { query: 'sextant', kinds, limit: 1_000, scope: 'all', at }
  const { hits } = await recall(kernel, NOBODY, scope, question)
  const found = Map.groupBy(hits.map(({ id }) => id).sort(), roundOf)
  return histories.flatMap((history) => {
    const [told, right] = [found.get(history.round) ?? [], replay(history, at)]
    if (told.join() === right.join()) return []
    return [`round ${history.round}: found ${told.join(' ')} instead of ${right.join(' ')}`]
  })
}

const roundOf = (id: string): number => Number(id.split('-')[0])

const vector = Array.from({ length: DIMS }, () => 1 / Math.sqrt(DIMS))
const vectorText = `[${vector.join(',')}]`

/** Everything means the same to it. */
function pointing(): Embedder {
  return {
    state: () => ({ on: true, model: 'test', dims: DIMS, number: MODEL }),
    look: async () => ({ on: true, model: 'test', dims: DIMS, number: MODEL }),
    embed: async (texts) => ({ model: MODEL, vectors: texts.map(() => vector) }),
    fold: () => NOTHING_FOLDED,
    forgetDims: async () => {},
    close: async () => {},
  }
}
