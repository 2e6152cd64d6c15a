/**
 * All that there is to look at, by one rule that a new screen cannot miss: every page that a screen declares,
 * in every store, with every parameter set, with all that opens on it open; and what belongs to no screen.
 */
import type { Page } from 'playwright-core'
import { screens } from '../../../src/console/screens.ts'
import { declaredPages, type DeclaredPage } from './declared.ts'
import { ITEMS } from './items.ts'
import { madeUp } from './made-up.ts'
import { openersOf } from './openers.ts'
import { ELSEWHERE } from './elsewhere.ts'
import type { Asker, OpenStore, Store, Stores } from './stores.ts'

export interface Sight {
  /** Of its pictures, and unlike any other: `notes-nothing`. */
  name: string
  store: Store
  path: string
  /** What the page is answered with; 200 when left out. */
  status?: number
  /** Only as wide as this. */
  width?: number
  /** Not where everything is larger: the window is too narrow to show it. */
  zoom?: false
  /** What lies over the page: it alone is judged, since the page below it was judged without. */
  over?: string
  signedOut?: true
  /** Through a relay that `prepare` may cut; the troubles of a service that is away are expected. */
  relayed?: true
  /** What is done before it is looked at; it needs scripts. */
  prepare?(page: Page, around: Around): Promise<unknown>
}

export interface Around extends OpenStore {
  /** Takes the service away. */
  cut(): Promise<void>
}

/** What a free parameter is set to. A name may be given for one page alone: `search.scope`. */
const FREE: Record<string, readonly string[] | ((ask: Asker) => Promise<string[]>)> = {
  q: ['deploy', 'no-such-words-anywhere'],
  project: ['atlas'],
  within: ['atlas'],
  lab: ['cold-chain/sensors'],
  outcome: ['fail', 'no-such-outcome'],
  scope: ['atlas', 'ledger'],
  'search.scope': ['notes'],
  'gardener.split': ['split it in two'],
  'interactions.history': ['3600'],
  'interactions.volume': ['86400'],
  'context.project': ['ledger', 'crypt', 'global'],
  'context.prompt': ['How do I deploy the web app without breaking the import of parcels?'],
  'projects.status': ['completed'],
  'projects.kind': ['stage'],
  'projects.retained': ['no'],
  'projects.item': async (ask) => {
    const { listed } = await ask.json('/console/projects/atlas?tab=memories')
    return listed.inactive.slice(0, 1).map(({ id }: { id: string }) => id)
  },
  day: ['2026-11-18'],
  session: async (ask) => [(await ask.json('/console/sessions?w=all')).sessions[0].id],
}

/** What goes with a parameter that is refused alone. */
const WITH: Record<string, string> = {
  'context.scope': 'project=atlas',
  'context.project': 'scope=project',
  'context.client': 'scope=project&project=atlas',
  'context.prompt': 'scope=project&project=atlas',
  'projects.status': 'tab=sessions',
  'projects.kind': 'tab=memories',
  'projects.retained': 'tab=sessions',
  'projects.item': 'tab=memories',
}

/** What shows nothing of its own: where a list, a trace or the feed goes on, and what a palette asks. */
const NO_STATE = new Set([
  'page',
  // Pages of tables within the settings.
  'scopes',
  'projects',
  'fast',
  'from',
  'afterTs',
  'before',
  'beforeTs',
  'since',
  'sinceTs',
])

/** What only a page that features add to can be asked for. */
const OF_FEATURES = ['day']

/** What makes another page of it, and no narrower one: it is looked at in every store that has the page. */
const PARTS = ['tab']

/** Of orders and windows one is enough: they look alike. */
const ONE_IS_ENOUGH = new Set(['sort', 'order', 'w'])

export async function sightsOf(stores: Stores, among: readonly Store[]): Promise<Sight[]> {
  const pages = await declaredPages([...screens, ...madeUp])
  const sights: Sight[] = []
  for (const store of among) {
    const { ask } = await stores.open(store)
    if (store !== 'keyless') {
      const shown = store === 'features' ? pages.filter(isAddedTo) : pages
      for (const page of shown) sights.push(...(await sightsIn(store, page, pages, ask)))
    }
    sights.push(...ELSEWHERE.filter((sight) => sight.store === store))
  }
  return sights
}

