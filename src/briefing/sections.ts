/** The sections of a briefing: what each says, and what it costs. */
import { age, clip, oneLine } from '../text/text.ts'
import { distanceOf, isNearEnd } from '../plans/plans.ts'
import type { Isolation } from '../projects/projects.ts'
import type {
  Finding,
  Listed,
  MemoryRow,
  OwnWork,
  PendingPlan,
  Plan,
  Pool,
  ReadyTask,
} from './material.ts'
import type { Brief, Shown } from './brief.ts'

/** How long the parts of a line may be, in characters. */
const NAME = 80
/** The name of a project and of a memory in it: cut, it would name nothing. */
const REFERENCE = 161
const DESCRIPTION = 160
const FINDINGS = 200
const SIBLING_FINDINGS = 150
const OWN_FINDINGS = 600
const TASK = 60
const PROJECT = 60
const WORD = 40

const memory = ({ id }: Listed): Shown => ({ kind: 'memory', id })

/** As memory_read takes it: an inherited memory is called by its project too, a global one is not. */
const nameOf = ({ project: lies, name }: Pick<Listed, 'project' | 'name'>, here: string): string =>
  oneLine(lies === here || lies === '' ? name : `${lies}/${name}`, REFERENCE)

/** What kind of memory it is, and since when it says what it says. */
const kindOf = ({ kind, age: seconds }: Listed): string => `(${kind}, ${age(seconds)})`

/** A memory: name, kind, age and description. */
export const memoryLine = (row: Listed, here: string): string =>
  `- ${nameOf(row, here)} ${kindOf(row)}: ${oneLine(row.description, DESCRIPTION)}`.replace(
    /: $/,
    '',
  )

/** `3d ago`, and not `just now ago`. */
const since = (seconds: number): string => {
  const said = age(seconds)
  return said === 'just now' ? said : `${said} ago`
}

export const label = (project: string): string =>
  project === '' ? 'global' : `project ${oneLine(project, NAME)}`

/** Counts in words, those of nothing left out: `3 constraints, 1 stage`. */
export const counted = (counts: readonly (readonly [number, string])[]): string =>
  counts
    .filter(([count]) => count > 0)
    .map(([count, noun]) => `${count} ${count === 1 ? noun : `${noun}s`}`)
    .join(', ')

export const ISOLATED: Record<Isolation, string | undefined> = {
  open: undefined,
  confidential:
    'This project is confidential: nothing of it is told elsewhere, and from here you can write nowhere else.',
  sealed:
    'This project is sealed: nothing of other projects is told here, and you can read and write nowhere else.',
}

/** What a session had in hand before its context was lost. */
export function ownWork(brief: Brief, name: string, work: OwnWork | undefined): void {
  if (!work) return
  const { claims, claimed, findings, plan, plan_status } = work
  if (claimed === 0 && !plan && findings.length === 0) return
  const as = (by: string | null): string => (by === null ? '' : `, as session ${shownName(by)}`)
  brief.write(`## You are session ${oneLine(name, NAME)}; before this you had`)
  for (const { id, by, title, plan, steps, done, held } of claims) {
    const step = plan ? `, step of plan ${oneLine(plan, NAME)} (${done}/${steps} done)` : ''
    const lapsed = held ? '' : ', its lease has run out: claim it again'
    const said = title === null ? '' : ` ${oneLine(title, NAME)}`
    brief.write(brief.entry(`- claimed task ${id}${said}${as(by)}${step}${lapsed}`))
  }
  if (claimed > claims.length) brief.write(`- and ${claimed - claims.length} more claimed tasks`)
  if (plan) {
    const status = plan_status ? ` (${oneLine(plan_status, WORD)})` : ''
    brief.write(brief.entry(`- plan ${oneLine(plan, NAME)}${status}`))
  }
  for (const { by, text } of findings) {
    brief.write(brief.entry(`- your findings so far${as(by)}: ${oneLine(text, OWN_FINDINGS)}`))
  }
}

const CONSTRAINTS = 'Constraints: rules that every agent keeps'

