import { randomUUID } from 'node:crypto'
import { chmod, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { glob } from 'node:fs/promises'
import { invalid } from '../../../kernel/refusal.ts'

/** The file's text, or undefined when there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** A JSON object of somebody else's, with all that we do not understand. Empty when there is no file. */
export async function readObject(path: string): Promise<Record<string, unknown>> {
  const text = ((await readIfThere(path)) ?? '').replace(/^\ufeff/, '')
  if (text.trim() === '') return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalid(`${path} is not JSON; mend it, nothing was changed`)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  throw invalid(`${path} is not a JSON object; mend it, nothing was changed`)
}

/**
 * Writes a JSON object, keys sorted, over a file of somebody else's. The first time ever the file is
 * kept beside itself. One that holds a secret is for its owner's eyes only. False: nothing to change.
 */
export async function writeObject(
  path: string,
  value: Record<string, unknown>,
  { secret = false }: { secret?: boolean } = {},
): Promise<boolean> {
  const text = `${JSON.stringify(sorted(value), null, 2)}\n`
  const before = await readIfThere(path)
  const mode = (await stat(path).catch(() => undefined))?.mode ?? 0o600
  const narrowed = secret ? mode & 0o700 : mode & 0o777
  if (before === text) {
    if ((mode & 0o777) !== narrowed) await chmod(path, narrowed)
    return false
  }
  if (before !== undefined) await keepOnce(path, before, narrowed)
  await writeWhole(path, text, { mode: narrowed })
  return true
}

/** Whole or not at all: a client may read it at any moment. A link stays one. */
export async function writeWhole(
  path: string,
  text: string,
  { mode }: { mode: number },
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const target = await realpath(path).catch(() => path)
  const fresh = `${target}.${randomUUID()}`
  try {
    await using file = await open(fresh, 'wx', mode)
    await file.writeFile(text)
    await file.sync()
    await rename(fresh, target)
  } catch (error) {
    await rm(fresh, { force: true })
    throw error
  }
}

const KEPT = '.loam-bak-'

async function keepOnce(path: string, text: string, mode: number): Promise<void> {
  for await (const _ of glob(`${path.replaceAll(/[[\]{}()*?!\\]/g, '\\$&')}${KEPT}*`)) return
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')
  await writeWhole(`${path}${KEPT}${stamp}`, text, { mode })
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
}
