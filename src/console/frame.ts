/** What surrounds every page: navigation with its badges, flashes, and where the page's JSON is. */
import { hostname } from 'node:os'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { findFeatures, type Features } from '../features/features.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { OwnerScope } from '../projects/projects.ts'
import { cut } from '../text/text.ts'
import { addressOf } from './address.ts'
import type { Assets, Extras } from './assets.ts'
import { toldConcerns, type Concerns, type Live } from './live/concerns.ts'
import { untoldWhile } from './live/events.ts'
import { NAV_GROUPS, type Badge, type Nav, type Screen } from './screen.ts'
import { SHAPE_PARAMETERS } from './shape.ts'
import { dropForm, typedOf } from './typed.ts'
import { isWindow, WINDOW_KEYS, type Window } from './windows.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts for the navigation of a page what there is, beside what the page itself asks for. */
    beginFrame(request: FastifyRequest): void
    /** Asked for only when a whole page is answered: it counts what there is. */
    frameOf(request: FastifyRequest, title: string, live?: Live): Promise<Frame>
  }
  interface FastifyRequest {
    begunFrame?: Promise<BegunFrame>
  }
}

interface BegunFrame {
  features: Features
  window: Window | null
  groups: Frame['groups']
}

export interface Entry extends Pick<Nav, 'label' | 'key'>, Pick<Badge, 'tone' | 'asks'> {
  section: string
  href: string
  badge: number
  hint: string | null
  current: boolean
  windowed: boolean
}

export interface Frame {
  title: string
  groups: { label: string; entries: Entry[] }[]
  /** The window of this page; null where it has none. */
  window: Window | null
  notice: string | null
  error: string | null
  /** What was typed into a form that was refused, by the names of its fields. */
  typed: Record<string, string>
  /** This page as JSON. */
  json: string
  /** Which events concern it, for the scripts. */
  live: string
  host: string
  assets: Assets['urls']
  /** The address of the sheet that this section alone needs. */
  sheet: string | null
  /** What the features that are on and show something here bring along. */
  extras: readonly Extras[]
}

const FLASH_CHARACTERS = 300

/** A page that says what is wrong is not asked for again, nor is its navigation: its address answers nothing else. */
const NOTHING: Live = {}
/** What changes any page, and the navigation. */
const EVERYWHERE: Concerns = ['settings.features_changed']

/** Lets routes ask for the frame of a page. */
export function decorateFrame(app: FastifyInstance, assets: Assets): void {
  const badges = app.screens.flatMap(({ nav }) => nav?.badge?.concerns ?? [])
  const begin = async (request: FastifyRequest): Promise<BegunFrame> => {
    const { w } = request.query as Record<string, unknown>
    const { screen, ofItem } = request.routeOptions.config
    const window = screen?.windowed && !ofItem ? (isWindow(w) ? w : WINDOW_KEYS[0]) : null
    // On one connection all of it goes as one message; a message takes longer than one of these counts.
    const found = await app.kernel.db.connection().execute(async (db) => {
      const kernel = { ...app.kernel, db }
      const [features, counts] = await Promise.all([findFeatures(kernel), countAll(app, kernel)])
      return { features, counts }
    })
    return { ...found, window, groups: navigation(app, screen, window, found) }
  }
  app.decorateRequest('begunFrame')
  app.decorate('beginFrame', (request) => {
    request.begunFrame = begin(request)
    // Who needs it hears of it.
    request.begunFrame.catch(() => {})
  })
  app.decorate('frameOf', async (request, title, live = NOTHING) => {
    const { notice, error } = request.query as Record<string, unknown>
    const { screen } = request.routeOptions.config
    const { features, window, groups } = await (request.begunFrame ?? begin(request))
    return {
      title,
      groups,
      window,
      notice: flash(notice),
      error: flash(error),
      typed: typedOf(request.query),
      json: jsonLink(request.url),
      live:
        live === NOTHING
          ? toldConcerns(live, [], [])
          : toldConcerns(everywhere(live), badges, untoldWhile(features)),
      host: hostname(),
      assets: assets.urls,
      sheet: assets.sheetOf(screen?.section) ?? null,
      extras: extrasOf(assets, screen, features),
    }
  })
}

/** What features bring along to the pages of the screen while they are on. */
function extrasOf(
  assets: Assets,
  { surfaces = [] }: Partial<Screen> = {},
  features: Features,
): Extras[] {
  const shown = new Set(surfaces.map(({ feature }) => feature).filter((one) => features[one]))
  return [...shown].flatMap((feature) => assets.extrasOf(feature) ?? [])
}

const everywhere = (live: Live): Live => ({
  ...live,
  page: [...(live.page ?? []), ...EVERYWHERE],
})

/** What the badges of the navigation say. */
async function countAll(
  { screens, owner }: FastifyInstance,
  kernel: Kernel,
): Promise<ReadonlyMap<Screen, number>> {
  const counts = screens.flatMap((screen) => {
    const { nav: { badge } = {}, feature } = screen
    return badge && !feature
      ? [counted(kernel, owner, badge).then((count) => [screen, count] as const)]
      : []
  })
  return new Map(await Promise.all(counts))
}

function navigation(
  { screens }: FastifyInstance,
  current: Screen | undefined,
  window: Window | null,
  { features, counts }: { features: Features; counts: ReadonlyMap<Screen, number> },
): Frame['groups'] {
  const carried = window === null || window === WINDOW_KEYS[0] ? '' : `?w=${window}`
  const shown = screens.filter(({ nav, feature }) => nav && (!feature || features[feature]))
  const entries = shown.map((screen) => {
    const { badge, hint = null, ...nav } = screen.nav!
    return {
      ...nav,
      section: screen.section,
      href: addressOf(screen) + (screen.windowed ? carried : ''),
      windowed: screen.windowed === true,
      tone: badge?.tone ?? 'attention',
      asks: badge?.asks ?? '',
      badge: counts.get(screen) ?? 0,
      hint,
      current: screen === current || screen.section === current?.under,
    }
  })
  return NAV_GROUPS.map((label) => ({
    label,
    entries: entries.filter(({ group }) => group === label),
  })).filter((group) => group.entries.length > 0)
}

/** A badge that cannot be had is zero: it never costs the page. */
async function counted(kernel: Kernel, owner: OwnerScope, badge: Badge): Promise<number> {
  try {
    return await badge.count(kernel, owner)
  } catch (error) {
    kernel.log.warn({ err: error }, 'a badge of the navigation could not be had')
    return 0
  }
}

/** A flash comes out of the address, where anybody could put it: short, and text only. */
export const flash = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? cut(value, FLASH_CHARACTERS) : null

function jsonLink(address: string): string {
  const url = new URL(address, 'http://loam')
  for (const name of SHAPE_PARAMETERS) url.searchParams.delete(name)
  dropForm(url.searchParams)
  url.searchParams.set('format', 'json')
  return url.pathname + url.search
}
