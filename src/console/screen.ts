/**
 * The socket of every console page. A screen is declared once; navigation with its keys and counts, the
 * palette, links to its items, its fragments, the words for an unknown id and the feature gate follow.
 *
 * Data and template variables are snake_case; JSON is the same words in camelCase.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type, { type Static, type TObject } from 'typebox'
import type { Feature } from '../features/features.ts'
import type { Db, Kernel } from '../kernel/kernel.ts'
import type { Refusal, RefusalKind } from '../kernel/refusal.ts'
import type { OwnerScope } from '../projects/projects.ts'
import type { PageClock } from './clock.ts'
import type { Concerns, Live } from './live/concerns.ts'
import type { Shape } from './shape.ts'

declare module 'fastify' {
  interface FastifyInstance {
    kernel: Kernel
    /** What queries of the console ask with: the owner sees past every fence. */
    owner: OwnerScope
    links: Links
    clock: PageClock
    /** Every screen that is served, in the order of the navigation. */
    screens: readonly Screen[]
    /** Of the screen whose routes these are: the refusal that calls an unknown id by its name. */
    unknown(id: string): Refusal
  }
  interface FastifyReply {
    /** Answers a GET with a view of the screen's own folder: page, fragment or JSON, as was asked. */
    page(view: string, page: Page): Promise<FastifyReply>
  }
}

export interface Screen {
  /** The folder of its views, and its name for the navigation. */
  section: string
  /** Its address below /console/; the section when left out. */
  path?: string
  /** Its place in the navigation and the palette. A screen without one is only linked to. */
  nav?: Nav
  /** The section whose place in the navigation is marked while a page of this screen is shown. */
  under?: string
  /** The kind of item that it shows. Links to one are made where a route of this screen takes an id. */
  item?: ShownItem
  /** Its group in the search. */
  search?: SearchGroup
  /** Whether its page is asked for a window of time by `w`: links to it carry the window that was chosen last. */
  windowed?: true
  /** The optional feature that owns it: while that is off its pages say so, and nothing leads here. */
  feature?: Feature
  /** What optional features add to its pages. */
  surfaces?: readonly Surface[]
  /** `/console/` leads here. */
  front?: true
  /** The folder that holds `<section>/<view>.liquid`; `views/` of the repository when left out. */
  views?: string
  routes?: ScreenRoutes
  writes?: readonly Write[]
}

/** What an optional feature adds to the pages of a screen. Settings tell it by its label. */
export interface Surface {
  feature: Feature
  /** "Trials among what a session left". */
  label: string
  /**
   * The values of pages that belong to it. While the feature is off one of `Page.data` or `Page.only` is neither
   * computed nor there, nor is a part of `live` of that name; one inside of another, `agents[].today`, is left out by
   * who makes that.
   */
  owns: readonly string[]
}

/** Addresses are given below the screen's own: '' and '/:id'. */
export type ScreenRoutes = FastifyPluginAsyncTypebox
export type ScreenApp = Parameters<ScreenRoutes>[0]

/** The groups of the navigation, in their order. Entries are in the order of the list of screens. */
export const NAV_GROUPS = ['Watch', 'Work', 'Knowledge', 'Tend'] as const

export interface Nav {
  group: (typeof NAV_GROUPS)[number]
  label: string
  /** The key after `g` that leads here. */
  key: string
  /**
   * A number that asks for something; totals are not shown. A screen of an optional feature has none: it is counted before
   * it is known what is on.
   */
  badge?: Badge
  /** A key that does something of this screen's from everywhere. */
  hint?: string
}

export interface Badge {
  /** Its glyph and colour. */
  tone: 'live' | 'attention'
  /** What there is so many of, read aloud behind the number: `agents at work`. */
  asks: string
  /** At zero nothing is shown. One that cannot be had is zero. */
  count(kernel: Kernel, owner: OwnerScope): Promise<number>
  /** Events that may change it. */
  concerns: Concerns
}

