import { randomBytes } from 'node:crypto'
import { chmod, mkdir, stat } from 'node:fs/promises'
import { type Config, keyProblem, type Settings } from '../config.ts'
import { invalid, unavailable } from '../kernel/refusal.ts'
import { unusable } from '../kernel/trouble.ts'
import { keyFile, readKey } from './key-file.ts'
import { makeFile, replaceFile, sweepBeside } from './whole-file.ts'

/**
 * Returns the configuration with the current key, or undefined when no key exists yet. A key that is too
 * weak for the address is refused, whatever its source.
 */
export async function withKey(settings: Settings): Promise<Config | undefined> {
  const { config, keyFrom } = settings
  if (keyFrom) return config
  const key = await readKey(keyFile(config))
  if (key === undefined) return undefined
  const problem = keyProblem(key, config)
  if (problem) throw invalid(`${keyFile(config)}: ${problem}`)
  return { ...config, mcp: { ...config.mcp, api_key: key } }
}

/** Makes the data directory and a missing key, and returns the configuration with the key. */
export async function withKeyMade(settings: Settings): Promise<Config> {
  await makeDataDir(settings.config.data_dir)
  await sweepBeside(keyFile(settings.config))
  const found = await withKey(settings)
  if (found) return found
  await createKey(keyFile(settings.config))
  const made = await withKey(settings)
  if (!made) throw unavailable(`${keyFile(settings.config)}: the key that was just written is gone`)
  return made
}

/** Replaces the key by a new one, whole or not at all. */
export const rotateKey = (path: string): Promise<void> => writing(path, replaceFile)

/** Several processes may start at once: the key of the first stays, and the others load it. */
const createKey = (path: string): Promise<unknown> => writing(path, makeFile)

async function writing<Done>(
  path: string,
  write: (path: string, text: string) => Promise<Done>,
): Promise<Done> {
  try {
    return await write(path, `${randomBytes(32).toString('hex')}\n`)
  } catch (error) {
    throw cannot(path, 'written', error as NodeJS.ErrnoException)
  }
}

async function makeDataDir(dir: string): Promise<void> {
  const found = await stat(dir).catch(() => undefined)
  if (found && !found.isDirectory()) throw invalid(`data_dir: ${dir} is not a directory`)
  if (found) return
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 })
    await chmod(dir, 0o700)
  } catch (error) {
    throw cannot(dir, 'created', error as NodeJS.ErrnoException)
  }
}

const cannot = (path: string, done: string, error: NodeJS.ErrnoException) =>
  unavailable(
    `${path}: cannot be ${done}: ` +
      (unusable(error) ?? `the system says ${error.code ?? 'nothing'}; make it writable`),
    error,
  )
