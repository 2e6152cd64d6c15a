/** What surrounds every page: navigation with its counts, flashes, and where the page's JSON is. */
import { hostname } from 'node:os'
import type { FastifyRequest } from 'fastify'
import type { Kernel } from '../kernel/kernel.ts'
import type { Assets } from './assets.ts'
import { cut } from './page.ts'

export interface Entry {
  section: string
  label: string
  href: string
  icon: string
  /** The key after `g` that leads here. */
  key: string
  count: number | null
  current: boolean
}

export interface Frame {
  title: string
  section: string
  groups: { label: string; entries: Entry[] }[]
  notice: string | null
  error: string | null
  /** This page as JSON. */
  json: string
  host: string
  assets: Assets['urls']
}

const MAX_FLASH = 300

export async function frameOf(
  kernel: Kernel,
  assets: Assets,
  request: FastifyRequest,
  title: string,
  section: string,
): Promise<Frame> {
  const { notice, error } = request.query as Record<string, unknown>
  const [sessions, notes] = await Promise.all([count(kernel, 'sessions'), count(kernel, 'notes')])
  const entry = (name: string, label: string, icon: string, key: string, count: number | null) => ({
    section: name,
    label,
    href: `/console/${name}`,
    icon,
    key,
    count,
    current: name === section,
  })
  return {
    title,
    section,
    groups: [
      { label: 'Observe', entries: [entry('search', 'Search', 'search', 's', null)] },
      {
        label: 'Browse',
        entries: [
          entry('sessions', 'Sessions', 'clock', 'e', sessions),
          entry('notes', 'Notes', 'note', 'n', notes),
        ],
      },
    ],
    notice: flash(notice),
    error: flash(error),
    json: jsonLink(request.url),
    host: hostname(),
    assets: assets.urls,
  }
}

/** A flash comes out of the address, where anybody could put it: short, and text only. */
export const flash = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? cut(value, MAX_FLASH) : null

function jsonLink(address: string): string {
  const url = new URL(address, 'http://loam')
  for (const name of ['notice', 'error', 'peek', 'reader']) url.searchParams.delete(name)
  url.searchParams.set('format', 'json')
  return url.pathname + url.search
}

/** A count that cannot be had is zero: it never costs the page. */
async function count({ db, log }: Kernel, table: 'notes' | 'sessions'): Promise<number> {
  try {
    const { n } = await db
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow()
    return n
  } catch (error) {
    log.warn({ err: error }, 'a count of the navigation could not be had')
    return 0
  }
}
