/**
 * The last answers of a service to the questions that a client asks first, kept on the agent's machine
 * for a start while the service is away.
 *
 * One file for each address, readable by its owner only. Agents take its text for instructions, so a file
 * that somebody else could have written is not read. Nothing here ever throws.
 */
import { join } from 'node:path'
import { crypto, fs } from '../node.ts'

/** Who the service is, in either generation of the protocol, which tools it has, or whether it lives. */
export interface Question {
  method: 'initialize' | 'server/discover' | 'tools/list' | 'ping'
  /** Of the protocol, as the client asked for it. */
  version: string
  /** Whether it was asked without a session. */
  isStateless: boolean
}

export interface Kept {
  /** The text of the result that was last given. */
  find(question: Question): string | undefined
  keep(question: Question, result: string): void
  /** Whether the service, of whatever build, last listed a tool with such a name. */
  listed(names: readonly string[]): boolean
}

export interface Place {
  folder: string
  /** Of the service. */
  url: string
  /** Ours: another build may ask in another way. */
  build: string
}

interface Content {
  url: string
  build: string
  /** By what was asked, the newest last. */
  results: Record<string, string>
}

/** Bytes of a result, entries of a file, and files of the folder. */
const LONGEST = 1024 * 1024
const ENTRIES = 12
const FILES = 16

export function openKept({ folder, url, build }: Place): Kept {
  const name = crypto().hash('sha256', url).slice(0, 24)
  const file = join(folder, `${name}.json`)
  const content = (): Content => {
    const { url: at, build: by, results } = read(file) ?? {}
    const isOurs = at === url && typeof results === 'object' && results !== null
    return {
      url,
      build: isOurs && typeof by === 'string' ? by : build,
      results: isOurs ? results : {},
    }
  }
  return {
    find(question) {
      const { build: by, results } = content()
      const found = by === build ? results[entryOf(question)] : undefined
      return typeof found === 'string' ? found : undefined
    },
    keep(question, result) {
      const entry = entryOf(question)
      if (result.length > LONGEST || entry.length > 100) return
      const { build: by, results } = content()
      const known = by === build ? results : {}
      if (known[entry] === result) return
      const { [entry]: _, ...others } = known
      const newest = [...Object.entries(others), [entry, result] as const].slice(-ENTRIES)
      write(folder, file, { url, build, results: Object.fromEntries(newest) })
    },
    listed(names) {
      const lists = Object.entries(content().results).filter(([entry]) =>
        entry.startsWith('tools/'),
      )
      const last = lists.at(-1)?.[1] ?? ''
      return names.some((name) => last.includes(`"name":${JSON.stringify(name)}`))
    },
  }
}

const entryOf = ({ method, version, isStateless }: Question): string =>
  `${method} ${isStateless ? 'without a session ' : ''}${version}`

function read(file: string): Partial<Content> | undefined {
  try {
    const { uid, mode, size } = fs.lstatSync(file)
    const isSafe = (mode & 0o170_077) === 0o100_000 && uid === (process.getuid?.() ?? uid)
    if (!isSafe || size > LONGEST * ENTRIES) return undefined
    return JSON.parse(fs.readFileSync(file, 'utf8')) as Partial<Content>
  } catch {
    return undefined
  }
}

/** Writes the file whole or not at all: other bridges read it meanwhile. */
function write(folder: string, file: string, content: Content): void {
  const fresh = `${file}.${crypto().randomUUID()}`
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    fs.writeFileSync(fresh, JSON.stringify(content), { mode: 0o600, flag: 'wx' })
    fs.renameSync(fresh, file)
    forgetOld(folder)
  } catch {
    fs.rmSync(fresh, { force: true })
  }
}

function forgetOld(folder: string): void {
  const names = fs.readdirSync(folder)
  if (names.length <= FILES) return
  const files = names.map((name) => {
    const path = join(folder, name)
    return { path, at: fs.lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }
  })
  for (const { path } of files.sort((a, b) => b.at - a.at).slice(FILES))
    fs.rmSync(path, { force: true })
}
