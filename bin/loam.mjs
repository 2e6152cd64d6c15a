#!/usr/bin/env node
// Plain JavaScript that any Node understands: it finds the Node that Loam runs on, and starts Loam.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const NEEDED = 24
// Young garbage stays small: agents come and go by the thousand, and memory is to follow them.
const LEAN = ['--max-semi-space-size=16']
// What is freed goes back to the system. Compiling the embedded database leaves 100 MB in the heaps of threads else.
const FRUGAL = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' }
const here = dirname(dirname(fileURLToPath(import.meta.url)))
const major = Number(process.versions.node.split('.')[0])

// File syncs and name look-ups share these threads; with the default of four, slow disks stop look-ups.
process.env.UV_THREADPOOL_SIZE = process.env.UV_THREADPOOL_SIZE || '16'

if (major >= NEEDED) {
  await import('./code-cache.mjs')
  // A client waits for its tools, and starts this program where it does not know the other one.
  const isBridge = process.argv[2] === 'bridge'
  // A checkout runs from its sources; a package holds them as JavaScript.
  const source = join(here, 'src/main.ts')
  const main = existsSync(source) ? source : join(here, 'dist/main.js')
  const entry = isBridge ? join(here, 'bin/loam-hook.mjs') : await servedFrom(main)
  import(pathToFileURL(entry).href)
} else {
  const pinned = [join(here, 'node_modules/node/bin/node'), join(here, '../node/bin/node')].find(
    (path) => existsSync(path),
  )
  if (pinned) rerun(pinned)
  else {
    console.error(
      `loam: needs Node ${NEEDED} or newer; this is Node ${process.versions.node}. ` +
        'Run "npm ci" in the checkout, which brings the right one, or install Node 24.',
    )
    process.exitCode = 1
  }
}

/** The service starts from its joined code when it has some, and else has it joined for its next start. */
async function servedFrom(main) {
  if (process.argv[2] !== 'serve') return main
  const { findJoined, joinLater } = await import('./joined-code.mjs')
  const joined = findJoined(main)
  if (!joined) joinLater(main)
  return joined ?? main
}

/** Becomes the same command on the other Node: same streams, signals passed on, same exit code. */
function rerun(node) {
  // The channel closes when this process dies in any way, and so tells the other to stop as well.
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc']
  const env = { ...FRUGAL, ...process.env }
  const child = spawn(node, [...LEAN, ...process.argv.slice(1)], { stdio, env })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    console.error(`loam: ${node} cannot be started: ${error.message}`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code)
    for (const each of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(each)
    process.kill(process.pid, signal)
  })
}
