/**
 * A world of projects, and the calls that are made in it: twice built, twice the same but for what one of
 * the worlds holds in addition.
 */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { STILL_READING } from '../../src/kernel/catch-up.ts'
import { learnAgain } from '../../src/embeddings/embeddings.ts'
import type { House } from '../helpers/build-house.ts'
import {
  CELLS,
  furnish,
  reads,
  said,
  spare,
  spareTask,
  speakerOf,
  told,
  watch,
  type Caller,
  type Level,
  type Quarter,
} from '../helpers/fences.ts'
import { stock } from '../helpers/subjects.ts'

export interface World {
  house: House
  quarters: Quarter[]
  callers: Caller[]
  /** What waits to be destroyed, by the place of the quarter where it lies. */
  spares: Map<number, ReturnType<typeof spare>>
  tasks: Map<number, Promise<string>>
  /** Calls that were made once more, since the store was still being read. */
  again: number
}

export async function furnished(
  house: House,
  levels: readonly Level[],
  { hooked, near, salt }: { hooked: Level | undefined; near: Level; salt: string },
): Promise<World> {
  const quarters = await furnish(house, levels)
  const callers: Caller[] = []
  for (const level of levels) {
    const { project, isolation } = level
    const agent = await house.inside(project, isolation)
    callers.push({ ...level, agent, binding: 'bound' })
    const [stranger, session] = [await house.connect(), await house.session(project)]
    callers.push({ ...level, agent: stranger, session, binding: 'by argument' })
    const process = keyOf(`${salt} ${project}`)
    await house.session(project, { process })
    const shown = await house.connect('alice', { 'loam-process': process })
    callers.push({ ...level, agent: shown, binding: 'shown' })
    const client_session_id = `${salt} ${project}`
    await house.session(project, { external_client: 'codex', client_session_id })
    const codex = await house.connect('codex-mcp-client')
    callers.push({ ...level, agent: codex, binding: 'shown', meta: turnOf(client_session_id) })
    const place = { place: `/src/${project || 'global'}`, remote: false, project }
    await house.app.database.db.insertInto('repos').values(place).execute()
  }
  if (hooked) await house.session(hooked.project, { ambient: true })
  // Inference never grants entry: from behind a fence an agent that only a hook knows is nowhere.
  const at = hooked?.isolation === 'open' ? hooked : levels[0]!
  callers.push({ ...at, agent: await house.connect(), binding: `ambient in ${hooked?.project}` })
  // A header tells where somebody works and gives no right: what no hook announced opens no fence.
  const forged = await house.connect('alice', {
    'loam-directory': `/src/${near.project || 'global'}/lib`,
    'loam-repo': `git@github.com:acme/${near.project}.git`,
    'loam-client': 'claude-code',
    'loam-process': keyOf(`${salt} forged`),
    'loam-session': `session of ${near.project}`,
  })
  const believed = near.isolation === 'open' ? near : levels[0]!
  const binding = `forged near ${near.project}`
  callers.push({ ...believed, agent: forged, binding, meta: turnOf(`${salt} forged`) })
  return { house, quarters, callers, spares: new Map(), tasks: new Map(), again: 0 }
}

/** Stocks an open project with what a model can be learned of. */
export async function supply({ quarters }: World): Promise<void> {
  const open = quarters.find(({ isolation, project }) => isolation === 'open' && project !== '')!
  await stock(open.insider, undefined, open.project)
}

/**
 * Recall finds by meaning as well, as it is learned of what stands there today. Returns the name of the model that answers
 * now, which is a digest of it, and how well it did: the service may have learned it by itself a moment before.
 */
export async function learnToday({ house }: World): Promise<string | undefined> {
  const { kernel } = house.app
  await learnAgain(kernel, { anew: true })
  const [serving] = await kernel.db
    .selectFrom('models')
    .select(['name', 'checked'])
    .where('learned', '=', true)
    .where('state', '=', 'serving')
    .execute()
  return serving && JSON.stringify(serving)
}

/** What Codex says of a turn. */
const turnOf = (session_id: string): Record<string, unknown> => ({
  'x-codex-turn-metadata': { session_id },
})

