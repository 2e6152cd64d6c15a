import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { unavailable } from '../kernel/refusal.ts'

/** Returns the owner-only file of a generated key. */
export const keyFile = (config: Config): string => join(config.data_dir, 'api-key')

/** Returns the key in the file, or undefined without a file. An empty file is an empty key. */
export async function readKey(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw unavailable(`${path}: the key cannot be read (${code ?? 'unknown'})`)
  }
}
