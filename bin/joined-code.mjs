// The code of the service joined into a few files, as a bundler does it: half of a start is finding and reading two
// thousand modules. It is kept beside the compiled code, and counts only while no file that it is made of has changed.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What stands in the way of a service that has just begun comes later. */
const LATER_MS = 60_000

/** Where it is kept for a program, or undefined where nothing is kept. `list` names what it is made of. */
export function placeOf(main) {
  const { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE } = process.env
  if (!NODE_COMPILE_CACHE || NODE_DISABLE_COMPILE_CACHE) return undefined
  const folder = join(NODE_COMPILE_CACHE, 'joined')
  const name = createHash('sha256').update(`${process.version} ${main}`).digest('hex').slice(0, 16)
  return { folder, name, list: join(folder, `${name}.json`) }
}

/** The file to start instead of `main`; undefined when there is none, or when it is out of date. */
export function findJoined(main) {
  try {
    const { folder, files } = JSON.parse(readFileSync(placeOf(main).list, 'utf8'))
    if (!Object.entries(files).every(([path, seen]) => looksLike(path) === seen)) return undefined
    // What nobody starts for long is removed.
    utimesSync(folder, new Date(), new Date())
    return join(folder, 'main.mjs')
  } catch {
    return undefined
  }
}

/** A file as it is now: its size, and when it was changed last, which no copying and no tool can set. */
export function looksLike(path) {
  const { size, ctimeMs } = statSync(path)
  return `${size} ${ctimeMs}`
}

/** Has the code joined by a process of its own, for the next start. */
export function joinLater(main, afterMs = LATER_MS) {
  if (!placeOf(main)) return
  const join = () => {
    const program = fileURLToPath(new URL('./join-code.mjs', import.meta.url))
    const child = spawn(process.execPath, [program, main], { stdio: 'ignore' })
    child.on('error', () => {})
    child.unref()
  }
  setTimeout(join, afterMs).unref()
}