/** Trials are in every full store. */
const isAddedTo = ({ screen: { surfaces = [] } }: DeclaredPage): boolean =>
  surfaces.some(({ feature }) => feature !== 'research')

async function sightsIn(
  store: Store,
  page: DeclaredPage,
  pages: readonly DeclaredPage[],
  ask: Asker,
): Promise<Sight[]> {
  const { section, url, ofItem } = page
  const name = ofItem ? `${section}-one` : section
  const own = store === 'full' ? '' : `-${store}`
  if (section === 'off' || section === 'broken') {
    const status = section === 'broken' ? { status: 500 } : {}
    return store === 'full' ? [{ name: `page-${section}`, store, path: url, ...status }] : []
  }
  const plain = ofItem
    ? await ofItems(page, ask)
    : [{ name: '', path: url === '/console' ? '/console/' : url }]
  const first = plain[0]
  // What narrows a list beside its reader narrows it alone.
  const list = pages.find((one) => ofItem && one.section === section && !one.ofItem)
  const known = Object.keys(list?.parameters ?? {})
  const asked = first ? await parametersOf(askedIn(store, page), first.path, known, ask) : []
  const sights = [...plain, ...asked].map(({ name: state, path }) => ({
    name: `${name}${state}${own}`,
    store,
    path,
  }))
  const opens = first && (store === 'full' || store === 'long')
  const opened = opens ? await openersOf(first.path, ask, list?.url) : []
  return [
    ...sights,
    ...opened.map(({ name: state, ...how }) => ({
      name: `${name}-${state}${own}`,
      store,
      path: first!.path,
      ...how,
    })),
  ]
}

/** The page with those of its parameters that do something in the store. */
const askedIn = (store: Store, page: DeclaredPage): DeclaredPage => ({
  ...page,
  parameters: Object.fromEntries(
    Object.entries(page.parameters).filter(([name]) => {
      if (store === 'features') return OF_FEATURES.includes(name)
      return PARTS.includes(name) || (store === 'full' && !OF_FEATURES.includes(name))
    }),
  ),
})

interface State {
  name: string
  path: string
}

/** @throws when nobody has said which items of the page are looked at */
async function ofItems({ url }: DeclaredPage, ask: Asker): Promise<State[]> {
  const find = ITEMS[url]
  if (!find) throw new Error(`${url} is not among the items of test/console/look/items.ts`)
  const ids = await find(ask)
  const states = new Map<string, State>()
  for (const [name, id] of Object.entries(ids)) {
    if (id === undefined) continue
    const path = url.replace(/:\w+/, encodeURIComponent(id))
    if (!states.has(path)) states.set(path, { name: `-${name}`, path })
  }
  return [...states.values()]
}

/** @throws on a free parameter for which nobody has said a value */
async function parametersOf(
  { section, parameters }: DeclaredPage,
  path: string,
  known: readonly string[],
  ask: Asker,
): Promise<State[]> {
  const states: State[] = []
  for (const [name, values] of Object.entries(parameters)) {
    if (NO_STATE.has(name) || known.includes(name)) continue
    const given = FREE[`${section}.${name}`] ?? FREE[name]
    const set =
      values?.slice(ONE_IS_ENOUGH.has(name) ? -1 : 0) ??
      (typeof given === 'function' ? await given(ask) : given)
    if (!set) throw new Error(`${section}: no value is known for ${name}; see FREE in sights.ts`)
    const beside = WITH[`${section}.${name}`]
    const joint = `${path.includes('?') ? '&' : '?'}${beside ? `${beside}&` : ''}`
    for (const value of set) {
      const state = value.length > 25 ? name : `${name}-${value}`
      states.push({
        name: `-${state}`,
        path: `${path}${joint}${name}=${encodeURIComponent(value)}`,
      })
    }
  }
  return states
}
