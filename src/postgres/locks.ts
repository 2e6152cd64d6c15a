/**
 * One process at a time on an embedded store.
 *
 * The lock is a listening Unix socket in the store's directory. The process that answers holds it,
 * and a killed holder stops answering at once; a written pid would prove nothing in a container.
 * Each process makes a socket under a name of its own and then connects to all the others, so that
 * two processes that start together always see each other.
 */
import { randomBytes } from 'node:crypto'
import {
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { createConnection, createServer } from 'node:net'
import type { Server } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hold, type Held } from '../kernel/held.ts'
import { Refusal, unavailable } from '../kernel/refusal.ts'
import { unusable } from '../kernel/trouble.ts'

export interface StoreLock {
  /** The store's directory. */
  folder: Held
  release(): Promise<void>
}

/** What a socket sends to each process that connects. */
interface Holder {
  /** Whether it has seen that it is alone. */
  held: boolean
  pid: number
  host: string
  /** RFC 3339. */
  since: string
}

type Answer = Holder | 'silent' | 'dead'

const NAME = /^lock-[0-9a-f]+\.sock$/
const LONGEST_SOCKET_PATH = 100
const ANSWER_MS = 500
const GIVE_UP_MS = 1_500
const HOLDER_FILE = 'holder.json'

/** Takes the lock, or refuses within two seconds, naming the holder. */
export async function lockStore(dir: string): Promise<StoreLock> {
  let folder: Held | undefined
  try {
    await makeDirectory(dir)
    folder = hold(dir)
    const near = await shortPath(folder.root)
    try {
      return await take(folder, near.path)
    } finally {
      await near.remove()
    }
  } catch (cause) {
    folder?.close()
    if (cause instanceof Refusal) throw cause
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException
    throw unavailable(
      `the directory ${dir} of the embedded database cannot be used: ` +
        (unusable(cause) ?? `the system says ${code}; leave it where it is, and see the log`),
      cause,
    )
  }
}

/** By itself: of a parent that may not be written `recursive` says only that the directory is not there. */
async function makeDirectory(dir: string): Promise<void> {
  await mkdir(dirname(dir), { recursive: true, mode: 0o700 })
  await mkdir(dir, { mode: 0o700 }).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST' || !(await stat(dir)).isDirectory()) throw error
  })
}

/** A socket's path is limited to some hundred bytes, so a long directory is reached by a short link. */
async function shortPath(dir: string): Promise<{ path: string; remove(): Promise<void> }> {
  if (Buffer.byteLength(join(dir, 'lock-0123456789abcdef.sock')) <= LONGEST_SOCKET_PATH)
    return { path: dir, remove: async () => {} }
  const own = await mkdtemp(join(tmpdir(), 'loam-'))
  await symlink(dir, join(own, 'd'))
  return { path: join(own, 'd'), remove: () => rm(own, { recursive: true }) }
}

async function take(folder: Held, near: string): Promise<StoreLock> {
  const self: Holder = {
    held: false,
    pid: process.pid,
    host: hostname(),
    since: new Date().toISOString(),
  }
  const dir = folder.root
  const end = performance.now() + GIVE_UP_MS
  for (;;) {
    const name = `lock-${randomBytes(8).toString('hex')}.sock`
    const server = await announce(near, name, self)
    const rival = await alone(dir, near, name, end)
    if (rival === null) {
      self.held = true
      await writeFile(join(dir, HOLDER_FILE), `${JSON.stringify(self)}\n`, { mode: 0o600 })
      const release = async (): Promise<void> => {
        await withdraw(dir, name, server)
        folder.close()
      }
      return { folder, release }
    }
    await withdraw(dir, name, server)
    if (rival === 'silent' || rival.held || performance.now() > end)
      throw heldBy(folder.name, rival)
    await sleep(20 + Math.random() * 60)
  }
}

function heldBy(dir: string, rival: Holder | 'silent'): Error {
  const who = rival === 'silent' ? 'a process that does not answer' : describe(rival)
  return unavailable(
    `the embedded database in ${dir} is in use by ${who}: stop it first, or use another data directory`,
  )
}

const describe = ({ pid, host, since }: Holder): string =>
  `process ${pid} on ${host}, running since ${since}`

/** Listens before it has its final name: a socket with a name that does not answer is dead for ever. */
async function announce(near: string, name: string, self: Holder): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.end(JSON.stringify(self))
  })
  server.unref()
  const unseen = join(near, `.${name}`)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(unseen, resolve)
  })
  await rename(unseen, join(near, name))
  return server
}

async function withdraw(dir: string, name: string, server: Server): Promise<void> {
  await rm(join(dir, name), { force: true })
  await new Promise((resolve) => server.close(resolve))
}

/** Connects to every other socket; returns the one that has precedence, or null when none is alive. */
async function alone(
  dir: string,
  near: string,
  own: string,
  end: number,
): Promise<Holder | 'silent' | null> {
  const others = (await readdir(dir)).filter((name) => NAME.test(name) && name !== own)
  for (const other of others) {
    for (;;) {
      const answer = await ask(join(near, other))
      if (answer === 'dead') {
        await unlink(join(dir, other)).catch(() => {})
        break
      }
      if (answer === 'silent' || answer.held || performance.now() > end) return answer
      // Of two who are still looking the smaller name stays, and waits until the other has gone.
      if (own > other) return answer
      await sleep(10)
    }
  }
  return null
}

function ask(path: string): Promise<Answer> {
  return new Promise((resolve) => {
    let said = ''
    let connected = false
    const socket = createConnection(path)
    const done = (): void => {
      clearTimeout(timer)
      socket.destroy()
      if (!connected) return resolve('dead')
      try {
        resolve(JSON.parse(said) as Holder)
      } catch {
        resolve('silent')
      }
    }
    const timer = setTimeout(() => done(), ANSWER_MS)
    socket.setEncoding('utf8')
    socket.on('connect', () => (connected = true))
    socket.on('data', (text: string) => (said += text))
    socket.on('end', done)
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // A full backlog is a sign of life.
      connected ||= error.code === 'EAGAIN'
      done()
    })
  })
}
