/** One page of a trace: its rows with the days and the silences between them. */
import Type, { type Static } from 'typebox'
import type { FeedEvent } from '../../kernel/feed.ts'
import { invalid } from '../../kernel/refusal.ts'
import { quote } from '../../kernel/schema/words.ts'
import { spanOf } from '../durations.ts'
import { findItems, type EventItem } from '../events/items.ts'
import { narrowingOf } from '../narrowing.ts'
import { Choice, linkQuery, Narrowing, Text } from '../parameters.ts'
import type { ScreenApp } from '../screen.ts'
import { findActs } from './acts.ts'
import { PART_KEYS, PARTS } from './part.ts'
import { saidOnce } from './said-once.ts'
import { stepsOf, type Step } from './steps.ts'
import { eventsOf, type Place } from './trace.ts'

/** `from` is as `placeOf` spells it; '' is the beginning. */
export const Trace = Type.Object({
  order: Choice(['newest', 'oldest']),
  show: Narrowing(PART_KEYS),
  from: Text(60),
})
export type Asked = Static<typeof Trace>

/** As many events as a page of the trace shows. */
const PAGE_EVENTS = 200
/** A call and what it did may lie on both sides of the end of a page. */
const BEYOND_EVENTS = 30

const GAP_MS = 10 * 60_000

export interface TraceRow {
  kind: 'step' | 'gap' | 'day'
  id: string
  at: Date
  step?: Step & { href: string | null; peek: string | null; about: EventItem | null }
  /** Of a gap: when it began and ended. */
  from?: Date
  to?: Date
  text?: string
}

export interface TracePage {
  rows: TraceRow[]
  order: Asked['order']
  /** The address of the page of what follows; null at the end. */
  next: string | null
  /** The address of its first page, when this is another one. */
  back: string | null
  orders: { label: string; href: string; current: boolean }[]
  /** The menu of what is shown alone, and the word of what is. */
  menu: ReturnType<typeof narrowingOf>['menus'][number]
  part: string | null
}

/** @throws when an address holds another place than ours */
export function parsePlace(from: string): Place | undefined {
  if (from === '') return undefined
  const [, time = '', id = ''] = /^(\d{1,15})-([0-9A-HJKMNP-TV-Z]{26})$/.exec(from) ?? []
  const ts = new Date(Number(time))
  if (id !== '' && !Number.isNaN(ts.getTime())) return { ts, id }
  throw invalid(`invalid from ${quote(from)}: it is a place that a page of the trace has given`)
}

const placeOf = ({ ts, id }: FeedEvent): string => `${ts.getTime()}-${id}`

/** @param now when the session is at work: then its silence until now is a gap as well */
export async function tracePage(
  app: ScreenApp,
  session: string,
  asked: Asked,
  now: Date | null,
): Promise<TracePage> {
  const { db, config } = app.kernel
  const { order, show: part } = asked
  const from = parsePlace(asked.from)
  const [towards, back] =
    order === 'newest' ? (['older', 'newer'] as const) : (['newer', 'older'] as const)
  const [ahead, behind] = await Promise.all([
    eventsOf(db, app.owner, session, { from, towards, part, limit: PAGE_EVENTS + BEYOND_EVENTS }),
    from
      ? eventsOf(db, app.owner, session, { from, towards: back, part, limit: BEYOND_EVENTS })
      : [],
  ])
  const before = behind.filter(({ id }) => id !== from!.id).toReversed()
  const own = new Set(ahead.slice(0, PAGE_EVENTS).map(({ id }) => id))
  const all = [...before, ...ahead]
  const acts = part === 'calls' ? await findActs(db, app.owner, all) : []
  const wanted = new Set(all.map(({ id }) => id))
  const steps = stepsOf([...all, ...acts]).filter(({ id }) => wanted.has(id))
  const shown = steps.filter(({ id }) => own.has(id))
  const last = shown.at(-1)
  const following = last && steps[steps.indexOf(last) + 1]
  const first = ahead[PAGE_EVENTS]
  const items = await itemsOf(app, shown)
  const zone = config.console.timezone || undefined
  const rows = rowsOf(shown, following, zone, !part, (step) => ({
    ...saidOnce(step, items.get(step.item)),
    href: app.links.to('event', step.id),
    peek: app.links.peek('event', step.id),
  }))
  const isUntilNow = order === 'newest' && !from && !part
  const silence = now && isUntilNow && shown[0] ? gapOf(shown[0], now, 'now') : []
  return {
    rows: [...silence, ...rows],
    order,
    part: part ? PARTS[part] : null,
    ...linksOf(`/console/sessions/${session}`, asked, first && placeOf(first)),
  }
}

/** What leads to other parts of this trace. */
function linksOf(base: string, asked: Asked, next: string | undefined) {
  const link = (change: Partial<Asked>) =>
    `${base}${linkQuery(Trace, { ...asked, from: '', ...change })}#trace`
  const options = PART_KEYS.map((value) => ({ value, label: PARTS[value] }))
  const { menus } = narrowingOf({
    base,
    schema: Trace,
    values: { ...asked, from: '' },
    menus: [
      {
        ...{ name: 'show', label: 'Show', always: true },
        options: [{ value: '', label: 'Everything' }, ...options],
      },
    ],
    anchor: '#trace',
  })
  const orders = [
    ['newest', 'Newest first'],
    ['oldest', 'From its beginning'],
  ] as const
  return {
    next: next === undefined ? null : link({ from: next }),
    back: asked.from === '' ? null : link({}),
    orders: orders.map(([order, label]) => {
      return { label, href: link({ order }), current: asked.order === order }
    }),
    menu: menus[0]!,
  }
}

async function itemsOf(app: ScreenApp, steps: readonly Step[]): Promise<Map<string, EventItem>> {
  const ids = [...new Set(steps.map(({ item }) => item).filter((id) => id !== ''))]
  return new Map((await findItems(app, ids)).map((item) => [item.id, item]))
}

function rowsOf(
  steps: readonly Step[],
  following: Step | undefined,
  timeZone: string | undefined,
  isWhole: boolean,
  shown: (step: Step) => NonNullable<TraceRow['step']>,
): TraceRow[] {
  const days = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' })
  let day = ''
  return steps.flatMap((step, at) => {
    const own = days.format(step.at)
    const begins: TraceRow[] =
      own === day ? [] : [{ kind: 'day', id: `day-${own}-${step.id}`, at: step.at }]
    day = own
    const next = steps[at + 1] ?? following
    return [
      ...begins,
      { kind: 'step', id: step.id, at: step.at, step: shown(step) },
      ...(next && isWhole ? between(step, next) : []),
    ]
  })
}

const between = (one: Step, other: Step): TraceRow[] =>
  one.at <= other.at ? gapOf(one, other.at, other.id) : gapOf(other, one.at, one.id)

/** A silence of ten minutes and more. */
function gapOf({ at: from }: Step, to: Date, id: string): TraceRow[] {
  const silentMs = to.getTime() - from.getTime()
  if (silentMs < GAP_MS) return []
  const minutes = Math.floor(silentMs / 60_000)
  const text = `nothing for ${minutes < 60 ? `${minutes} min` : spanOf(silentMs / 1_000)}`
  return [{ kind: 'gap', id: `gap-${id}`, at: from, from, to, text }]
}
