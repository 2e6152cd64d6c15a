/**
 * The operator's socket: how a command on this machine speaks to the running process.
 *
 * `<data_dir>/loam-<pid>.sock`, owner only; there is no TCP route to it. Where that path is too long
 * for a socket it has a short name in an owner-only directory for temporary files.
 */
import { createHash } from 'node:crypto'
import { chmod, lstat, mkdir, readdir, realpath, unlink } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { unavailable } from '../../../kernel/refusal.ts'

/** The shortest limit among systems is 104 bytes with the closing NUL. */
const LONGEST_PATH = 100
const NAME = /^loam-(\d+)\.sock$/

/** The path of a process's socket, in a directory that is made when it is missing. */
export async function socketPath(dataDir: string, pid: number): Promise<string> {
  const directory = await socketDirectory(dataDir)
  if (directory !== dataDir) {
    await ownDirectory(dirname(directory))
    await ownDirectory(directory)
  }
  return join(directory, `loam-${pid}.sock`)
}

/** The socket of a process that runs on this data directory, or undefined. */
export async function runningSocket(dataDir: string): Promise<string | undefined> {
  for (const socket of await listSockets(dataDir)) if (await answers(socket)) return socket
  return undefined
}

/** The sockets of every process on this data directory, stale ones too. Nothing is made by the look. */
async function listSockets(dataDir: string): Promise<string[]> {
  const directory = await socketDirectory(dataDir)
  if (directory !== dataDir && !(await isOwn(dirname(directory)))) return []
  const names = await readdir(directory).catch(() => [])
  return names.filter((name) => NAME.test(name)).map((name) => join(directory, name))
}

/** Whether somebody listens on the socket. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    const end = (alive: boolean) => {
      socket.destroy()
      resolve(alive)
    }
    socket.setTimeout(2000, () => end(true))
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
  })
}

/** Removes the sockets that dead processes left behind. */
export async function sweepSockets(dataDir: string): Promise<void> {
  for (const path of await listSockets(dataDir)) {
    if (!(await answers(path)) && isGone(path)) await unlink(path).catch(() => {})
  }
}

/** A refused socket of a living process is one of another machine that shares the directory. */
function isGone(path: string): boolean {
  const pid = Number(NAME.exec(basename(path))?.[1])
  if (pid === process.pid) return true
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

async function socketDirectory(dataDir: string): Promise<string> {
  const longest = join(dataDir, `loam-${2 ** 22}.sock`)
  if (Buffer.byteLength(longest) <= LONGEST_PATH) return dataDir
  const whole = await realpath(dataDir).catch(() => dataDir)
  const short = createHash('sha256').update(whole).digest('hex').slice(0, 16)
  return join(tmpdir(), `loam-${process.getuid?.() ?? 0}`, short)
}

/** Anybody may write to the directory for temporary files, so its owner is checked. */
async function ownDirectory(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  if (!(await isOwn(path)))
    throw unavailable(`${path}: belongs to another user; set TMPDIR to a place of your own`)
  if (((await lstat(path)).mode & 0o077) !== 0) await chmod(path, 0o700)
}

async function isOwn(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined)
  return found?.isDirectory() === true && found.uid === (process.getuid?.() ?? found.uid)
}
