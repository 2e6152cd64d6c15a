/** The list of tasks: one table, bucket by bucket, with what narrows it. */
import Type, { type Static } from 'typebox'
import { parseProject, wireProject } from '../../projects/projects.ts'
import { leftOf, spanOf } from '../durations.ts'
import { listAt, ownPlace, queryAt, type ListPlace } from '../list-place.ts'
import { narrowingOf } from '../narrowing.ts'
import { Narrowing, PageNumber, Text } from '../parameters.ts'
import type { ScreenApp } from '../screen.ts'
import {
  blockersOf,
  BUCKETS,
  CLOSED_ROWS,
  PAGE_ROWS,
  pageOf,
  projectsOf,
  readTasks,
  STATUSES,
  type Beside,
  type Bucket,
  type Filter,
  type TaskRow,
} from './queries.ts'

export const List = Type.Object({
  q: Text(200),
  project: Text(200),
  status: Narrowing(STATUSES),
  page: PageNumber,
})
export type List = Static<typeof List>

const OWN = ownPlace('/console/tasks', List)
/** A lease with so many seconds left is about to end. */
const URGENT_SECONDS = 300

const LABELS: Record<Bucket, string> = {
  ready: 'Ready',
  in_progress: 'In progress',
  blocked: 'Blocked',
  closed: 'Closed',
}

/** What the head says of those that it counts. */
const WORDS: Record<NonNullable<Filter['bucket']>, string> = {
  open: 'not closed',
  ready: 'ready',
  in_progress: 'in progress',
  blocked: 'blocked',
  closed: 'closed',
}

/** @param plan '' is of no plan; undefined: of any and of none */
export async function listOf(
  { kernel: { db }, owner }: ScreenApp,
  query: List,
  at: ListPlace = OWN,
  plan?: string,
) {
  const project = query.project === '' ? null : (parseProject(query.project) ?? '')
  const { q, page, status: bucket } = query
  const [{ ids, counts }, projects] = await Promise.all([
    pageOf(db, owner, { q, project, bucket, page, ...(plan !== undefined && { plan }) }),
    at.held ? [] : projectsOf(db, owner),
  ])
  const waiting = ids.filter(({ bucket }) => bucket === 'blocked').map(({ id }) => id)
  const [tasks, blockers] = await Promise.all([
    readTasks(
      db,
      owner,
      ids.map(({ id }) => id),
    ),
    blockersOf(db, owner, waiting, { unfinished: true }),
  ])
  const rows = ids.flatMap(({ id, bucket }) => {
    const task = tasks.get(id)
    return task ? [{ ...listed(task, blockers.get(id)), bucket }] : []
  })
  const of = (bucket: Bucket) => rows.filter((row) => row.bucket === bucket)
  const open = counts.ready + counts.in_progress + counts.blocked
  const shown = bucket === undefined || bucket === 'open' ? open : counts[bucket]
  return {
    buckets: {
      ready: of('ready'),
      in_progress: of('in_progress'),
      blocked: of('blocked'),
      closed: of('closed'),
    },
    counts,
    closed_more: bucket === 'closed' ? 0 : Math.max(0, counts.closed - CLOSED_ROWS),
    groups: BUCKETS.map((bucket) => ({
      bucket,
      label: LABELS[bucket],
      tasks: of(bucket),
      count: counts[bucket],
      all:
        of(bucket).length < counts[bucket] && query.status !== bucket
          ? listAt(at, { ...query, status: bucket, page: 1 })
          : null,
    })).filter(({ tasks }) => tasks.length > 0),
    count: shown,
    words: WORDS[bucket ?? 'open'],
    total: open + counts.closed,
    more: Math.max(0, shown - page * PAGE_ROWS),
    part: bucket === undefined && counts.closed > CLOSED_ROWS,
    page,
    base: at.base,
    held: at.held,
    query: queryAt(at, query),
    q,
    narrowing: headOf(query, counts, projects, at),
  }
}

/** A task as lists and sheets name it. */
export function listed(task: TaskRow, blockers: readonly Beside[] = []) {
  const { plan, holder_id, holder, called, lease, left, paths, favorite, closed, ...rest } = task
  const isHeld = rest.status === 'in_progress' && holder_id !== ''
  const runs = isHeld && left !== null && left > 0
  return {
    ...rest,
    favorite,
    ...(closed && { closed }),
    plan_slug: plan || null,
    paths,
    holder_id: isHeld ? holder_id : null,
    holder: isHeld ? (holder ?? holder_id) : null,
    called: isHeld ? (called === rest.title ? (holder ?? holder_id) : (called ?? holder_id)) : null,
    lease_exp: isHeld ? lease : null,
    lease_left: runs ? leftOf(left) : null,
    lapsed_for: isHeld && !runs && left !== null ? spanOf(-left) : null,
    urgent: runs && left < URGENT_SECONDS,
    claim_live: isHeld ? runs : null,
    blockers: blockers.map(({ id, title, status }) => ({ id, title, status })),
  }
}
export type Listed = ReturnType<typeof listed>

function headOf(
  query: List,
  counts: Record<Bucket, number>,
  projects: readonly string[],
  { base, schema, beside, held }: ListPlace,
) {
  const any = { value: '', label: 'any' }
  return narrowingOf({
    ...{ base, schema, beside },
    values: { ...query, page: 1 },
    filter: { label: 'Filter tasks', placeholder: 'Title, text, plan or id' },
    menus: [
      {
        ...{ name: 'status', label: 'Status' },
        options: [
          any,
          { value: 'open', label: 'not closed' },
          ...BUCKETS.map((value) => ({
            ...{ value, label: LABELS[value].toLowerCase() },
            count: counts[value],
          })),
        ],
      },
      ...(held
        ? []
        : [
            {
              ...{ name: 'project', label: 'Project' },
              options: [
                any,
                ...projects.map((slug) => ({ value: wireProject(slug), label: wireProject(slug) })),
              ],
            },
          ]),
    ],
  })
}
