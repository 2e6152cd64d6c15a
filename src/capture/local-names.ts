/**
 * Names that are not looked up: an organisation may resolve them to whatever it likes, addresses that look
 * public included.
 */

/** Never names of the public internet: RFC 6761, 6762, 7686 and 8375, `.internal`, and what networks use of their own. */
const LOCAL = new Set([
  'corp',
  'home',
  'internal',
  'intranet',
  'invalid',
  'lan',
  'local',
  'localdomain',
  'localhost',
  'onion',
  'private',
  'svc',
  'test',
])
const LOCAL_BELOW = ['.home.arpa']

/** Whether the name is one of a local network, and not among those that were opened. */
export function isLocalName(host: string, opened: readonly string[]): boolean {
  const name = bare(host)
  if (opened.some((entry) => isMeant(name, bare(entry)))) return false
  const labels = name.split('.')
  return (
    labels.length === 1 ||
    LOCAL.has(labels.at(-1)!) ||
    LOCAL_BELOW.some((end) => `.${name}`.endsWith(end))
  )
}

/** As the URL parser leaves it, in lower case, without a final dot. */
const bare = (host: string): string => host.toLowerCase().replace(/\.+$/, '')

/** `*.corp.internal` means every name below it. */
const isMeant = (name: string, entry: string): boolean =>
  entry.startsWith('*.') ? name.endsWith(entry.slice(1)) : name === entry
