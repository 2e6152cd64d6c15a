import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Kernel } from '../../src/kernel/kernel.ts'
import { Refusal } from '../../src/kernel/refusal.ts'
import type { Database } from '../../src/postgres/database.ts'
import {
  ISOLATION,
  judge,
  judgeAdd,
  judgeWrite,
  readable,
  readSurroundings,
  scopeAt,
  scopesFor,
  writable,
  type Isolation,
} from '../../src/projects/projects.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { adds, reads, writes } from '../helpers/fences.ts'
import { bareKernel } from '../helpers/kernel.ts'
import { placeAs } from '../helpers/places.ts'
import { NOBODY_KNOWN } from '../helpers/callers.ts'

const SLUGS = ['', 'ash', 'birch', 'cedar', 'dogwood', 'elm']

/** A store in few words: the level of each project that has a row, who is whose parent, and the families. */
interface World {
  levels: Record<string, Isolation>
  parents: Record<string, string>
  /** Of the table, and of the configuration file. */
  stored: Record<string, string[]>
  configured: Record<string, string[]>
}

/** How a call comes to be somewhere: its session, or sessions that only hooks made known. */
type Binding = { session: string } | { ambients: string[] }

const slug = fc.constantFrom(...SLUGS)
const named = fc.constantFrom(...SLUGS.slice(1))
const families = fc.dictionary(fc.constantFrom('trees', 'woods'), fc.uniqueArray(named))
const world: fc.Arbitrary<World> = fc.record({
  levels: fc.dictionary(named, fc.constantFrom(...ISOLATION)),
  parents: fc.dictionary(named, named),
  stored: families,
  configured: families,
})
const binding: fc.Arbitrary<Binding> = fc.oneof(
  fc.record({ session: slug }),
  fc.record({ ambients: fc.uniqueArray(slug, { maxLength: 2 }) }),
)

let database: Database
let kernel: Kernel
beforeAll(async () => {
  database = await openTestDatabase()
  const { db } = database
  for (const project of SLUGS) {
    await db
      .insertInto('tasks')
      .values({ id: `in ${project}`, project, title: 'T' })
      .execute()
  }
})
afterAll(() => database.close())

/** What the database refuses to hold is left out: a parent is another project, and both are open. */
const parentsOf = ({ levels, parents }: World): [string, string][] =>
  Object.entries(parents).filter(
    ([child, parent]) => child !== parent && levels[child] === 'open' && levels[parent],
  )

async function furnish(given: World): Promise<void> {
  const { db } = database
  await db.updateTable('projects').set({ parent_slug: null }).execute()
  await db.deleteFrom('projects').execute()
  await db.deleteFrom('families').execute()
  for (const [slug, isolation] of Object.entries(given.levels)) {
    await db.insertInto('projects').values({ id: slug, slug, name: slug, isolation }).execute()
  }
  for (const [slug, parent_slug] of parentsOf(given)) {
    await db.updateTable('projects').set({ parent_slug }).where('slug', '=', slug).execute()
  }
  for (const [family, projects] of Object.entries(given.stored)) {
    for (const project of projects)
      await db.insertInto('families').values({ family, project }).execute()
  }
  const config = { project_families: given.configured }
  kernel = { ...bareKernel(database), config } as unknown as Kernel
}

const at = ({ levels }: World, project: string) => ({
  project,
  isolation: levels[project] ?? 'open',
})

/** Who calls, as the plain model has it: a hook alone lets nobody behind a fence. */
function callerOf(given: World, bound: Binding) {
  if ('session' in bound) return at(given, bound.session)
  const [only, second] = bound.ambients
  const alone = only !== undefined && second === undefined && at(given, only).isolation === 'open'
  return at(given, alone ? only : '')
}

function scopesOf(given: World, bound: Binding) {
  const placed = (project: string) => placeAs(project, at(given, project).isolation)
  const who = (project: string) => ({ ...placed(project), model: '' })
  return scopesFor(
    kernel,
    'session' in bound
      ? { ...NOBODY_KNOWN, session: { id: 'S', ...who(bound.session) } }
      : {
          ...NOBODY_KNOWN,
          guess: {
            places: bound.ambients.map((one) => ({ ...who(one), session: 'A' })),
            isUnplaced: false,
            isAway: false,
          },
        },
  )
}

