/** Where a login or a form leads afterwards: never out of the console. */
export const HOME = '/console/'

/**
 * Where to go after the login: below /console/ of this site or home, whatever was asked for.
 * Backslashes and control characters are how browsers are talked into another host.
 */
export function safeNext(next: unknown): string {
  if (typeof next !== 'string' || next.length > 2_000) return HOME
  if (!next.startsWith('/console/') || next.startsWith('/console//')) return HOME
  if (/[\\\p{Cc}]/u.test(next) || !next.isWellFormed()) return HOME
  const { origin, pathname, search } = new URL(next, 'http://loam')
  const stays = origin === 'http://loam' && pathname.startsWith('/console/')
  if (!stays || pathname.startsWith('/console//') || pathname.startsWith('/console/log'))
    return HOME
  return pathname + search
}

/** Returns where a form wants to lead, its place on the page included, if that is on this console, or else the other address. */
export function nextOf(form: unknown, otherwise: string): string {
  const asked = (form as { next?: unknown } | null | undefined)?.next
  const next = safeNext(asked)
  if (next === HOME && asked !== HOME) return otherwise
  const [place = ''] = /#[\w-]+$/.exec(String(asked)) ?? []
  return next + place
}