/** All constraints: this many in full (0: every one), the others by their names. */
export function constraints(brief: Brief, rows: readonly MemoryRow[], full: number, here: string) {
  const [{ of = 0 } = {}] = rows
  if (of === 0) return
  brief.write(`## ${CONSTRAINTS}`)
  const first = full === 0 ? rows : rows.slice(0, full)
  for (const row of first) brief.write(brief.entry(memoryLine(row, here)), memory(row))
  const rest = rows.slice(first.length)
  if (rest.length === 0) return
  const names = rest.map((row) => nameOf(row, here)).join(', ')
  brief.write(
    `- ${of - first.length} more in force, read those that touch your work: ${names}`,
    ...rest.map(memory),
  )
  brief.omit(CONSTRAINTS, of - first.length, 'constraint_max_full', { named: true })
}

const STAGES = 'Stages: states of the world that hold now'

export function stages(brief: Brief, { stages: rows, allStages }: Pool, here: string): void {
  brief.omit(STAGES, allStages - (rows[0]?.of ?? 0), 'stage_unknown_max_age_days')
  if (rows.length === 0) return
  brief.write(`## ${STAGES}`)
  let bare = 0
  for (const row of rows) {
    const status = oneLine(row.stage_status, WORD) || 'unknown status'
    const gate = row.stage_gate === '' ? '' : `, gate ${oneLine(row.stage_gate, WORD)}`
    const frozen = row.description === '' ? '' : `: ${oneLine(row.description, DESCRIPTION)}`
    const said = `- ${nameOf(row, here)} [${status}${gate}] ${kindOf(row)}`
    // That it holds is always said, what it holds up while there is room.
    if (!brief.offer([brief.entry(said + frozen)], memory(row))) {
      brief.write(brief.entry(said), memory(row))
      bare++
    }
  }
  brief.omit(STAGES, bare, 'room', { named: true })
  brief.write('Read one with memory_read before you act on what it gates.')
}

const PLANS = 'Plans'

/** Plans in work are always written, those that wait for approval if there is room. */
export function plans(
  brief: Brief,
  active: readonly Plan[],
  pending: readonly PendingPlan[],
  momentum: boolean,
): void {
  if (active.length > 0) {
    brief.write(`## ${PLANS}`)
    for (const plan of active) brief.write(brief.entry(planLine(plan, momentum)))
    const more = active[0]!.plans - active.length
    if (more > 0) brief.write(`- and ${more} more in work`)
    brief.omit(PLANS, more, 'fixed')
    brief.write(
      'Steps: tasks_ready plan=<slug>; claim one with tasks_claim before you work on it. ' +
        'A note belongs to a plan by the tag plan:<slug>.',
    )
  }
  for (const [i, { plan, title, status, age: seconds }] of pending.entries()) {
    const said = brief.entry(
      `- ${oneLine(plan, NAME)}: ${oneLine(title, NAME)} (${status}, ${since(seconds)}, awaits approval)`,
    )
    const heading = i === 0 && active.length === 0 ? [`## ${PLANS}`] : []
    if (brief.offer([...heading, said])) continue
    brief.omit(PLANS, pending.length - i, 'room')
    break
  }
}

function planLine(plan: Plan, momentum: boolean): string {
  const { steps, done, claimable, in_flight } = plan
  const close = momentum && isNearEnd(plan)
  return (
    `- ${oneLine(plan.plan, NAME)}: ${done}/${steps} done, ${claimable} claimable, ${in_flight} in flight (${age(plan.age)})` +
    (close ? `, ${distanceOf(plan)}` : '')
  )
}

const CONVENTIONS = 'Conventions of this project'

