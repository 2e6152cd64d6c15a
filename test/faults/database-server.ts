/** The PostgreSQL that faults may restart: their own, unless it cannot be had. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { randomBytes } from 'node:crypto'
import { onServer, withServer } from '../helpers/postgres.ts'

const SCRIPT = fileURLToPath(new URL('../../.ci/postgres.sh', import.meta.url))
const run = promisify(execFile)

const script = async (...args: string[]): Promise<string> => {
  const env = { ...process.env, LOAM_PG_NAME: 'faults' }
  const { stdout } = await run(SCRIPT, args, { env })
  return stdout.trim().split('\n').at(-1) ?? ''
}

export interface Server extends AsyncDisposable {
  url: string
  restart(mode: 'fast' | 'immediate'): Promise<void>
}

/** Starts a server of one's own. In full runs only: it may have to be unpacked first. */
export async function startServer(): Promise<Server> {
  const url = await script('start')
  return {
    url,
    restart: async (mode) => void (await script('restart', mode)),
    [Symbol.asyncDispose]: async () => void (await script('stop')),
  }
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
