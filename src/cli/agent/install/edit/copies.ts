/** Copies that releases before this one left beside a file, as it was before their first installation. */
import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { readIfThere, writeOver } from './file.ts'
import { treeOf, valueOf } from './json.ts'
import { isObject } from './members.ts'

/** Removes them. Those releases sorted and reformatted; where nothing else changed, the copy's bytes go back. */
export async function takeCopies(path: string, { dry }: { dry: boolean }): Promise<string[]> {
  const beside = await readdir(dirname(path)).catch(() => [])
  const names = beside.filter(
    (name) =>
      name.startsWith(`${basename(path)}.loam-bak-`) && /-\d{8}-\d{6}$/.test(name.slice(-16)),
  )
  for (const name of dry ? [] : names.toSorted()) {
    const copy = join(dirname(path), name)
    const [was, is] = [await readIfThere(copy), await readIfThere(path)]
    if (was !== undefined && is !== undefined && was !== is && sayTheSame(was, is))
      await writeOver(path, is, was)
    await rm(copy, { force: true })
  }
  return names
}

function sayTheSame(was: string, is: string): boolean {
  try {
    return isDeepStrictEqual(meant(was), meant(is))
  } catch {
    return false
  }
}

/** Those releases dropped empty lists of hooks. */
function meant(text: string): unknown {
  const value = valueOf(treeOf(text))
  if (!isObject(value) || !isObject(value['hooks'])) return value ?? {}
  const { hooks, ...rest } = value
  const full = Object.entries(hooks as object).filter(([, list]) => !isDeepStrictEqual(list, []))
  return full.length > 0 ? { ...rest, hooks: Object.fromEntries(full) } : rest
}
