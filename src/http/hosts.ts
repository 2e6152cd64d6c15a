/** The names that a request may carry in Host and Origin. They keep out DNS rebinding by foreign pages. */
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { httpError } from './errors.ts'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']
const HOST = /^(\[[0-9a-f:.]+\]|[^\s:/?#@\\[\]]+)(?::\d{1,5})?$/i

export type HostPolicy = Pick<Config, 'base_url' | 'allowed_hosts'>

/** Compared without the port, and the same under a wildcard bind. */
export function allowedNames({ base_url, allowed_hosts }: HostPolicy): Set<string> {
  const own = base_url ? [new URL(base_url).hostname] : []
  return new Set([...LOOPBACK, ...own, ...allowed_hosts].map((name) => name.toLowerCase()))
}

export function isAllowedHost(names: Set<string>, host: string | undefined): boolean {
  const [, name] = HOST.exec(host ?? '') ?? []
  return name !== undefined && names.has(name.toLowerCase())
}

/** A request without an Origin does not come from a page. `null` is the origin of a page that hides its own. */
export function isAllowedOrigin(names: Set<string>, origin: string | undefined): boolean {
  if (origin === undefined) return true
  const [, authority] = /^https?:\/\/([^/?#]+)$/i.exec(origin) ?? []
  return isAllowedHost(names, authority)
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Takes a page of any origin: the login, which a file on the owner's disk may post to. */
    anyOrigin?: boolean
  }
}

/** Checks every request of the app before anything else. */
export function checkHosts(app: FastifyInstance, policy: HostPolicy): void {
  const names = allowedNames(policy)
  app.addHook('onRequest', async ({ headers, routeOptions }) => {
    if (!isAllowedHost(names, headers.host)) {
      throw httpError(403, 'this host name is not allowed; add it to allowed_hosts')
    }
    // A page without a referrer hides its origin from itself too; no script can set the other header.
    const ours = headers.origin === 'null' && headers['sec-fetch-site'] === 'same-origin'
    if (ours || routeOptions.config.anyOrigin === true) return
    if (!isAllowedOrigin(names, headers.origin)) {
      throw httpError(403, 'this origin is not allowed; add its host to allowed_hosts')
    }
  })
}
