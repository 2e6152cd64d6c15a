/** The PostgreSQL that faults may restart: their own, unless it cannot be had. */
import { execFile } from 'node:child_process'
import { chown, readlink, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { randomBytes } from 'node:crypto'
import { onServer, withServer } from '../helpers/postgres.ts'
import { makeDisk, type Disk } from './store-disk.ts'

const SCRIPT = fileURLToPath(new URL('../../.ci/postgres.sh', import.meta.url))
const run = promisify(execFile)

async function script(args: string[], env: Record<string, string> = {}): Promise<string> {
  const all = { ...process.env, LOAM_PG_NAME: 'faults', ...env }
  const { stdout } = await run(SCRIPT, args, { env: all })
  return stdout.trim().split('\n').at(-1) ?? ''
}

export interface Server extends AsyncDisposable {
  url: string
  restart(mode: 'fast' | 'immediate'): Promise<void>
  /** Starts it again where it has ended by itself. */
  revive(): Promise<void>
}

/** Starts a server of one's own. In full runs only: it may have to be unpacked first. */
export async function startServer(env: Record<string, string> = {}): Promise<Server> {
  const url = await script(['start'], env)
  return {
    url,
    restart: async (mode) => void (await script(['restart', mode], env)),
    revive: async () => void (await script(['start'], env)),
    [Symbol.asyncDispose]: async () => void (await script(['stop'], env)),
  }
}

/** A server whose data lie on a disk of their own, and that disk. */
export async function startServerOn(
  image: string,
  megabytes: number,
): Promise<Server & { disk: Disk }> {
  const env = { LOAM_PG_NAME: 'faults-volume' }
  const { root, owner } = await whereServersRun(env)
  const dir = `/tmp/loam-volume-${randomBytes(4).toString('hex')}`
  // Undone in the opposite order, also when the start fails half way.
  await using made = new AsyncDisposableStack()
  const disk = await makeDisk(image, join(root, dir), megabytes)
  made.defer(() => rmdir(disk.mount))
  made.defer(() => disk.detach())
  await chown(disk.mount, owner, owner)
  const server = made.use(await startServer({ ...env, LOAM_PG_DIR: dir }))
  const all = made.move()
  return { ...server, disk, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

/** The directory that servers take for /, and the user they run as. */
async function whereServersRun(
  env: Record<string, string>,
): Promise<{ root: string; owner: number }> {
  await using server = await startServer(env)
  return await withServer(server.url, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const process = `/proc/${rows[0]!.pid}`
    return { root: await readlink(`${process}/root`), owner: (await stat(process)).uid }
  })
}

/** The suite uses the server it was given; a full run starts one. */
export const serverMissing = ({ full }: { full: boolean }): string | null => {
  if (full ? process.getuid?.() === 0 : process.env['LOAM_TEST_DATABASE_URL']) return null
  return full ? 'it needs root, to start a PostgreSQL' : 'it needs LOAM_TEST_DATABASE_URL'
}

/** An empty database of its own on a server. */
export async function emptyDatabase(url: string): Promise<string> {
  const name = `loam_test_${Date.now().toString(36)}_${randomBytes(6).toString('hex')}`
  await withServer(url, (server) => server.query(`create database ${name}`))
  return onServer(url, name)
}
