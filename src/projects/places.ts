/**
 * Where repositories lie, as the machines of agents tell it. Pure text: nothing here is ever looked
 * at, for it lies on other machines.
 */

/** As long as any system lets a path be, in UTF-16 units. */
const LONGEST = 4_096
const UNCLEAN = /[\0-\x1f\x7f]/

/**
 * An absolute path in the one form under which it is kept, or undefined for anything else.
 *
 * `/` joins its segments, on Windows too; no segment is empty, `.` or `..`, and none ends it. A drive's
 * letter is upper case. Nothing else is folded: most file systems tell `Orders` from `orders`.
 */
export function normalPath(given: string): string | undefined {
  const text = given.trim()
  if (text === '' || text.length > LONGEST || UNCLEAN.test(text) || !text.isWellFormed()) {
    return undefined
  }
  const windows = /^(?:[A-Za-z]:[\\/]|\\\\)/.test(text)
  const slashed = windows ? text.replaceAll('\\', '/') : text
  const root = /^(?:[A-Za-z]:\/|\/\/(?=[^/])|\/)/.exec(slashed)?.[0]
  if (root === undefined) return undefined
  const segments: string[] = []
  for (const segment of slashed.slice(root.length).split('/')) {
    const name = segment.trim()
    if (name === '..') segments.pop()
    else if (name !== '' && name !== '.') segments.push(segment)
  }
  // The name of a server keeps its backslashes: two slashes at the beginning are one elsewhere.
  const server = windows && root === '//'
  if (server && segments.length === 0) return undefined
  const begin = server ? '\\\\' : windows ? root.toUpperCase() : '/'
  return (begin + segments.join('/')).trimEnd()
}

/** Whether a path is the place itself or lies below it. Both as normalPath gives them. */
export function liesIn(path: string, place: string): boolean {
  return path === place || path.startsWith(place.endsWith('/') ? place : `${place}/`)
}

/** The longest of the places that the path is or lies in. */
export function longestPlace<Place extends { place: string }>(
  path: string,
  places: readonly Place[],
): Place | undefined {
  let longest: Place | undefined
  for (const each of places) {
    if (!liesIn(path, each.place)) continue
    if (!longest || each.place.length > longest.place.length) longest = each
  }
  return longest
}

/** Every place that the path could lie in, itself first. */
export function placesAbove(path: string): string[] {
  const places = [path]
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    places.push(path.slice(0, end))
  }
  return [...new Set([...places, ...(path.startsWith('/') ? ['/'] : [`${path.slice(0, 2)}/`])])]
}

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//
const SCP = /^(?:[^@/\s]+@)?(\[[^\]/]+\]|[^:/@\s]+):(?!\/\/)(.*)$/

/**
 * A git remote in the one form under which it is kept: `github.com/acme/orders`. Undefined when the
 * text names no repository.
 *
 * Scheme, user, password, port and `.git` go; the host is lower case. A remote that is a directory of
 * the agent's own machine is `file:` and its path.
 */
export function normalRemote(given: string): string | undefined {
  const text = given.trim()
  if (text === '' || text.length > LONGEST || UNCLEAN.test(text) || !text.isWellFormed()) {
    return undefined
  }
  const local = normalPath(text.replace(/^file:(?:\/\/(?:localhost(?=\/))?)?/i, ''))
  if (local !== undefined) {
    const [root] = /^(?:[A-Z]:\/|\\\\|\/)/.exec(local)!
    const path = withoutGit(local.slice(root.length).split('/'))
    return path && `file:${root}${path}`
  }
  const scheme = SCHEME.exec(text)?.[0]
  if (scheme === undefined) {
    const scp = SCP.exec(text)
    return scp ? remote(scp[1]!, scp[2]!.replace(/[?#].*$/, '')) : split(text)
  }
  return split(text.slice(scheme.length))
}

function split(text: string): string | undefined {
  const [, authority = '', path = ''] = /^([^/?#]*)([^?#]*)/.exec(text)!
  const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, '')
  return remote(host, path)
}

const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[\p{L}\p{N}](?:[\p{L}\p{N}._-]*[\p{L}\p{N}])?\.?)$/u

function remote(host: string, path: string): string | undefined {
  const below = withoutGit(path.split('/'))
  if (!HOST.test(host) || below === undefined) return undefined
  return `${host.toLowerCase().replace(/\.$/, '')}/${below}`
}

/** The path of a repository without `.git` at its end; undefined when nothing is left of it. */
function withoutGit(segments: readonly string[]): string | undefined {
  const names = segments.map((segment) => segment.trim()).filter(Boolean)
  while (names.length > 0 && /\.git$/i.test(names.at(-1)!)) {
    const name = names.pop()!.slice(0, -'.git'.length).trimEnd()
    if (name !== '') names.push(name)
  }
  if (names.some((name) => name === '.' || name === '..')) return undefined
  return names.length === 0 ? undefined : names.join('/')
}

/** What a repository is called: the last segment of its place. */
export const lastSegment = (place: string): string => place.split('/').findLast(Boolean) ?? ''
