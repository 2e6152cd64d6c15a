/** Which item of each kind is looked at: those that fill their page most, and those that leave it empty. */
import type { Asker } from './stores.ts'

type Ids = Record<string, string | undefined>
type Find = (ask: Asker) => Promise<Ids>

interface Card {
  id: string
  kind: string
}

interface PlanRow {
  slug: string
  status?: string
  phase: string
  tasksTotal: number
}

interface LabRow {
  lab: string
  trials: number
}

interface TrialRow {
  id: string
  outcome?: string
  favorite: boolean
  metrics?: object[]
}

interface ProjectRow {
  slug: string
  global: boolean
  retired: boolean
  isolation: string
  sessions: number
}

interface Named {
  id: string
}

/** By the address of the page; a page of an item that is not among them fails the test of the list. */
export const ITEMS: Record<string, Find> = {
  '/console/notes/:id': async (ask) => {
    const { groups } = await ask.json('/console/notes')
    const notes = (groups as { notes: Named[] }[]).flatMap((group) => group.notes)
    return longestAndShortest(notes, (id) => ask.json(`/console/notes/${id}`))
  },
  '/console/memories/:id': async (ask) => {
    const { groups, inactive } = await ask.json('/console/memories')
    const memories = (groups as { kinds: { memories: Named[] }[] }[]).flatMap((group) =>
      group.kinds.flatMap((kind) => kind.memories),
    )
    const of = (status: string) =>
      (inactive as (Named & { status: string })[]).find((memory) => memory.status === status)?.id
    return {
      ...(await longestAndShortest(memories, (id) => ask.json(`/console/memories/${id}`))),
      superseded: of('superseded'),
      archived: of('archived'),
    }
  },
  '/console/gardener/:id': async (ask) => {
    const { groups, cards } = await ask.json('/console/gardener')
    const all = [...(groups as { cards: Card[] }[]).flatMap((group) => group.cards), ...cards]
    return Object.fromEntries((all as Card[]).map(({ kind, id }) => [kind, id]))
  },
  '/console/tasks/:id': async (ask) => {
    const { ready, inProgress, blocked, closed } = await ask.json('/console/tasks')
    const first = (tasks: Named[]) => tasks[0]?.id
    const held = (inProgress as (Named & { claimLive?: boolean })[]).filter(
      ({ claimLive }) => claimLive,
    )
    return {
      ready: first(ready),
      held: first(held),
      lapsed: (inProgress as Named[]).find((task) => !held.includes(task))?.id,
      blocked: first(blocked),
      closed: first(closed),
    }
  },
  '/console/plans/:slug': async (ask) => {
    const { rows } = await ask.json('/console/plans?w=all')
    const of = (is: (row: PlanRow) => boolean) => (rows as PlanRow[]).find(is)?.slug
    return {
      waiting: of(({ status }) => status === 'presented'),
      steps: of(({ tasksTotal }) => tasksTotal > 0),
      done: of(({ phase }) => phase === 'done'),
    }
  },
  '/console/labs/:name': async (ask) => {
    // There are none while their feature is off.
    const { labs = [] } = await ask.json('/console/labs')
    const most = (labs as LabRow[]).toSorted((a, b) => b.trials - a.trials)
    return {
      most: most[0]?.lab,
      slashed: most.find(({ lab }) => lab.includes('/'))?.lab,
      fewest: most.at(-1)?.lab,
    }
  },
  '/console/trials/:id': async (ask) => {
    const { groups = [] } = await ask.json('/console/trials')
    const trials = (groups as { trials: TrialRow[] }[]).flatMap((group) => group.trials)
    const figures = ({ metrics = [] }: TrialRow) => metrics.length
    const of = (is: (row: TrialRow) => boolean) => trials.find(is)?.id
    return {
      most: trials.toSorted((a, b) => figures(b) - figures(a))[0]?.id,
      fail: of(({ outcome }) => outcome === 'fail'),
      starred: of(({ favorite }) => favorite),
      bare: of((row) => row.outcome === undefined && figures(row) === 0),
    }
  },
  '/console/projects/:slug': async (ask) => {
    const { flat } = await ask.json('/console/projects?group=flat')
    const projects = (flat as ProjectRow[]).filter(({ global }) => !global)
    const most = projects.toSorted((a, b) => b.sessions - a.sessions)
    const of = (is: (row: ProjectRow) => boolean) => projects.find(is)?.slug
    return {
      most: most[0]?.slug,
      fenced: of(({ isolation }) => isolation !== 'open'),
      retired: of(({ retired }) => retired),
      fewest: most.at(-1)?.slug,
    }
  },
  '/console/sessions/:id': async (ask) => {
    const { sessions } = await ask.json('/console/sessions?w=all')
    const of = (status: string) =>
      (sessions as (Named & { status: string; live: boolean })[]).filter(
        (session) => session.status === status,
      )
    const most = (listed: { id: string; calls?: number }[]) =>
      listed.toSorted((a, b) => (b.calls ?? 0) - (a.calls ?? 0))[0]?.id
    return {
      live: most(of('active').filter(({ live }) => live)),
      idle: of('active').find(({ live }) => !live)?.id,
      completed: most(of('completed')),
      expired: of('expired')[0]?.id,
    }
  },
  '/console/events/:id': async (ask) => {
    const { recent } = await ask.json('/console/')
    const { sessions } = await ask.json('/console/sessions?w=all')
    const { timeline = [] } = sessions[0]
      ? await ask.json(`/console/sessions/${sessions[0].id}`)
      : {}
    const events = [...recent, ...timeline] as (Named & { kind: string })[]
    const of = (kind: string) => events.find((event) => event.kind === kind)?.id
    return {
      act: (recent as Named[])[0]?.id,
      call: of('tool.call'),
      injected: of('retrieval.injected'),
      mishap: of('agent.mishap'),
    }
  },
}

async function longestAndShortest(
  items: readonly Named[],
  read: (id: string) => Promise<{ body: string }>,
): Promise<Ids> {
  const some = items.slice(0, 60)
  const lengths = await Promise.all(
    some.map(async ({ id }) => ({ id, length: (await read(id)).body.length })),
  )
  const sorted = lengths.toSorted((a, b) => b.length - a.length)
  return { longest: sorted[0]?.id, shortest: sorted.at(-1)?.id }
}
