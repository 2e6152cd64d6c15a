import { isAbsolute } from 'node:path'
import { slugify } from '../text/slug.ts'

/** A rule that a type cannot express: the words for the allowed values, and the test. */
interface Rule {
  allowed: string
  holds(value: never): boolean
}

function rule<Value>(allowed: string, holds: (value: Value) => boolean): Rule {
  return { allowed, holds }
}

const HOST = /^(?:\[[0-9a-f:.%]+\]|[^\s:/?#@[\]]+)$/i
const isSlug = (name: string): boolean => name !== '' && slugify(name) === name

/** Returns no address for one with a space around it: who reads it leaves that out, and who uses it does not. */
const parsed = (text: string): URL | null => (/^\s|\s$/.test(text) ? null : URL.parse(text))

function isWebAddress(text: string): boolean {
  if (text === '') return true
  const url = parsed(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === ''
}

const FORMS = {
  address: rule('host:port, such as 127.0.0.1:8420 or [::1]:8420', (text: string) => {
    const { host, port } = splitAddress(text)
    return HOST.test(host) && /^\d{1,5}$/.test(port) && Number(port) <= 65_535
  }),
  url: rule('an http:// or https:// address without a user, or nothing', isWebAddress),
  service: rule(
    'an http:// or https:// address without a user, "?" and "#", or nothing',
    (text: string) => isWebAddress(text) && !/[?#]/.test(text),
  ),
  postgres: rule(
    'a postgres:// or postgresql:// address with no space around it, in whose user and password # is written %23, / %2F, ? %3F and @ %40, or nothing',
    (text: string) => {
      const url = parsed(text)
      // What stands behind such a sign would be taken for another part, and a piece of the password for the host.
      const isWhole = url?.hash === '' && !url.pathname.includes('@')
      return text === '' || (isWhole && /^postgres(?:ql)?:$/.test(url.protocol))
    },
  ),
  hosts: rule('host names without scheme or port', (names: string[]) => {
    return names.every((name) => HOST.test(name))
  }),
  path: rule('a path that is not empty', (text: string) => text !== '' && !text.includes('\0')),
  ports: rule('ports from 1 to 65535', () => true),
  timezone: rule('a time zone such as Europe/Berlin, or nothing', (text: string) => {
    try {
      if (text !== '') Intl.DateTimeFormat('en', { timeZone: text })
      return true
    } catch {
      return false
    }
  }),
  editor: rule('a link with {path} in it, or nothing', (text: string) => {
    return text === '' || (/^[a-z][a-z0-9+.-]*:/i.test(text) && text.includes('{path}'))
  }),
  projects: rule(
    'an absolute path or a git remote like github.com/acme/orders on the left, a project slug on the right',
    (map: Record<string, string>) =>
      Object.entries(map).every(
        ([place, slug]) => (isAbsolute(place) || /^[^/\s:@]+\/\S+$/.test(place)) && isSlug(slug),
      ),
  ),
  families: rule(
    'a family name on the left, a list of project slugs on the right',
    (map: Record<string, string[]>) =>
      Object.entries(map).every(([name, slugs]) => isSlug(name) && slugs.every(isSlug)),
  ),
} satisfies Record<string, Rule>

export type Form = keyof typeof FORMS

/** Returns the words of the form, and whether a value of the right type has the form. */
export const allowedBy = (form: Form): string => FORMS[form].allowed
export const hasForm = (form: Form, value: unknown): boolean => FORMS[form].holds(value as never)

/** Whether a header can carry the key. */
export const isSendable = (key: string): boolean => /^[\x21-\x7e]+$/.test(key)

/** `[::1]:8420` → `[::1]` and `8420`. Either is empty when it is missing. */
export function splitAddress(address: string): { host: string; port: string } {
  const colon = address.lastIndexOf(':')
  if (colon < 0) return { host: address, port: '' }
  return { host: address.slice(0, colon), port: address.slice(colon + 1) }
}

/** Returns whether only this machine can reach the host name or address. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase()
  return bare === 'localhost' || bare === '::1' || /^127(?:\.\d{1,3}){3}$/.test(bare)
}