export function conventions(brief: Brief, pool: Pool, full: number, here: string): void {
  const { conventions: rows, allConventions: all } = pool
  if (all === 0) return
  brief.write(`## ${CONVENTIONS}`)
  const starred = rows.filter(({ favorite }) => favorite).length
  const tier = full === 0 ? rows : rows.slice(0, Math.max(full, starred))
  let shown = 0
  for (const row of tier) {
    const said = brief.entry(memoryLine(row, here))
    if (row.favorite) brief.write(said, memory(row))
    else if (!brief.offer([said], memory(row))) break
    shown++
  }
  brief.write(`${shown} of ${all}: recall kind=convention lists all.`)
  const capped = full === 0 ? 0 : all - tier.length
  brief.omit(CONVENTIONS, all - capped - shown, 'room')
  brief.omit(CONVENTIONS, capped, 'convention_max_full')
}

/** Returns how many found room. */
export function findings(brief: Brief, rows: readonly Finding[]): number {
  const left = said(
    brief,
    'Recent findings of other sessions',
    rows.map(
      ({ name, age: seconds, findings: text }) =>
        `- ${oneLine(name, NAME)}, ${since(seconds)}: ${oneLine(text, FINDINGS)}`,
    ),
  )
  if (left > 0 && left < rows.length) brief.offer([`+${left} more`])
  return rows.length - left
}

export function siblingFindings(brief: Brief, rows: readonly Finding[]): void {
  said(
    brief,
    'Findings in projects of the same family',
    rows.map(
      ({ project, age: seconds, findings: text }) =>
        `- ${oneLine(project, PROJECT)}, ${since(seconds)}: ${oneLine(text, SIBLING_FINDINGS)}`,
    ),
  )
}

/** The heading goes with the first line. Returns how many found no room. */
function said(brief: Brief, part: string, lines: readonly string[]): number {
  for (const [i, line] of lines.entries()) {
    const entry = brief.entry(line)
    if (brief.offer(i === 0 ? [`## ${part}`, entry] : [entry])) continue
    brief.omit(part, lines.length - i, 'room')
    return lines.length - i
  }
  return 0
}

/** All of it or nothing. */
export function ready(brief: Brief, rows: readonly ReadyTask[]): void {
  const [first] = rows
  if (!first) return
  const part = `Ready tasks (${first.ready})`
  const fits = brief.offer([
    `## ${part}`,
    ...rows.map((row) => brief.entry(`- ${oneLine(row.title, TASK)} (${age(row.age)})`)),
    'tasks_ready lists them with their ids; claim one with tasks_claim.',
  ])
  if (!fits) brief.omit(part, rows.length, 'room')
  brief.omit(part, first.ready - rows.length, 'ready_tasks_shown')
}

const MEMORIES = 'Memories: memory_read gives the whole of one'

export function index(brief: Brief, pool: Pool, most: number, here: string): void {
  const { starred, allIndexed, tooOld } = pool
  if (starred.length === 0 && allIndexed === 0) return
  brief.write(`## ${MEMORIES}`)
  for (const row of starred) brief.write(brief.entry(memoryLine(row, here)), memory(row))
  const rows = most === 0 ? pool.index : pool.index.slice(0, most)
  let shown = 0
  for (const row of rows) {
    const said = brief.entry(memoryLine(row, here))
    const first = shown === 0 && starred.length === 0
    if (first) brief.write(said, memory(row))
    else if (!brief.offer([said], memory(row))) break
    shown++
  }
  if (allIndexed > shown) brief.write(`+${allIndexed - shown} older: recall finds them`)
  // Beyond a cap that is reached nothing was offered.
  const capped = most > 0 && rows.length === most ? allIndexed - tooOld - most : 0
  brief.omit(MEMORIES, allIndexed - tooOld - capped - shown, 'room')
  brief.omit(MEMORIES, capped, 'memory_max_items')
  brief.omit(MEMORIES, tooOld, 'memory_max_age_days')
}

const KINDRED = 'Memories of projects of the same family'

export function siblingMemories(brief: Brief, rows: readonly Listed[], here: string): void {
  for (const [i, row] of rows.entries()) {
    const entry = brief.entry(memoryLine(row, here))
    const heading = i === 0 ? [`## ${KINDRED}`] : []
    if (brief.offer([...heading, entry], memory(row))) continue
    brief.omit(KINDRED, rows.length - i, 'room')
    break
  }
}

export const shownName = (name: string): string => clip(name, NAME)
