/**
 * Which process of this machine is the client: the nearest ancestor that is neither a shell nor a program
 * of ours. Hooks, the headers helper and the bridge of one client find the same one, so its key ties them
 * together. Files of the system tell on Linux, and one `ps` on macOS; elsewhere nothing is known.
 */
import { childProcess, fs } from './node.ts'

export interface ClientProcess {
  /** 32 hexadecimal digits, which no other process has. */
  key: string
  pid: number
}

/** A process as the system shows it. */
interface Seen {
  parent: number
  /** When it began, in the system's own words. */
  began: string
  /** The name of the program, without its folder. */
  name: string
  /** The program and its arguments; one text where the system does not part them. */
  argv: readonly string[]
}

/** Reads the process with this id; undefined when there is none. */
type Look = (pid: number) => Seen | undefined

/** Programs that start another one in their place, or for somebody else. */
const SHELLS = new Set(
  (
    'sh bash dash zsh ksh mksh ash fish csh tcsh nu elvish xonsh busybox cmd pwsh powershell ' +
    'env xargs nice nohup setsid stdbuf timeout time ionice chrt taskset'
  ).split(' '),
)
/** What takes over processes whose parent has died: their client is not known. */
const INITS = new Set(
  'init systemd launchd tini dumb-init docker-init catatonit s6-svscan runit'.split(' '),
)
/** More ancestors than this are a circle, or a machine that is not worth the time. */
const MOST = 24

/** Returns the client that started this process, directly or through others. */
export function clientProcess(from: number = process.ppid): ClientProcess | undefined {
  try {
    const look = looking()
    for (let pid = from, steps = 0; look && pid > 0 && steps < MOST; steps++) {
      const seen = look(pid)
      if (!seen || INITS.has(seen.name)) return undefined
      if (!isBetween(seen)) return { key: keyOf(pid, seen, look), pid }
      pid = seen.parent
    }
  } catch {
    // Whatever a system hides, its client goes without a key.
  }
  return undefined
}

/**
 * Returns those of these processes that still run, told by their keys. Where the system shows no processes,
 * that is all of them: nobody is called gone on a guess.
 */
export function running(processes: readonly ClientProcess[]): ClientProcess[] {
  if (processes.length === 0) return []
  try {
    const look = looking()
    if (!look?.(process.pid)) return [...processes]
    return processes.filter(({ key, pid }) => {
      const seen = look(pid)
      return seen && keyOf(pid, seen, look) === key
    })
  } catch {
    return [...processes]
  }
}

/** Returns where a process works; undefined when the system does not tell. */
export function directoryOf(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') {
      const path = fs.readlinkSync(`/proc/${pid}/cwd`)
      return path.endsWith(' (deleted)') ? undefined : path
    }
    if (process.platform !== 'darwin') return undefined
    const shown = ask('/usr/sbin/lsof', ['-a', '-p', String(pid), '-d', 'cwd', '-Fn'])
    return /^n(\/.*)$/m.exec(shown)?.[1]
  } catch {
    return undefined
  }
}

/**
 * Names the table in which process ids of this machine are told apart. Processes in another container
 * have a table of their own, even when they share the files of a home. Undefined: nothing is known.
 */
export function processTable(): string | undefined {
  try {
    if (process.platform === 'linux') return fs.readlinkSync('/proc/self/ns/pid')
  } catch {
    return undefined
  }
  return process.platform === 'darwin' ? 'pid' : undefined
}

/**
 * Digits of the machine's start, the table of processes, the id and the time when the process began: no
 * other process has all of them, and nothing has to be computed that takes long to load.
 */
const keyOf = (pid: number, { began }: Seen, look: Look): string =>
  bootOf(look).slice(0, 8).padStart(8, '0') +
  digits(Number(/\d+/.exec(processTable() ?? '')?.[0] ?? 0), 8) +
  digits(pid, 6) +
  digits(timeOf(began), 10)

const digits = (value: number, count: number): string =>
  value.toString(16).padStart(count, '0').slice(-count)

/** Ticks since the machine started on Linux, seconds since 1970 elsewhere. */
const timeOf = (began: string): number =>
  /^\d+$/.test(began) ? Number(began) : Math.floor(Date.parse(began) / 1000) || 0

/** One start of the machine; on macOS its first process began then. */
const bootOf = (look: Look): string =>
  process.platform === 'linux'
    ? read('/proc/sys/kernel/random/boot_id')
    : digits(timeOf(look(1)?.began ?? ''), 8)

/** A shell, or a program of ours: the client is behind it. */
const isBetween = ({ name, argv }: Seen): boolean =>
  SHELLS.has(name) || SHELLS.has(programName(argv[0] ?? '')) || isOurs(argv)

function isOurs(argv: readonly string[]): boolean {
  // One text: only our own subcommands tell our programs from a client that speaks of them.
  if (argv.length === 1)
    return /\bloam(?:-hook)?(?:\.mjs)? (?:hook|mcp-headers|bridge)\b/.test(argv[0]!)
  if (!/^(?:node(?:js)?|bun)[\d.]*$/.test(programName(argv[0] ?? ''))) return false
  const script = argv.slice(1).find((word, index) => isScript(word, argv[index]!))
  return /^loam(?:-hook)?(?:\.mjs)?$/.test(programName(script ?? ''))
}

/** Whether a word of Node's own line is the program that it runs, seen with the word before it. */
const isScript = (word: string, before: string): boolean =>
  !word.startsWith('-') &&
  !/^(?:-r|--import|--require|--loader|--experimental-loader)$/.test(before)

/** `-/bin/bash` → `bash`: a login shell has a hyphen before its name. */
const programName = (word: string): string =>
  word
    .replace(/^-/, '')
    .replace(/^.*[/\\]/, '')
    .replace(/\.exe$/i, '')

const read = (path: string): string => fs.readFileSync(path, 'utf8').trim()

function looking(): Look | undefined {
  if (process.platform === 'linux') return seenInFiles
  return process.platform === 'darwin' ? seenByPs() : undefined
}

function seenInFiles(pid: number): Seen | undefined {
  try {
    // The name stands in parentheses and may hold any character, so the rest begins after the last one.
    const stat = read(`/proc/${pid}/stat`)
    const [name, rest] = [
      stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')),
      stat.lastIndexOf(')'),
    ]
    const fields = stat.slice(rest + 2).split(' ')
    const argv = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, 32)
    return { parent: Number(fields[1]), began: fields[19] ?? '', name, argv: argv.filter(Boolean) }
  } catch {
    return undefined
  }
}

/** Returns a reader of one list of all processes. */
const seenByPs = (): Look => seenInList(ask('/bin/ps', ['-axo', 'pid=,ppid=,lstart=,command=']))

/** Returns what a program of the system prints. */
function ask(program: string, args: readonly string[]): string {
  return childProcess().execFileSync(program, args, {
    env: { ...process.env, LC_ALL: 'C' },
    encoding: 'utf8',
    timeout: 1_000,
    maxBuffer: 16 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

/** Reads what `ps` prints: two ids, a time of five words, and the line of the command. */
export function seenInList(list: string): Look {
  const found = new Map<number, Seen>()
  for (const line of list.split('\n')) {
    const [, pid, parent, began, command = ''] =
      /^\s*(\d+)\s+(\d+)\s+((?:\S+\s+){4}\S+)\s+(.*)$/.exec(line) ?? []
    if (!pid || !parent || !began) continue
    const name = programName(command.split(' ')[0] ?? '')
    found.set(Number(pid), { parent: Number(parent), began, name, argv: [command] })
  }
  return (pid) => found.get(pid)
}