/** The key of a process, as a client's machine would make it. */
const keyOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32)

/**
 * More in the one project of the one world: in the words that everybody searches for, under the names that
 * the next call may give, starred, superseded, waiting for what lies outside, and at work.
 */
export async function fill(
  { house, quarters }: World,
  { insider, canary, project, isolation }: Quarter,
  { nth, next }: { nth: number; next: string },
): Promise<void> {
  const description = `quarter words harbour ${canary} w${nth}`
  const text = { description, body: `${description} shared common [[plain]]` }
  const kind = nth % 2 === 0 ? 'constraint' : 'gotcha'
  const replaces = nth > 0 ? { supersedes: `secret ${nth - 1}` } : {}
  await insider.call('memory_write', { name: `secret ${nth}`, kind, ...text, ...replaces })
  await insider.call('favorite_set', { kind: 'memory', id: `secret ${nth}`, favorite: true })
  await insider.call('notes_create', { title: `Secret ${nth}`, project, ...text })
  const open = quarters.find((each) => each.isolation === 'open')!
  const waits = isolation === 'confidential' ? { depends_on: [open.task] } : {}
  await insider.call('tasks_add', { title: `Secret ${nth}`, body: text.body, ...waits })
  await insider.call('memory_write', { name: `${next}x0`, kind, ...text })
  await insider.call('notes_create', { title: `${next}x0`, ...text })
  const starter = await house.connect()
  for (const name of ['harbour', `${next}x0`]) {
    await starter.call('session_start', { name, project })
    await starter.call('session_update', { findings: description })
  }
  await starter.close()
}

/** One step of a sweep, the same in both worlds. */
export interface Step {
  tool: string
  /** Places among the callers and the quarters. */
  who: number
  where: number
  /** Below 100: which of the tool's calls. */
  part: number
  word: string
  /** Whether what the call may not touch is looked at before and after it. */
  watched: boolean
}

export interface Heard {
  /** As it came, but for what differs from world to world whoever reads: ids, times and hashes. */
  text: string
  speaker: Level
  refused: boolean
  /** What was named of that which waits to be destroyed. */
  used: { spare: boolean; task: boolean }
  about: object
  wrong: unknown[]
}

/** Tools that tell of items, which counts in the next answers, and the one that tells of counts alone. */
const TELLS = new Set(['recall', 'session_start', 'memory_read', 'notes_read'])
const COUNTS = 'usage_summary'

export async function call(world: World, step: Step): Promise<Heard | undefined> {
  const { tool, who, where, part, word, watched } = step
  const { house } = world
  const [caller, target] = [world.callers[who]!, world.quarters[where]!]
  let spoken = 0
  const fresh = (): string => `${word}x${spoken++}`
  const kept = (): ReturnType<typeof spare> => {
    const made = world.spares.get(where) ?? spare(target, fresh)
    world.spares.set(where, made)
    return made
  }
  const keptTask = (): Promise<string> => {
    const made = world.tasks.get(where) ?? spareTask(target)
    world.tasks.set(where, made)
    return made
  }
  const flip = (): boolean => part < 50
  const own = world.quarters.find(({ project }) => project === caller.project)!.task
  const given = { caller, target, own, flip, fresh, spare: kept, task: keptTask }
  const cells = await CELLS[tool]!(given)
  const cell = cells[part % cells.length]
  if (!cell) return undefined
  const [left, task] = [await world.spares.get(where), await world.tasks.get(where)]
  const names = (one: string | undefined): boolean =>
    one !== undefined && Object.values(cell.args).includes(one)
  const used = { spare: names(left?.memory) || names(left?.note), task: names(task) }
  const speaker = speakerOf(cell, caller, target)
  const untouched = watched ? await watch(house, cell, speaker, target) : undefined
  const { telemetry } = house.app.kernel
  // What was asked counts in the next answer, once it is written.
  if (TELLS.has(tool) || tool === COUNTS) await telemetry.flush()
  // Times are kept to the millisecond: what is written in the same one has no order of its own.
  await sleep(1)
  const agent = cell.anew ? await house.connect() : caller.agent
  const text = await answered(world, () => said({ ...caller, agent }, cell.tool, cell.args))
  if (cell.anew) await agent.close()
  if (TELLS.has(tool)) await telemetry.flush()
  const from = `${caller.binding} ${caller.project}`
  const about = { tool, args: cell.args, from, to: target.project, reads: reads(speaker, target) }
  const wrong: unknown[] = told(world.quarters, speaker, cell.args, text).map((canary) => ({
    ...about,
    canary,
  }))
  for (const change of (await untouched?.()) ?? []) wrong.push({ ...about, change })
  const refused = text.includes('"isError":true')
  return { text: likened(text), speaker, refused, used, about, wrong }
}

