import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { pathsIn } from './paths.ts'

export type Freshness = 'FRESH' | 'STALE' | 'UNKNOWN'

/** Returns the commit that is checked out around a folder; undefined when there is none. */
export const headOf = (cwd: string): Promise<string | undefined> => git(cwd, 'rev-parse', 'HEAD')

/**
 * Compares a text with the repository: it is stale when a file that it names was changed since the
 * commit it was written on. Returns the verdict with its reason.
 */
export async function freshnessOf(
  cwd: string,
  head: string,
  { body, stamped }: { body: string; stamped?: string | undefined },
): Promise<[Freshness, string]> {
  if (stamped === undefined) return ['UNKNOWN', 'it does not say on which commit it was written']
  const commit = await git(cwd, 'rev-parse', '--verify', '--quiet', `${stamped}^{commit}`)
  if (commit === undefined) return ['UNKNOWN', `commit ${stamped} is not in this repository`]
  if (commit === head) return ['FRESH', 'written on the commit that is checked out']
  const names = await git(cwd, 'diff', '--name-only', '--no-renames', '-z', commit, 'HEAD')
  const changed = (names ?? '').split('\0').filter(Boolean)
  const mentioned = pathsIn(body)
  const hit = changed.filter((path) => mentioned.some((each) => means(each, path)))
  if (hit.length === 0) return ['FRESH', `nothing it names has changed since ${stamped}`]
  const more = hit.length > 3 ? ` and ${hit.length - 3} more` : ''
  return ['STALE', `changed since ${stamped}: ${hit.slice(0, 3).join(', ')}${more}`]
}

/** Whether the words mean the path: itself, its end, or a directory that it lies in. */
function means(words: string, path: string): boolean {
  const bare = words.replace(/\/$/, '')
  if (path === bare || path.endsWith(`/${bare}`)) return true
  return words.includes('/') && `/${path}`.includes(`/${bare}/`)
}

const run = promisify(execFile)

/** What git says in one call, or undefined when it says no. */
async function git(cwd: string, ...args: string[]): Promise<string | undefined> {
  try {
    const options = { timeout: 20_000, maxBuffer: 1 << 26 }
    const { stdout } = await run('git', ['-C', cwd, '-c', 'core.quotepath=off', ...args], options)
    return stdout.trimEnd()
  } catch {
    return undefined
  }
}
