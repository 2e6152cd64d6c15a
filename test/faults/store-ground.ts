import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, lstat, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { none } from '../attacks/attack.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { openFolder } from '../helpers/folder.ts'
import { openWire, type Wire } from '../helpers/wire.ts'
import { defineFault, spread } from './fault.ts'
import { mismatches, notesOnDisk, openStore, type Store } from './store-process.ts'

const STOPPED_WITHIN = 10_000
const AGENTS = 6
const DISPLACED = 3

interface Place {
  /** Where the service has its data. */
  dataDir: string
  /** A copy of the store, made while no service ran. */
  backup: string
  /** Where the old directory may go. */
  aside: string
  /** A place for one more copy. */
  copy: string
}

interface Way {
  /** Under the running service. */
  take(place: Place): Promise<void>
  /** What stands in the place afterwards: nothing, the backup, or the same directory with parts of it. */
  leaves: 'nothing' | 'backup' | 'database'
}

const copied = (from: string, to: string): Promise<void> =>
  cp(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })

const emptied = async (dir: string): Promise<void> => {
  for (const name of await readdir(dir)) await rm(join(dir, name), { recursive: true, force: true })
}

const WAYS: Record<string, Way> = {
  'moved away': {
    take: ({ dataDir, aside }) => rename(dataDir, aside),
    leaves: 'nothing',
  },
  deleted: {
    take: ({ dataDir }) => removed(dataDir),
    leaves: 'nothing',
  },
  'restored from a copy': {
    async take({ dataDir, backup }) {
      await removed(dataDir)
      await copied(backup, dataDir)
    },
    leaves: 'backup',
  },
  'swapped by a link': {
    async take({ dataDir, backup, aside, copy }) {
      await copied(backup, copy)
      await rename(dataDir, aside)
      await symlink(copy, dataDir)
    },
    leaves: 'backup',
  },
  'emptied and filled from a copy': {
    async take({ dataDir, backup }) {
      await emptied(dataDir)
      await copied(backup, dataDir)
    },
    leaves: 'backup',
  },
  'given the database of a copy': {
    async take({ dataDir, backup }) {
      await removed(join(dataDir, 'db'))
      await copied(join(backup, 'db'), join(dataDir, 'db'))
    },
    leaves: 'database',
  },
}

/** As `rm -rf` does; the service may add a file meanwhile. */
async function removed(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
}

export const storeGround = defineFault({
  id: 'R37',
  title: 'a store that is taken from under the service is left alone, and what stands there opens',
  rounds: 120,
  missing: () =>
    process.env['LOAM_TEST_DATABASE_URL'] ? 'a server keeps its data elsewhere' : null,

  async run({ rounds, random, timed, log }) {
    await using folder = await openFolder()
    const place = {
      dataDir: join(folder.path, 'loam-data'),
      backup: join(folder.path, 'backup'),
      aside: join(folder.path, 'aside'),
      copy: join(folder.path, 'copy'),
    }
    const store = await openStore(folder.path)
    try {
      const base = await fill(store)
      await store.service.stop()
      await copied(place.dataDir, place.backup)
      const before = await tree(place.backup)
      const names = Object.keys(WAYS)
      const times: number[] = []
      const counts = { before: 0, after: 0, codes: new Map<number | null, number>() }
      for (let round = 0; round < rounds; round++) {
        const name = rounds < names.length ? random.pick(names) : names[round % names.length]!
        const way = WAYS[name]!
        const at = `round ${round}, ${name}`
        const signalled = random.int(2) === 0
        await store.start()
        const load = openLoad(store)
        await load.underWay()
        await sleep(random.int(1_500))
        await way.take(place)
        counts.before += load.mark()
        const taken = performance.now()
        const ended = store.service.ended()
        if (signalled) {
          await sleep(random.int(300))
          store.service.process.kill('SIGTERM')
        }
        const { code, stderr } = await ended
        times.push(performance.now() - taken)
        counts.after += load.mark()
        counts.codes.set(code, (counts.codes.get(code) ?? 0) + 1)
        const acknowledged = await load.end()
        // A signal may come first, or while the process ends: it writes nothing all the same.
        if (code !== DISPLACED && !(signalled && (code === 0 || code === null)))
          throw new Error(`${at}: it ended with ${code}: ${stderr.slice(-2_000)}`)
        if (code === DISPLACED && !stderr.includes('while the service ran: the service stops'))
          throw new Error(`${at}: it did not say why: ${stderr.slice(-2_000)}`)

        if (way.leaves === 'nothing' && existsSync(place.dataDir))
          throw new Error(`${at}: made again: ${[...(await tree(place.dataDir)).keys()].join()}`)
        if (way.leaves === 'backup')
          none(differences(before, await tree(place.dataDir)), `${at}: written into the copy`)
        if (way.leaves === 'database') {
          const [was, is] = [within(before), within(await tree(place.dataDir))]
          none(differences(was, is), `${at}: written into the copy`)
        }
        // What was taken away still holds what was acknowledged; what was put there, what it held.
        if (name === 'moved away') {
          await rename(place.aside, place.dataDir)
          await store.start()
          await store.caughtUp()
          await store.service.stop()
          none(await missingFrom(place.dataDir, acknowledged), `${at}: lost`)
          none(await mismatches(place.dataDir), `${at}: row and file differ`)
        } else if (way.leaves !== 'nothing') {
          await store.start()
          await store.caughtUp()
          await store.service.stop()
          none(await missingFrom(place.dataDir, base), `${at}: not in the copy any more`)
        }
        for (const path of [place.dataDir, place.aside, place.copy])
          await rm(path, { recursive: true, force: true })
        await copied(place.backup, place.dataDir)
      }
      if (timed && Math.max(...times) > STOPPED_WITHIN)
        throw new Error(`stopped after ${spread(times)}`)
      const codes = [...counts.codes].map(([code, n]) => `${n} with ${code}`).join(', ')
      log(`exit codes: ${codes}`)
      return `${counts.before} acknowledged before, ${counts.after} after the change; 0 files written; stopped after ${spread(times)}`
    } finally {
      await store.service.stop('SIGKILL')
    }
  },
})

