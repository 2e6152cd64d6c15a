/** The addresses that capture allows, as far as their text decides it. */
import { isIP } from 'node:net'
import type { Config } from '../config.ts'
import { forbidden, invalid } from '../kernel/refusal.ts'
import { publicAddress } from './addresses.ts'
import { isLocalName } from './local-names.ts'

const MAX_LENGTH = 8_192

export const PRIVATE =
  'URL points to private/loopback address; only public pages can be captured: read it yourself and ' +
  'keep it with notes_create'

const LOCAL =
  'URL names a host of a local network; only public pages can be captured: read it yourself and keep ' +
  'it with notes_create. The owner opens a name with capture.allowed_hosts'

export const NOT_WEB = 'URL scheme not allowed; only http and https pages are captured'

/** Returns the caller's address, parsed. Throws a Refusal when it is not of a web page. */
export function parseUrl(asked: string): URL {
  if (asked === '') throw invalid('url must not be blank')
  if (asked.length > MAX_LENGTH) throw invalid(`invalid URL: longer than ${MAX_LENGTH} characters`)
  // The parser drops line breaks and tabs, and the stored source would differ.
  if (/[\0-\x1f\x7f]/.test(asked)) throw invalid('invalid URL: it holds a control character')
  const url = URL.parse(asked)
  if (!url) throw invalid('invalid URL: pass an absolute address such as https://example.org/page')
  if (!isWeb(url)) throw invalid(NOT_WEB)
  return url
}

export const isWeb = ({ protocol }: URL): boolean => protocol === 'http:' || protocol === 'https:'

export const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)

/** Returns the host as in names and certificates: without brackets and final dot. */
export const hostOf = ({ hostname }: URL): string => hostname.replaceAll(/^\[|\]$|\.$/g, '')

/** Refuses an unlisted port, a literal address that is not public, a local name, and a password. */
export function judgeUrl(url: URL, { allowed_ports, allowed_hosts }: Config['capture']): void {
  if (!allowed_ports.includes(portOf(url))) {
    const listed = allowed_ports.join(', ')
    throw forbidden(`URL port not allowed; capture.allowed_ports lists ${listed}`)
  }
  const host = hostOf(url)
  if (isIP(host) !== 0) {
    if (publicAddress(host) === null) throw forbidden(PRIVATE)
  } else if (isLocalName(host, allowed_hosts)) {
    throw forbidden(LOCAL)
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid('invalid URL: it holds a user name or a password; pass it without them')
  }
}