const holds = (given: World, body: () => Promise<void>): Promise<void> => furnish(given).then(body)

/** Whether the fence refuses the act; anything else that goes wrong is thrown. */
const refused = (act: Promise<unknown>): Promise<boolean> =>
  act.then(
    () => false,
    (error: unknown) => {
      if (error instanceof Refusal && error.kind === 'forbidden') return true
      throw error
    },
  )

test('whoever calls, from whatever binding, sees and writes what the plain model allows', async () => {
  await fc.assert(
    fc.asyncProperty(world, binding, async (given, bound) =>
      holds(given, async () => {
        const caller = callerOf(given, bound)
        const scopes = scopesOf(given, bound)
        expect(scopes.caller).toEqual(caller)
        const seen = await database.db
          .selectFrom('tasks')
          .select('project')
          .select([
            readable(scopes.reach, 'tasks.project').as('readable'),
            writable(scopes.reach, 'tasks.project').as('writable'),
          ])
          .execute()
        for (const { project, ...verdict } of seen) {
          const target = at(given, project)
          const allowed = { readable: reads(caller, target), writable: writes(caller, target) }
          expect(verdict, `${caller.project} → ${project}`).toEqual(allowed)
          expect(await judge(database.db, scopes.caller, project)).toMatchObject(allowed)
          const write = judgeWrite(database.db, scopes.reach, project)
          expect(await refused(write)).toBe(!allowed.writable)
          const add = judgeAdd(database.db, scopes.reach, project)
          expect(await refused(add)).toBe(!adds(caller, target))
        }
      }),
    ),
    { numRuns: 40 },
  )
})

test('a named project is searched with the global scope where both may be read, else not at all', async () => {
  await fc.assert(
    fc.asyncProperty(world, binding, slug, async (given, bound, asked) =>
      holds(given, async () => {
        const caller = callerOf(given, bound)
        const look = scopesOf(given, bound).read(asked === '' ? 'global' : asked)
        if (!reads(caller, at(given, asked))) {
          expect(await refused(look)).toBe(true)
          return
        }
        if (asked !== caller.project && !Object.hasOwn(given.levels, asked) && asked !== '') {
          await expect(look).rejects.toThrow(`unknown project "${asked}"`)
          return
        }
        const { project, searched } = await look
        expect(project).toBe(asked)
        const wanted = [asked, ''].filter((one) => reads(caller, at(given, one)))
        expect(searched).toEqual([...new Set(wanted)])
      }),
    ),
    { numRuns: 40 },
  )
})

test('a place is told of its parent and its siblings exactly when each may read the other', async () => {
  await fc.assert(
    fc.asyncProperty(world, slug, async (given, project) =>
      holds(given, async () => {
        const here = at(given, project)
        const mutual = (other: string): boolean =>
          reads(here, at(given, other)) && reads(at(given, other), here)
        const kin = Object.values({ ...given.configured, ...storedOf(given) })
          .filter((members) => members.includes(project))
          .flat()
          .filter((other) => other !== project && mutual(other))
        const parent = parentsOf(given).find(([child]) => child === project)?.[1]

        const found = await readSurroundings(kernel, placeAs(project, here.isolation), [])
        expect(found.siblings).toEqual([...new Set(kin)].sort())
        expect(found.parent).toBe(parent !== undefined && mutual(parent) ? parent : null)
        expect(found.scope).toEqual(await scopeAt(database.db, project))
        const told = [...found.scope.searched, ...(found.parent ? [found.parent] : []), ...kin]
        expect([...found.wide.searched].sort()).toEqual([...new Set(told)].sort())
        for (const one of found.wide.searched) expect(reads(here, at(given, one))).toBe(true)
      }),
    ),
    { numRuns: 40 },
  )
})

/** A stored family without members is no row, and so none. */
const storedOf = ({ stored }: World): Record<string, string[]> =>
  Object.fromEntries(Object.entries(stored).filter(([, members]) => members.length > 0))
