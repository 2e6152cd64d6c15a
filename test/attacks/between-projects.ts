/**
 * Two worlds of the same projects, alike in all but what one fenced project holds. Whoever may not
 * read it makes the same calls in both and must hear the same: no content, no existence, no count, no
 * order and no error tells the worlds apart.
 */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildHouse, sweepOut, type House } from '../helpers/build-house.ts'
import {
  CELLS,
  furnish,
  reads,
  said,
  spare,
  spareTask,
  told,
  watch,
  type Caller,
  type Level,
  type Quarter,
} from '../helpers/fences.ts'
import { defineAttack, inParallel, none, seeded, type Random } from './attack.ts'

/** Calls in one pair of worlds, counted in both. What lies there grows with them. */
const CALLS = 2_000
/** Pairs at once: what waits for a disk or a database in one is time for the other. */
const AT_ONCE = 2
/** Pairs after which a long run says how far it is. */
const TOLD_EVERY = 10
const NAMES = ['atlas', 'delta', 'ledger', 'vault', 'crypt', 'tomb']

export const betweenProjects = defineAttack({
  id: 'S12',
  title: 'no call tells what a fenced project holds, or that it holds anything',
  rounds: 100_000,

  async run({ rounds, random, log }) {
    const wrong: unknown[] = []
    const count = { made: 0, compared: 0, refused: 0 }
    const pairs = Array.from({ length: Math.ceil(rounds / CALLS) }, () => random.int(2 ** 31))
    const tell = (): void =>
      log(
        `${count.made} calls in two worlds, ${count.compared} pairs compared, ${count.refused} refused`,
      )
    // Houses that were left swept and empty: to build one takes longer than what happens in it.
    const [built, vacant]: [House[], House[]] = [[], []]
    const enter = async (): Promise<House> => {
      const house = vacant.pop() ?? (await buildHouse())
      if (!built.includes(house)) built.push(house)
      return house
    }
    try {
      await inParallel(pairs.length, AT_ONCE, async (nth) => {
        if (wrong.length >= 10) return
        const calls = Math.min(CALLS, rounds - nth * CALLS)
        const houses = await Promise.all([enter(), enter()])
        await inTwoWorlds(seeded(pairs[nth]!), houses, calls, wrong, count)
        if (nth % TOLD_EVERY === TOLD_EVERY - 1) tell()
        await Promise.all(houses.map((house) => house.leave().then(() => sweepOut(house))))
        vacant.push(...houses)
      })
    } finally {
      await Promise.all(built.map((house) => house.close()))
    }
    tell()
    none(wrong, 'a call that told something')
  },
})

interface World {
  house: House
  quarters: Quarter[]
  callers: Caller[]
  /** What waits to be destroyed, by the place of the quarter where it lies. */
  spares: Map<number, ReturnType<typeof spare>>
  tasks: Map<number, Promise<string>>
}

async function inTwoWorlds(
  random: Random,
  houses: readonly House[],
  calls: number,
  wrong: unknown[],
  count: { made: number; compared: number; refused: number },
): Promise<void> {
  const levels = someLevels(random)
  const fenced = levels.filter(({ isolation }) => isolation !== 'open')
  const secret = random.pick(fenced)
  const hooked = random.pick([undefined, ...levels])
  const places = { hooked, near: random.pick(levels), salt: String(random.int(2 ** 31)) }
  const worlds = await Promise.all(houses.map((house) => furnished(house, levels, places)))
  const [bare, full] = worlds as [World, World]
  const hidden = full.quarters.find(({ project }) => project === secret.project)!
  let secrets = 0
  for (let made = 0; made < calls && wrong.length < 10;) {
    if (random.int(10) === 0) await fill(hidden, `w${secrets++}`)
    const tool = random.pick(Object.keys(CELLS))
    const who = random.int(bare.callers.length)
    const where = random.int(levels.length)
    const part = random.int(100)
    const word = `n${made}`
    const sides = await Promise.all(
      worlds.map((world) => call(world, { tool, who, where, part, word })),
    )
    const [one, other] = sides as [Heard | undefined, Heard | undefined]
    if (!one || !other) continue
    made += 2
    count.made += 2
    if (other.refused) count.refused++
    // What one of the worlds has lost is made anew in both, under the same name.
    if (!one.refused || !other.refused) {
      for (const world of worlds) {
        if (one.used.spare) world.spares.delete(where)
        if (one.used.task) world.tasks.delete(where)
      }
    }
    wrong.push(...one.wrong, ...other.wrong)
    if (other.speaker.project === secret.project) continue
    count.compared++
    if (one.text !== other.text) wrong.push({ ...other.about, bare: one.text, full: other.text })
  }
}

