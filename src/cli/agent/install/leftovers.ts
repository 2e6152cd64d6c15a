/** What hooks and bridges kept on this machine: compiled code, the last lists of tools, and who runs. */
import { rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { stateFolder } from '../../client/registry.ts'
import { homeOf, type Machine } from '../../machine.ts'

/** Removes it all. Programs that still run make it anew. */
export async function takeLeftovers(machine: Pick<Machine, 'env'>): Promise<void> {
  const { env } = machine
  const state = join(stateFolder(env, homeOf(machine)), 'loam')
  const code = join(cacheFolder(env, homeOf(machine)), 'loam', 'code')
  for (const folder of [join(state, 'bridge'), join(state, 'clients'), code]) {
    await rm(folder, { recursive: true, force: true }).catch(() => {})
  }
  // Others keep theirs beside it.
  for (const folder of [state, dirname(code)]) await rmdir(folder).catch(() => {})
}

/** As the program for hooks has it. */
const cacheFolder = (env: Machine['env'], home: string): string =>
  env['XDG_CACHE_HOME'] ||
  (process.platform === 'win32' ? env['LOCALAPPDATA'] : undefined) ||
  join(home, '.cache')