/** Asks again as long as it is told to: a machine that is busy makes the one world wait and not the other. */
async function answered(world: World, ask: () => Promise<string>): Promise<string> {
  for (let tries = 0; ; tries++) {
    const text = await ask()
    if (!text.includes(STILL_READING) || tries === 100) return text
    world.again++
    await sleep(100)
  }
}

/** The part of an id at the end of a name. */
const TAIL = /(?<=\w-)[0-9a-hjkmnp-tv-z]{6}\b/g

/** Ids by the order in which they are told; no times, no hashes, and no part of an id in a name. */
function likened(text: string): string {
  const ids: string[] = []
  return (
    JSON.stringify(ranked(JSON.parse(text)))
      .replaceAll(/\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g, (id) => {
        if (!ids.includes(id)) ids.push(id)
        return `#${ids.indexOf(id)}`
      })
      .replaceAll(/\b[0-9a-f]{64}\b/g, '#hash')
      .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, '#time')
      .replaceAll(TAIL, '#own')
      .replaceAll(/(<\/?loam-\w+ id=\W*)[0-9a-f]{16}\b/g, '$1#own')
      .replaceAll(/\bsess\/[0-9a-z]{8}\b/g, 'sess/#own')
      // Of the items that a briefing showed, which are counted beside it: a read less than two seconds before the
      // briefing counts, and the one world may take longer from the one to the other.
      .replaceAll(/\b(itemsRead|readRate)(\W+)\d+/g, '$1$2#')
      // The one world is asked a moment after the other, and a minute may have passed between.
      .replaceAll(/(\bage\W+)(?:just now|\d+m)\b/g, '$1#age')
      .replaceAll(/\b(?:just now|\d+[smh] ago)\b/g, '#age')
      // A line of a briefing tells an age in brackets, alone or behind the kind.
      .replaceAll(/(?<=\(|, )\d+[mh]\)/g, '#age)')
  )
}

/** Digits of a score that stand for what was found: those behind them for the moment at which it was asked. */
const digits = (score: number): number => Number(score.toFixed(4))

/**
 * An answer with what scores the same in the order of its names. Scores fall with age, and what the one
 * world wrote some seconds later may go before what it follows in the other.
 */
function ranked(value: unknown): unknown {
  if (typeof value === 'string') {
    if (!value.startsWith('{')) return value
    try {
      return JSON.stringify(ranked(JSON.parse(value)))
    } catch {
      return value
    }
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const all: unknown[] = value.map(ranked)
    return all.every(isHit)
      ? all.toSorted((a, b) => b.score - a.score || (place(a) < place(b) ? -1 : 1))
      : all
  }
  const entries = Object.entries(value).map(([key, each]) => [
    key,
    key === 'score' && typeof each === 'number' ? digits(each) : ranked(each),
  ])
  return Object.fromEntries(entries)
}

interface Hit {
  score: number
  kind?: string
  name?: string
  project?: string
}

const isHit = (one: unknown): one is Hit =>
  typeof one === 'object' && one !== null && typeof (one as Hit).score === 'number'

/**
 * Of two with one title the one may end in a hash and the other in a part of its id, which is another in each world.
 * Several projects may hold one name.
 */
const place = ({ kind, name, project }: Hit): string =>
  `${kind} ${name?.replace(TAIL, '#own')} ${project}`