interface Kept {
  notes: string[]
  tasks: string[]
}

async function fill(store: Store): Promise<Kept> {
  const load = openLoad(store)
  await load.underWay()
  await sleep(1_000)
  return load.end()
}

/** Agents that make notes and tasks until the service is gone. */
function openLoad(store: Store) {
  const kept: Kept = { notes: [], tasks: [] }
  let [stopped, marked] = [false, 0]
  const count = (): number => kept.notes.length + kept.tasks.length
  const agent = async (wire: Wire): Promise<void> => {
    for (let turn = 0; !stopped; turn++) {
      const [name, args, ids] =
        turn % 2
          ? ['tasks_create', { title: `Task ${turn}`, project: 'atlas' }, kept.tasks]
          : ['notes_create', { title: `Note ${turn}`, body: 'B', project: 'atlas' }, kept.notes]
      const answer = await wire.ask('tools/call', { name, arguments: args }).catch(() => undefined)
      if (answer === undefined) return
      const { id } = answer.body?.result?.structuredContent ?? {}
      if (typeof id === 'string') (ids as string[]).push(id)
      else await sleep(20)
    }
  }
  const working = Promise.all(
    Array.from({ length: AGENTS }, async () => openWire(store).then(agent, () => {})),
  )
  return {
    async underWay() {
      const end = performance.now() + 20_000
      while (count() < AGENTS && performance.now() < end) await sleep(10)
    },
    /** How many calls were acknowledged since the last mark. */
    mark() {
      const since = count() - marked
      marked += since
      return since
    },
    async end() {
      stopped = true
      await working
      return kept
    },
  }
}

/** What of the notes and tasks the store no longer holds. */
async function missingFrom(dataDir: string, { notes, tasks }: Kept): Promise<string[]> {
  const files = new Set((await notesOnDisk(dataDir)).map(({ id }) => id))
  await using database = await openTestDatabase({ onDisk: dataDir })
  const rows = await database.db.selectFrom('tasks').select('id').execute()
  const known = new Set(rows.map(({ id }) => id))
  return [...notes.filter((id) => !files.has(id)), ...tasks.filter((id) => !known.has(id))]
}

/** Every file below a directory with the hash of its bytes. */
async function tree(dir: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const stats = await lstat(path)
    if (stats.isDirectory()) continue
    const bytes = stats.isFile() ? await readFile(path) : 'not a file'
    found.set(relative(dir, path), createHash('sha256').update(bytes).digest('hex'))
  }
  return found
}

const within = (files: Map<string, string>): Map<string, string> =>
  new Map([...files].filter(([path]) => path.startsWith('db/')))

const differences = (was: Map<string, string>, is: Map<string, string>): string[] => [
  ...[...was].flatMap(([path, hash]) => (is.get(path) === hash ? [] : [path])),
  ...[...is.keys()].filter((path) => !was.has(path)),
]
