/**
 * Which sessions run on this machine, and in which process: one small file for each client's process,
 * readable by its user alone. A client that is killed says nothing, so whoever comes next tells the
 * service that it is gone. Nothing here may disturb a hook: what fails is as if it were not there.
 */
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../../config.ts'
import { fs, textOfFile } from './node.ts'
import { type ClientProcess, processTable, running } from './process-key.ts'

/** A session by its client's own id. */
export interface Session {
  client: string
  session_id: string
}

/** A session whose process is gone. Where it goes on in another one, the service knows. */
export interface Gone extends Session {
  /** The key of that process. */
  process: string
}

/** What a hook reports. */
export interface Report {
  gone: Gone[]
  /** The service knows them now: they are forgotten here. */
  told(): void
}

export interface Registry {
  /** A session begins in a process, beside those that run there already. */
  announce(process: ClientProcess, session: Session): void
  /** A session has ended in order. */
  retire(process: ClientProcess, session: Session): void
  /** Returns sessions whose process does not run any more, unless another process goes on with them. */
  gone(): Report
}

interface Entry extends ClientProcess {
  /** The machine and its table of processes: ids of another one say nothing here. */
  machine: string
  client: string
  session_ids: string[]
  /** When the process announced its first session, as an ISO time. */
  started: string
}

const MOST_ENTRIES = 200
const MOST_SESSIONS = 50
const MOST_GONE = 50
/** Nobody can judge an entry of another machine; by then its session is over. */
const STRANGE_MS = 30 * 24 * 3_600_000

/** The registry of this user. Without a folder for states it stays empty. */
export function registryOf(env: Environment, home: string): Registry {
  const folder = join(stateFolder(env, home), 'loam', 'clients')
  const machine = `${hostname()} ${processTable() ?? ''}`

  const write = (entry: Entry): void => {
    const fresh = join(folder, `.${entry.key}.${process.pid}`)
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    fs.writeFileSync(fresh, JSON.stringify(entry), { mode: 0o600 })
    fs.renameSync(fresh, fileOf(folder, entry.key))
  }
  const forget = (key: string): void => fs.rmSync(fileOf(folder, key), { force: true })

  return {
    announce({ key, pid }, { client, session_id }) {
      attempt(() => {
        const known = read(folder, key)
        const before = known?.client === client ? known.session_ids : []
        const session_ids = [...before.filter((id) => id !== session_id), session_id]
        const started = known?.started ?? new Date().toISOString()
        write({
          key,
          pid,
          machine,
          client,
          started,
          session_ids: session_ids.slice(-MOST_SESSIONS),
        })
        for (const old of byAge(folder).slice(0, -MOST_ENTRIES)) forget(old)
      })
    },
    retire({ key }, { client, session_id }) {
      attempt(() => {
        const known = read(folder, key)
        if (!known || known.client !== client) return
        const session_ids = known.session_ids.filter((id) => id !== session_id)
        if (session_ids.length > 0) write({ ...known, session_ids })
        else forget(key)
      })
    },
    gone() {
      const entries = attempt(() => byAge(folder).flatMap((key) => read(folder, key) ?? [])) ?? []
      const [own, strange] = [
        entries.filter((each) => each.machine === machine),
        entries.filter((each) => each.machine !== machine && isOld(each)),
      ]
      const alive = new Set(running(own).map(({ key }) => key))
      const live = new Set(entries.filter(({ key }) => alive.has(key)).flatMap(namesOf))
      const gone: Gone[] = []
      const done = strange
      for (const entry of own.filter(({ key }) => !alive.has(key))) {
        const found = sessionsOf(entry).filter((session) => !live.has(nameOf(session)))
        if (gone.length + found.length > MOST_GONE) continue
        gone.push(...found.map((session) => ({ ...session, process: entry.key })))
        done.push(entry)
      }
      return {
        gone,
        told() {
          for (const { key } of done) attempt(() => forget(key))
        },
      }
    },
  }
}

/**
 * Tells the service which sessions of this machine are gone, through `send`. They are forgotten once it
 * has taken them; when there are none, nothing is sent. Never throws.
 */
export async function reportGone(
  { env, home }: { env: Environment; home: string },
  send: (gone: Gone[]) => Promise<unknown>,
): Promise<void> {
  try {
    const { gone, told } = registryOf(env, home).gone()
    if (gone.length === 0) return
    await send(gone)
    told()
  } catch {
    // The next one tells it.
  }
}

/** Where programs of this user keep what they remember of this machine. */
export const stateFolder = (env: Environment, home: string): string =>
  process.platform === 'win32'
    ? env['LOCALAPPDATA'] || join(home, 'AppData/Local')
    : env['XDG_STATE_HOME'] || join(home, '.local/state')

const fileOf = (folder: string, key: string): string => join(folder, `${key}.json`)

/** The keys of all entries, the oldest first. */
function byAge(folder: string): string[] {
  const keys = fs
    .readdirSync(folder)
    .flatMap((name) => /^([0-9a-f]{32})\.json$/.exec(name)?.[1] ?? [])
  if (keys.length <= MOST_ENTRIES) return keys
  const ages = new Map(keys.map((key) => [key, fs.statSync(fileOf(folder, key)).mtimeMs]))
  return keys.toSorted((a, b) => ages.get(a)! - ages.get(b)!)
}

function read(folder: string, key: string): Entry | undefined {
  const text = textOfFile(fileOf(folder, key)) ?? ''
  const value = attempt(() => JSON.parse(text) as Partial<Entry> | null)
  const { pid, machine, client, session_ids, started } = value ?? {}
  if (typeof pid !== 'number' || typeof machine !== 'string') return undefined
  if (typeof client !== 'string' || typeof started !== 'string') return undefined
  if (!Array.isArray(session_ids)) return undefined
  return { key, pid, machine, client, started, session_ids: session_ids.map(String) }
}

const isOld = ({ started }: Entry): boolean => !(Date.now() - Date.parse(started) < STRANGE_MS)

const sessionsOf = ({ client, session_ids }: Entry): Session[] =>
  session_ids.map((session_id) => ({ client, session_id }))
const nameOf = ({ client, session_id }: Session): string => `${client} ${session_id}`
const namesOf = (entry: Entry): string[] => sessionsOf(entry).map(nameOf)

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
