/** The clients' packages: installed once into a cache folder, at the versions of `package.json`. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const LIST = fileURLToPath(new URL('package.json', import.meta.url))
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/loam', import.meta.url))

export interface Packages {
  /** The folder that holds them. */
  modules: string
  /** By the name of the package. */
  versions: Record<string, string>
}

/** Installs what is not there yet. Needs the registry the first time, and nothing afterwards. */
export async function clientPackages(): Promise<Packages> {
  const text = await readFile(LIST, 'utf8')
  const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> }
  const name = `clients-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`
  const folder = join(CACHE, name)
  if (!existsSync(folder)) {
    const fresh = `${folder}.${process.pid}`
    await mkdir(fresh, { recursive: true })
    await copyFile(LIST, join(fresh, 'package.json'))
    try {
      await run('npm', ['install', '--no-audit', '--no-fund', '--omit=dev'], { cwd: fresh })
      await rename(fresh, folder)
    } finally {
      await rm(fresh, { recursive: true, force: true })
    }
  }
  return { modules: join(folder, 'node_modules'), versions: dependencies }
}
