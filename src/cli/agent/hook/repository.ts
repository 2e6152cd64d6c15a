import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { fs, textOfFile } from '../../client/node.ts'

/** What a working directory says of the repository around it. */
export interface Repository {
  /** The main checkout, also when the directory lies in a linked worktree. */
  repo_root: string
  /** The remote as git has it written, but without credentials; absent when there is none. */
  repo?: string
  /** The first twelve hexadecimal digits of the commit checked out; absent before the first one. */
  git_head?: string
}

/**
 * The repository around a directory, read from its files: no git is run.
 *
 * Undefined outside of any. A submodule is a repository of its own.
 */
export function repositoryOf(directory: string): Repository | undefined {
  if (!isAbsolute(directory)) return undefined
  const found = nearestGit(directory)
  if (!found) return undefined
  const common = commonDirectory(found.git)
  const root = basename(common) === '.git' ? dirname(common) : found.root
  const [repo, head] = [remoteOf(common), headOf(found.git, common)]
  return { repo_root: root, ...(repo && { repo }), ...(head && { git_head: head.slice(0, 12) }) }
}

/** The nearest directory upwards that holds `.git`, and the directory that it leads to. */
function nearestGit(from: string): { root: string; git: string } | undefined {
  for (let root = resolve(from); ; root = dirname(root)) {
    const entry = join(root, '.git')
    const found = statOf(entry)
    if (found?.isDirectory()) return { root, git: entry }
    if (found?.isFile()) {
      const [, target] = /^gitdir:\s*(.+)$/m.exec(readText(entry)) ?? []
      if (target) return { root, git: resolve(root, target.trim()) }
    }
    if (dirname(root) === root) return undefined
  }
}

/** A linked worktree keeps its own HEAD and shares everything else with the main checkout. */
function commonDirectory(git: string): string {
  const common = readText(join(git, 'commondir')).trim()
  return common === '' ? git : resolve(git, common)
}

/** `origin`, or the first remote there is. */
function remoteOf(common: string): string | undefined {
  const remotes = new Map<string, string>()
  let remote: string | undefined
  for (const line of readText(join(common, 'config')).split('\n')) {
    const section = /^\s*\[\s*(?:remote\s+"([^"]+)"|[^\]]*)\s*\]/.exec(line)
    if (section) remote = section[1]
    const [, url] = /^\s*url\s*=\s*(\S+)\s*$/.exec(line) ?? []
    if (url && remote !== undefined && !remotes.has(remote)) remotes.set(remote, url)
  }
  const written = remotes.get('origin') ?? [...remotes.values()][0]
  return written && withoutCredentials(written)
}

/** Of `https://name:token@host/path` nothing before the host stays; of `ssh://git@host/path` the name. */
const withoutCredentials = (remote: string): string =>
  remote
    .replace(/^(https?:\/\/)[^/]*@/i, '$1')
    .replace(/^([a-z][a-z0-9+.-]*:\/\/[^/@:]*):[^/]*@/i, '$1@')

function headOf(git: string, common: string): string | undefined {
  const head = readText(join(git, 'HEAD')).trim()
  const [, ref] = /^ref:\s*(refs\/\S+)$/.exec(head) ?? []
  if (ref === undefined) return hash(head)
  if (ref.split('/').includes('..')) return undefined
  const loose = readText(join(git, ref)) || readText(join(common, ref))
  if (loose !== '') return hash(loose.trim())
  const packed = readText(join(common, 'packed-refs')).split('\n')
  return hash(packed.find((line) => line.endsWith(` ${ref}`))?.split(' ')[0] ?? '')
}

const hash = (text: string): string | undefined =>
  /^[0-9a-f]{40,64}$/.test(text) ? text : undefined

function statOf(path: string): ReturnType<typeof fs.statSync> {
  try {
    return fs.statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** '' when there is no such file: every part of a repository may be missing. */
const readText = (path: string): string => textOfFile(path) ?? ''
