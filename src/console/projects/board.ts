/** The board of projects: one table, by family or flat, with what narrows it. */
import Type, { type Static } from 'typebox'
import { wireProject } from '../../projects/projects.ts'
import { ofActive, percentOf } from '../figures.ts'
import { narrowingOf } from '../narrowing.ts'
import { Choice, linkQuery, PageNumber, Text } from '../parameters.ts'
import type { ScreenApp } from '../screen.ts'
import { WINDOW_KEYS, WindowParameter, WINDOWS, type Window } from '../windows.ts'
import { bandsOf, flatBand, sumsOf } from './bands.ts'
import { boardFigure } from './figures.ts'
import { projectRows, withStages, type Row } from './rows.ts'
import { One } from './tabs.ts'

const GROUPS = ['family', 'flat'] as const
const SORTS = ['recent', 'coverage', 'name'] as const

export const List = Type.Object({
  q: Text(200),
  group: Choice(GROUPS),
  sort: Choice(SORTS, { recency: 'recent', title: 'name', reach: 'coverage' }),
  w: WindowParameter,
  page: PageNumber,
})
export type List = Static<typeof List>

const BASE = '/console/projects'
/** As many rows of a page. */
const PAGE_ROWS = 100

export async function boardOf(app: ScreenApp, query: List) {
  const all = (await projectRows(app, query.w)).toSorted(ORDERS[query.sort])
  const words = query.q.toLowerCase()
  const matching = all.filter(({ slug, name, description }) =>
    [wireProject(slug), name, description].some((text) => text.toLowerCase().includes(words)),
  )
  const families = bandsOf(matching, all)
  const bands = query.group === 'flat' ? [flatBand(matching)] : families
  const skip = (query.page - 1) * PAGE_ROWS
  const listed = bands.flatMap(({ rows }) => rows)
  const shown = await withStages(app, listed.slice(skip, skip + PAGE_ROWS))
  return {
    bands: bands
      .map((band) => ({ ...band, rows: band.rows.flatMap((row) => shown.get(row) ?? []) }))
      .filter(({ rows }) => rows.length > 0),
    sums: sumsOf(matching),
    live_scopes: matching.filter(({ working }) => working > 0).length,
    projects: matching.filter(({ global }) => !global).length,
    families: families.filter(({ icon }) => icon === 'family').length,
    attention: matching.filter((row) => row.attention).length,
    unregistered: matching.filter((row) => row.unregistered).length,
    retired: matching.filter((row) => row.retired).length,
    // Of all projects, as their links are: a filter narrows the rows alone.
    figures: query.q === '' && all.length > 1 ? figuresOf(all, query.w) : [],
    more: Math.max(0, matching.length - skip - PAGE_ROWS),
    page: query.page,
    query: linkQuery(List, query),
    /** What the links to projects carry. */
    carried: linkQuery(One, { w: query.w } as One),
    q: query.q,
    within: WINDOWS[query.w].within,
    narrowing: headOf(query),
    is_first: all.length === 1,
  }
}

const bySlug = (a: Row, b: Row): number => (a.slug < b.slug ? -1 : 1)
const ORDERS: Record<(typeof SORTS)[number], (a: Row, b: Row) => number> = {
  recent: (a, b) =>
    (b.last_active?.getTime() ?? 0) - (a.last_active?.getTime() ?? 0) || bySlug(a, b),
  coverage: (a, b) =>
    Number(b.has_reach) - Number(a.has_reach) || b.reach_rate - a.reach_rate || bySlug(a, b),
  name: bySlug,
}

function figuresOf(rows: readonly Row[], w: Window) {
  const { surfaced, active, working, notes, open_tasks, blocked } = sumsOf(rows)
  const live = rows.filter((row) => row.working > 0).length
  const projects = rows.filter(({ global }) => !global)
  const retired = projects.filter((row) => row.retired).length
  const count = (n: number) => n.toLocaleString('en')
  return [
    boardFigure(
      'reach',
      {
        value: percentOf(surfaced, active),
        of: ofActive(surfaced, active),
      },
      { w },
    ),
    boardFigure('projects', {
      value: projects.length,
      ...(retired > 0 && { of: `${count(retired)} retired` }),
    }),
    boardFigure('working', { value: working, of: `in ${live} ${live === 1 ? 'scope' : 'scopes'}` }),
    boardFigure('knowledge', {
      value: active,
      of: `${count(notes)} ${notes === 1 ? 'note' : 'notes'}`,
    }),
    boardFigure('blocked', { value: blocked, of: `of ${count(open_tasks)} not closed` }),
  ]
}

function headOf(query: List) {
  return narrowingOf({
    base: BASE,
    schema: List,
    values: query,
    filter: { label: 'Filter projects', placeholder: 'Slug, name or description' },
    menus: [
      {
        ...{ name: 'group', label: 'Group', always: true },
        options: GROUPS.map((value) => ({ value, label: value })),
      },
      {
        ...{ name: 'sort', label: 'Sort', always: true },
        options: SORTS.map((value) => ({
          value,
          label: { recent: 'last active', coverage: 'reach', name: 'name' }[value],
        })),
      },
      {
        ...{ name: 'w', label: 'Window', always: true },
        options: WINDOW_KEYS.map((value) => ({ value, label: WINDOWS[value].label })),
      },
    ],
  })
}