export interface ShownItem {
  /** As the search, events and lists name it: `note`. An unknown id is refused as "no <kind> <id>". */
  kind: string
  /** The parts of an item's page that are served alone. A screen without a reader answers with its peek. */
  fragments: readonly Fragment[]
  /** Looks up what items of this kind are called. Ids of other kinds are among those asked for. */
  find?(db: Db, owner: OwnerScope, ids: readonly string[]): Promise<NamedItem[]>
}

export type Fragment = Exclude<Shape, 'json' | 'page' | 'parts'>

export interface NamedItem {
  id: string
  name: string
  description: string
  /** '' is the global scope. */
  project: string
}

export interface SearchGroup {
  /** Its value of the search's `scope`, and its heading. */
  scope: string
  label: string
  /** Groups are in this order; those without a rank come last. */
  rank?: number
  /** Left out: items of this kind are passages, found by words and meaning. */
  find?(kernel: Kernel, owner: OwnerScope, question: SearchQuestion): Promise<SearchHit[]>
  /** What is known of some items beside what the search finds. */
  details?(
    db: Db,
    owner: OwnerScope,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, HitDetails>>
}

export interface SearchQuestion {
  query: string
  limit: number
}

/** A hit as a screen's own search finds it; where it leads is made of its id when left out. */
export interface SearchHit {
  id: string
  title: string
  identifier: string
  /** Null stands for the global scope. */
  project: string | null
  description: string
  href?: string
  peek?: string
  favorite?: true
  /** When it was changed last. */
  updated?: Date
  /** When it is called what was asked. */
  matchKind?: 'exact_id' | 'exact_identifier' | 'id_prefix' | 'identifier'
}

export interface HitDetails {
  /** What it is called, when that is more than its name. */
  title?: string
  favorite?: true
  /** The session that holds a task, as it is called. */
  holder?: string
}

export interface Page {
  title: string
  /** What JSON holds. Templates see it too. A value that is a function is called when it is wanted. */
  data: PageData
  /** What templates alone see, in the same way. */
  only?: object
  /** Reads what surrounds an item, such as its rail. Called only for a whole page. */
  around?(): Promise<object>
  /** Which events concern the page and its parts; every act concerns the whole page when left out. */
  live?: Live
}
export type PageData = Record<string, unknown>

export interface Links {
  /** Returns the address of the item's page; null while no screen shows that kind. */
  to(kind: string, id: string): string | null
  /** Returns the address of the fragment that shows the item beside a list; null when there is none. */
  peek(kind: string, id: string): string | null
}

/** Gives a screen its types. */
export const defineScreen = (screen: Screen): Screen => screen

/** One thing that the owner may do. */
export interface Write<
  Path extends string = string,
  Form extends TObject = TObject,
  Done = unknown,
> {
  /** Below the screen's own address, such as '/:id/release'. */
  path: Path
  /** The fields of its form; `next` is taken by every form. What the owner types is `typed` (./parameters.ts). */
  form: Form
  /** Calls a room's door. JSON holds what it returns. */
  run(kernel: Kernel, input: ParametersOf<Path> & Static<Form>): Promise<Done>
  /** Where a form without a `next` of its own leads. */
  next: string | ((input: ParametersOf<Path>, links: Links) => string)
  /** Where what came of it leads, whatever the form wants; undefined: as without it. */
  leads?(done: Done): string | undefined
  /** Where a form that was refused leads back; where it would have led when left out. */
  again?(input: ParametersOf<Path>): string
  /** The flash that says that it is done. */
  notice: string | ((done: Done) => string)
  /** Refusals of these kinds become a flash; any other becomes an error page. */
  flashes: readonly RefusalKind[]
}

type ParametersOf<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Record<Name, string> & ParametersOf<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Record<Name, string>
    : unknown

const NO_FIELDS = Type.Object({})

/** Declares a write: a POST that ends in a redirect with a flash, or in JSON for a program. */
export function act<Path extends string, Done, Form extends TObject = typeof NO_FIELDS>({
  form = NO_FIELDS as unknown as Form,
  flashes = ['conflict'],
  ...write
}: Omit<Write<Path, Form, Done>, 'form' | 'flashes'> &
  Partial<Pick<Write<Path, Form, Done>, 'form' | 'flashes'>>): Write {
  return { ...write, form, flashes } as unknown as Write
}
