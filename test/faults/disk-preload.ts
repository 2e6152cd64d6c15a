/**
 * Loaded before the service: while the file that TEST_DISK_TROUBLE names holds the name of a step, that
 * step fails with EIO for every file of knowledge, as on a device that has begun to die: in whichever way it is taken, at
 * once or by another thread.
 */
import fs from 'node:fs'
import promises, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

const trouble = process.env['TEST_DISK_TROUBLE']!
const KNOWLEDGE = /\/(?:loam-data|proc\/self\/fd\/\d+)\/(?:notes|memory)\//

type Step = 'open' | 'write' | 'sync' | 'rename' | 'sync directory' | 'read'

/** As they are without trouble. */
const { existsSync, fstatSync, fsync, open, openSync, readFileSync, writeFileSync } = fs
const { open: openHandle, rename } = promises

function passes(step: Step): void {
  if (!existsSync(trouble) || readFileSync(trouble, 'utf8') !== step) return
  throw Object.assign(new Error(`EIO: i/o error, ${step}`), { code: 'EIO', errno: -5 })
}

/** What is open of knowledge, by its descriptor, and how its sync is called. */
const known = new Map<unknown, Step>()

const isKnowledge = (path: unknown): boolean => KNOWLEDGE.test(`${String(path)}/`)

function opens(path: unknown, flags: unknown): void {
  if (isKnowledge(path) && flags === 'wx') passes('open')
}

function opened(path: unknown, file: number): number {
  known.delete(file)
  if (isKnowledge(path)) known.set(file, fstatSync(file).isDirectory() ? 'sync directory' : 'sync')
  return file
}

type Done = (error: unknown, file?: number) => void

/** Does what may fail, and then the rest; a failure is told as that of the rest would be. */
function unless(check: () => void, done: Done, rest: () => void): void {
  try {
    check()
  } catch (error) {
    process.nextTick(done, error)
    return
  }
  rest()
}

Object.assign(fs, {
  openSync(...given: Parameters<typeof openSync>) {
    opens(given[0], given[1])
    return opened(given[0], openSync(...given))
  },
  open(path: string, flags: string, ...rest: [Done] | [mode: number, Done]) {
    const done = rest.at(-1) as Done
    const mode = rest.length === 2 ? rest[0] : undefined
    const tell: Done = (error, file) =>
      error ? done(error) : done(null, opened(path, file as number))
    unless(
      () => opens(path, flags),
      done,
      () => (open as (...given: unknown[]) => void)(path, flags, mode, tell),
    )
  },
  writeFileSync(...given: Parameters<typeof writeFileSync>) {
    if (known.has(given[0])) passes('write')
    writeFileSync(...given)
  },
  readFileSync(...given: Parameters<typeof readFileSync>) {
    if (known.has(given[0])) passes('read')
    return readFileSync(...given)
  },
  fsync(file: number, done: Done) {
    const step = known.get(file)
    unless(
      () => step && passes(step),
      done,
      () => fsync(file, done),
    )
  },
})

Object.assign(promises, {
  async open(...given: Parameters<typeof openHandle>) {
    opens(given[0], given[1])
    const handle = await openHandle(...given)
    opened(given[0], handle.fd)
    return known.has(handle.fd) ? failing(handle) : handle
  },
  async rename(from: string, to: string) {
    if (isKnowledge(to)) passes('rename')
    return rename(from, to)
  },
})
syncBuiltinESMExports()

function failing(handle: FileHandle): FileHandle {
  const { writeFile, readFile, sync } = handle
  return Object.assign(handle, {
    async writeFile(...given: Parameters<typeof writeFile>) {
      passes('write')
      return writeFile.apply(handle, given)
    },
    async readFile(...given: Parameters<typeof readFile>) {
      passes('read')
      return readFile.apply(handle, given)
    },
    async sync() {
      passes(known.get(handle.fd) ?? 'sync')
      return sync.apply(handle)
    },
  })
}
