/**
 * Two worlds of the same projects, alike in all but what one fenced project holds. Whoever may not
 * read it makes the same calls in both and must hear the same: no content, no existence, no count, no
 * order and no error tells the worlds apart. Nothing that a call may not touch is changed by it.
 */
import { buildHouse, sweepOut, type House } from '../helpers/build-house.ts'
import { CELLS, type Level } from '../helpers/fences.ts'
import { defineAttack, inParallel, none, seeded, type Random } from './attack.ts'
import { call, fill, furnished, learnToday, supply, type Heard, type World } from './two-worlds.ts'

/** Pairs of answers from one pair of worlds. What lies there grows with them. */
const PAIRS = 500
/** Pairs of worlds at once: what waits for a disk or a database in one is time for the other. */
const AT_ONCE = 3
/** Pairs of worlds after which a long run says how far it is. */
const TOLD_EVERY = 10
/** Of so many calls one is looked at for what it changed; the matrix of the fences looks at each. */
const WATCHED = 8
/** Before one of so many steps the one project holds more. */
const FILLED = 15
/** In one of so many pairs of worlds recall finds by meaning too. */
const LEARNED = 2
/** How often it is learned anew meanwhile, each time after the one project was given more. */
const LESSONS = 3
/** An age is told in more words a moment later, and leaves room for one hit less. */
const WHOLE = { LOAM_BUDGETS_RECALL_BUDGET_TOKENS: '1000000' }
const NAMES = ['atlas', 'delta', 'ledger', 'vault', 'crypt', 'tomb']

interface Count {
  made: number
  again: number
  compared: number
  refused: number
}

export const betweenProjects = defineAttack({
  id: 'S12, S17',
  title: 'no call tells what a fenced project holds, or changes it, by id or by name',
  rounds: 100_000,

  async run({ rounds, random, log }) {
    const wrong: unknown[] = []
    const count: Count = { made: 0, again: 0, compared: 0, refused: 0 }
    const seeds = Array.from({ length: Math.ceil(rounds / PAIRS) }, () => random.int(2 ** 31))
    const tell = (): void =>
      log(
        `${count.compared} pairs compared, ${count.refused} refused, ${count.made} calls made, ${count.again} of them again`,
      )
    // Houses that were left swept and empty: to build one takes longer than what happens in it.
    // Two stay together: what one has behind it, such as the sessions it has counted, the other has too.
    const [built, vacant]: [House[], House[][]] = [[], []]
    const build = async (): Promise<House> => {
      const house = await buildHouse({ within: true, env: WHOLE })
      built.push(house)
      return house
    }
    const enter = async (): Promise<House[]> =>
      vacant.pop() ?? (await Promise.all([build(), build()]))
    const clear = async (house: House): Promise<void> => {
      await house.leave()
      await sweepOut(house)
    }
    // A service keeps in mind what it has learned.
    const abandon = async (house: House): Promise<void> => {
      built.splice(built.indexOf(house), 1)
      await house.close()
    }
    try {
      await inParallel(seeds.length, AT_ONCE, async (nth) => {
        if (wrong.length >= 10) return
        const pairs = Math.min(PAIRS, rounds - nth * PAIRS)
        const houses = await enter()
        const learned = nth % LEARNED === 0
        await inTwoWorlds(seeded(seeds[nth]!), houses, { pairs, learned }, { wrong, count })
        if (nth % TOLD_EVERY === TOLD_EVERY - 1) tell()
        await Promise.all(houses.map(learned ? abandon : clear))
        if (!learned) vacant.push(houses)
      })
    } finally {
      await Promise.all(built.map((house) => house.close()))
    }
    tell()
    none(wrong, 'a call that told or changed something')
  },
})

async function inTwoWorlds(
  random: Random,
  houses: readonly House[],
  { pairs, learned }: { pairs: number; learned: boolean },
  { wrong, count }: { wrong: unknown[]; count: Count },
): Promise<void> {
  const levels = someLevels(random)
  const secret = random.pick(levels.filter(({ isolation }) => isolation !== 'open'))
  const hooked = random.pick([undefined, ...levels])
  const [near, salt] = [random.pick(levels), String(random.int(2 ** 31))]
  const places = { hooked, near, salt }
  const worlds = await Promise.all(houses.map((house) => furnished(house, levels, places)))
  const [bare, full] = worlds as [World, World]
  const hidden = full.quarters.find(({ project }) => project === secret.project)!
  let [secrets, steps, compared, lessons] = [0, 0, 0, 0]
  if (learned) await Promise.all(worlds.map(supply))
  while (compared < pairs && wrong.length < 10) {
    const word = `n${steps++}`
    const teaches = learned && compared * LESSONS >= lessons * pairs
    if (teaches || random.int(FILLED) === 0)
      await fill(full, hidden, { nth: secrets++, next: word })
    if (teaches) {
      const [model, other] = await Promise.all(worlds.map(learnToday))
      if (model !== other || model === undefined) wrong.push({ lesson: lessons, model, other })
      lessons++
    }
    const where = random.int(levels.length)
    const step = {
      tool: random.pick(Object.keys(CELLS)),
      who: random.int(bare.callers.length),
      where,
      part: random.int(100),
      word,
      watched: random.int(WATCHED) === 0,
    }
    const heard = await Promise.all(worlds.map((world) => call(world, step)))
    const [one, other] = heard as [Heard | undefined, Heard | undefined]
    if (!one || !other) continue
    count.made += 2
    // What one of the worlds has lost is made anew in both, under the same name.
    if (!one.refused || !other.refused) {
      for (const world of worlds) {
        if (one.used.spare) world.spares.delete(where)
        if (one.used.task) world.tasks.delete(where)
      }
    }
    wrong.push(...one.wrong, ...other.wrong)
    if (other.speaker.project === secret.project) continue
    compared++
    count.compared++
    if (other.refused) count.refused++
    const [said, also] =
      bare.again === full.again ? [one.text, other.text] : [uncounted(one), uncounted(other)]
    if (said !== also) wrong.push({ ...other.about, secret: secret.project, ...unlike(said, also) })
  }
  count.again += bare.again + full.again
}

/** Without the count of calls, where the one world was asked oftener than the other. */
const uncounted = ({ text }: Heard): string => text.replaceAll(/(tool\.call\W+)\d+/g, '$1#')

/** Where two texts part, and what comes next. */
function unlike(bare: string, full: string): { bare: string; full: string } {
  let at = 0
  while (bare[at] === full[at]) at++
  const [from, to] = [Math.max(0, at - 100), at + 200]
  return { bare: bare.slice(from, to), full: full.slice(from, to) }
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
