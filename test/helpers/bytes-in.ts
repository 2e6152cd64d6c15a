import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The bytes of every file of a folder, as base64 by its path. */
export async function bytesIn(dir: string, folder: string): Promise<Record<string, string>> {
  const entries = await readdir(join(dir, folder), { recursive: true, withFileTypes: true })
  const found: Record<string, string> = {}
  for (const entry of entries.filter((entry) => entry.isFile())) {
    const path = join(entry.parentPath, entry.name)
    found[path] = (await readFile(path)).toString('base64')
  }
  return found
}
