/**
 * Days of simulated work through whatever processes serve one database, and what their moments must be. The work is
 * random and may be cut short anywhere; what must have been minted is read from the log, by rules of its own.
 */
import type { Random } from '../attacks/attack.ts'
import { openWire } from '../helpers/wire.ts'

export interface World {
  /** Every process that serves at this moment. */
  doors(): { url: string; key: string }[]
  /** On a connection of its own. */
  query<Row>(text: string, values?: unknown[]): Promise<Row[]>
  /** Kills one of them somewhere in the middle of the day, and has another one begin. */
  disturb?(day: number): Promise<void>
}

const PROJECTS = ['atlas', 'reef']
const AGENTS = 4
const TRIES = 40

/** Lives through so many days. Returns what was minted that should not have been, or should have been and was not. */
export async function liveThrough(
  world: World,
  { days, random }: { days: number; random: Random },
): Promise<{ wrong: string[]; figures: string }> {
  await world.query(
    `update clock set shift = date_trunc('day', loam_now() at time zone owner_zone()) at time zone owner_zone()
       + interval '9 hours' - loam_now()`,
  )
  let refused = 0

  /** Asks one process or the other until one answers: a process that was killed is no answer. */
  async function call(id: string, tool: string, args: object): Promise<Record<string, any>> {
    for (let tried = 0; tried < TRIES; tried++) {
      const wire = await openWire({ ...random.pick(world.doors()), id })
      const params = { name: tool, arguments: args }
      const reply = await wire.ask('tools/call', params).catch(() => undefined)
      if (reply?.status === 200) return reply.body.result?.structuredContent ?? {}
      refused++
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error(`${tool} was answered by nobody`)
  }

  async function connect(): Promise<string> {
    for (;;) {
      const wire = await openWire(random.pick(world.doors())).catch(() => undefined)
      if (wire) return wire.id
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  const names: Record<string, string[]> = {}
  let plans = 0

  async function work(day: number, agent: number): Promise<void> {
    const project = PROJECTS[agent % 2]!
    const id = await connect()
    await call(id, 'session_start', { name: `day ${day} agent ${agent}`, project })
    const known = (names[project] ??= [])
    const count = agent < 2 ? 3 + random.int(5) : random.int(4)
    for (let n = 0; n < count; n++) {
      const name = `m-${day}-${agent}-${n}`
      const fact = { name, kind: 'gotcha', description: 'D', body: `B ${name}`, project }
      const old = random.int(12) === 0 ? known.shift() : undefined
      await call(id, 'memory_write', { ...fact, ...(old && { supersedes: old }) })
      known.push(name)
      if (random.int(2) === 0) await call(id, 'memory_read', { name: random.pick(known), project })
    }
    for (let n = random.int(3); n > 0; n--) {
      const plan = `plan-${++plans}`
      const steps: string[] = []
      for (let step = 1 + random.int(3); step > 0; step--) {
        const added = await call(id, 'tasks_add', { title: `${plan} ${step}`, plan, project })
        steps.push(added['id'] as string)
      }
      const status = random.int(4) === 0 ? 'dropped' : 'done'
      // Its last steps are closed at the same time, by whichever process.
      await Promise.all(steps.map((step) => call(id, 'tasks_update', { id: step, status })))
    }
  }

  /** Every process tells what it still keeps, and what follows from it has followed. */
  async function settle(): Promise<void> {
    for (const { url, key } of world.doors())
      for (const path of ['/console/now', '/console/'])
        await fetch(`${url}${path}?format=json`, { headers: { authorization: `Bearer ${key}` } })
  }

  for (let day = 0; day < days; day++) {
    const agents = Array.from({ length: 1 + random.int(AGENTS) }, (_, agent) => agent)
    await Promise.all([
      world.disturb?.(day),
      ...agents.toSorted(() => random.int(3) - 1).map((agent) => work(day, agent)),
    ])
    await settle()
    if (day === 0)
      await world.query(`update projects set created_at = loam_now() - interval '362 days'`)
    await world.query(`update clock set shift = shift + interval '1 day'`)
  }
  const { wrong, minted } = await judge(world)
  return {
    wrong,
    figures: `${minted} moments of ${days} days, each once; ${refused} calls without an answer`,
  }
}

/** What a birthday may come with. */
const FOLLOWED = ['memory.written', 'memory.read', 'memory.superseded', 'task.transition']

interface Act {
  kind: string
  project: string
  item: string
  session: string | null
  payload: Record<string, unknown>
  /** In the owner's zone. */
  day: string
}

/** Holds the moments in the log to what else is in it. */
async function judge({ query }: World): Promise<{ wrong: string[]; minted: number }> {
  const acts = await query<Act>(
    `select kind, coalesce(project, '') as project, coalesce(item_id, '') as item, session_id as session, payload,
       to_char(ts at time zone owner_zone(), 'YYYY-MM-DD') as day
     from events_acts order by ts, id`,
  )
  const of = (kind: string) => acts.filter((act) => act.kind === kind)
  const expected: string[] = []

  const perDay = (values: [day: string, what: string][]) =>
    [...Map.groupBy(new Set(values.map((one) => one.join(' '))), (one) => one.slice(0, 10))]
      .map(([day, all]) => ({ day, n: all.length }))
      .toSorted((a, b) => (a.day < b.day ? -1 : 1))
  const sessions = await query<{ id: string; day: string }>(
    `select id, to_char(created_at at time zone owner_zone(), 'YYYY-MM-DD') as day from sessions`,
  )
  const counted = {
    tasks_day: perDay(
      of('task.transition').flatMap(({ payload, day, item }) =>
        payload['to'] === 'done' ? [[day, item]] : [],
      ),
    ),
    memories_day: perDay(of('memory.written').map(({ day }, nth) => [day, String(nth)])),
    live_agents: perDay(sessions.map(({ id, day }) => [day, id])),
  }
  for (const [record, days] of Object.entries(counted)) {
    let best = 0
    for (const { day, n } of days) {
      if (n <= best) continue
      if (best > 0 || n >= 3) expected.push(`gamification.record_broken ${record}:${day}`)
      best = n
    }
  }

  const steps = await query<{ project: string; plan: string; over: boolean }>(
    `select project, plan, bool_and(status in ('done', 'dropped')) and bool_or(status = 'done') as over
     from tasks where plan <> '' group by project, plan`,
  )
  const shipped = steps.filter(({ over }) => over)
  expected.push(...shipped.map(({ project, plan }) => `plan.shipped ${project} ${plan}`))

  const writers = await query<{ id: string; writer: string }>(
    `select id, source_session as writer from memories where source_session <> ''`,
  )
  const reused = writers.filter(({ id, writer }) =>
    of('memory.read').some(({ item, session }) => item === id && session && session !== writer),
  )
  expected.push(...reused.map(({ id }) => `memory.first_reuse ${id}`))

  const birthdays = await query<{ project: string; day: string }>(
    `select slug as project, to_char((created_at at time zone owner_zone())::date + interval '1 year', 'YYYY-MM-DD') as day
     from projects`,
  )
  for (const project of new Set(acts.map((act) => act.project).filter((slug) => slug !== ''))) {
    const own = (kind: string) => of(kind).filter((act) => act.project === project)
    const written = new Set(own('memory.written').map(({ item }) => item)).size
    const reached = [
      ...[100, 500, 1_000].filter((at) => written >= at).map((at) => `memories-${at}`),
      ...(own('memory.superseded').length > 0 ? ['first-supersession'] : []),
      ...(shipped.some((plan) => plan.project === project) ? ['first-plan-shipped'] : []),
      ...(birthdays.some(
        (one) =>
          one.project === project &&
          FOLLOWED.some((kind) => own(kind).some(({ day }) => day >= one.day)),
      )
        ? ['birthday-1']
        : []),
    ]
    expected.push(...reached.map((key) => `milestone.reached ${key}:${project}`))
  }

  const named = ({ kind, project, item }: Act) =>
    `${kind} ${kind === 'plan.shipped' ? `${project} ` : ''}${item}`
  const minted = [
    'gamification.record_broken',
    'plan.shipped',
    'memory.first_reuse',
    'milestone.reached',
  ].flatMap((kind) => of(kind).map(named))
  const [moments] = await query<{ n: number }>(`select count(*)::int as n from moments`)
  const times = Map.groupBy(minted, (one) => one)
  return {
    minted: minted.length,
    wrong: [
      ...expected.filter((one) => !times.has(one)).map((one) => `never: ${one}`),
      ...[...times].filter(([, all]) => all.length > 1).map(([one]) => `more than once: ${one}`),
      ...[...times.keys()].filter((one) => !expected.includes(one)).map((one) => `unasked: ${one}`),
      ...(moments!.n === minted.length ? [] : [`${moments!.n} rows of ${minted.length} moments`]),
    ],
  }
}
