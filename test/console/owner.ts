import { createHash } from 'node:crypto'
import type { House } from '../helpers/house.ts'
import { send, type Reply, type Sending } from '../helpers/wire.ts'

/** The owner at the console, without a browser: every request is one on the wire. */
export interface Owner {
  /** The cookie's name and value. */
  cookie: string
  /** As a browser opens a page. */
  get(path: string, headers?: Sending['headers']): Promise<Reply>
  json(path: string): Promise<Reply>
  /** As a browser sends a form of this console. */
  post(path: string, form?: Record<string, string>, headers?: Sending['headers']): Promise<Reply>
}

export const PAGE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
export const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
export const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' }

export const cookieNameOf = ({ app }: Pick<House, 'app'>): string =>
  `loam_console_${app.kernel.vault.storeId}`

/** The cookie of the house, for its own key or another one. */
export const cookieOf = (house: Pick<House, 'app' | 'key'>, key = house.key): string =>
  `${cookieNameOf(house)}=${createHash('sha256').update(key).digest('hex')}`

export function ownerOf(house: Pick<House, 'url' | 'key' | 'app'>): Owner {
  const { url } = house
  const cookie = cookieOf(house)
  return {
    cookie,
    get: (path, headers) => send(url, { path, headers: { ...PAGE, cookie, ...headers } }),
    json: (path) => send(url, { path, headers: { accept: 'application/json', cookie } }),
    post: (path, form, headers) =>
      send(url, {
        method: 'POST',
        path,
        headers: { ...PAGE, ...FORM, ...SAME_ORIGIN, cookie, ...headers },
        body: new URLSearchParams(form).toString(),
      }),
  }
}