/** The global scope and some projects, at least one of each level. */
function someLevels(random: Random): Level[] {
  const isolations = ['open', 'confidential', 'sealed'] as const
  const many = 3 + random.int(NAMES.length - 2)
  const projects = NAMES.slice(0, many).map((project, at) => ({
    project,
    isolation: isolations[at] ?? random.pick(isolations),
  }))
  return [{ project: '', isolation: 'open' }, ...projects]
}

async function furnished(
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
  return { house, quarters, callers, spares: new Map(), tasks: new Map() }
}

/** What Codex says of a turn. */
const turnOf = (session_id: string): Record<string, unknown> => ({
  'x-codex-turn-metadata': { session_id },
})

/** The key of a process, as a client's machine would make it. */
const keyOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32)

/** More in the one project of the one world, in the words that everybody searches for. */
async function fill({ insider, canary, project }: Quarter, word: string): Promise<void> {
  const description = `quarter words harbour ${canary} ${word}`
  const text = { description, body: `${description} shared common` }
  await insider.call('memory_write', { name: `secret ${word}`, kind: 'constraint', ...text })
  await insider.call('notes_create', { title: `Secret ${word}`, project, ...text })
  await insider.call('tasks_add', { title: `Secret ${word}`, body: text.body })
}

interface Heard {
  /** As it came, but for what differs from world to world whoever reads: ids, times and hashes. */
  text: string
  speaker: Level
  refused: boolean
  /** What was named of that which waits to be destroyed. */
  used: { spare: boolean; task: boolean }
  about: object
  wrong: unknown[]
}

async function call(
  world: World,
  asked: { tool: string; who: number; where: number; part: number; word: string },
): Promise<Heard | undefined> {
  const { tool, who, where, part, word } = asked
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
  const cells = await CELLS[tool]!({
    caller,
    target,
    own: world.quarters.find(({ project }) => project === caller.project)!.task,
    flip,
    fresh,
    spare: kept,
    task: keptTask,
  })
  const cell = cells[part % cells.length]
  if (!cell) return undefined
  const [left, task] = [await world.spares.get(where), await world.tasks.get(where)]
  const names = (one: string | undefined): boolean =>
    one !== undefined && Object.values(cell.args).includes(one)
  const used = { spare: names(left?.memory) || names(left?.note), task: names(task) }
  const speaker = cell.speaks && caller.binding !== 'bound' ? target : caller
  const untouched = await watch(world.house, cell, speaker, target)
  const text = await said(caller, cell.tool, cell.args)
  const about = {
    tool,
    args: cell.args,
    from: `${caller.binding} ${caller.project}`,
    to: target.project,
    reads: reads(speaker, target),
  }
  const wrong: unknown[] = told(world.quarters, speaker, cell.args, text).map((canary) => ({
    ...about,
    canary,
  }))
  for (const change of await untouched()) wrong.push({ ...about, change })
  // What was asked counts in the next answer, once it is written.
  await world.house.app.kernel.telemetry.flush()
  // Times are kept to the millisecond: what is written in the same one has no order of its own.
  await sleep(1)
  const refused = text.includes('"isError":true')
  return { text: likened(text), speaker, refused, used, about, wrong }
}

/** Ids by the order in which they are told; no times, no hashes. */
function likened(text: string): string {
  const ids: string[] = []
  return (
    text
      .replaceAll(/\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g, (id) => {
        if (!ids.includes(id)) ids.push(id)
        return `#${ids.indexOf(id)}`
      })
      .replaceAll(/\b[0-9a-f]{64}\b/g, '#hash')
      .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, '#time')
      // The one world is asked a moment after the other, and a minute may have passed between.
      .replaceAll(/(\bage\W+)(?:just now|\d+m)\b/g, '$1#age')
  )
}
