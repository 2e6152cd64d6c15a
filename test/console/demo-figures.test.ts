import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Ledger, SessionAccount } from '../../src/dev/demo/ledger.ts'
import { multiply } from '../../src/dev/demo/multiply.ts'
import { DEMO_NOW, openDemo, type OpenDemo } from '../helpers/demo.ts'
import { ownerOf, type Owner } from './owner.ts'

const { values, entries, fromEntries } = Object
const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)
const HOUR_MS = 3_600_000
const WINDOWS = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24, all: Infinity }

/** What the console says of the demo store, held against the demo's own account of what it did. */
describe('what the console says of the demo store', () => {
  let demo: OpenDemo
  let ledger: Ledger
  let owner: Owner
  beforeAll(async () => {
    demo = await openDemo()
    ledger = demo.ledger
    // Pages of a list, and a store as large ones are made.
    await multiply(demo.house.app.kernel, ledger, { count: 250, now: new Date(DEMO_NOW) })
    owner = ownerOf(demo.house)
  })
  afterAll(() => demo.house[Symbol.asyncDispose]())

  const json = async (path: string) => {
    const { status, body } = await owner.json(path)
    expect(status, path).toBe(200)
    return body
  }
  const within = (hours: number) => (time: string) =>
    Date.parse(time) >= Date.parse(DEMO_NOW) - hours * HOUR_MS
  const callsOf = ({ calls }: SessionAccount) => sumOf(values(calls))
  const left = ({ findings, memoryWrites, noteWrites, trials }: SessionAccount) =>
    findings || memoryWrites + noteWrites + trials > 0

  test('is how much there is', async () => {
    const memories = ledger.memories.filter(({ status }) => status === 'active')
    const notes = ledger.notes.filter(({ status }) => status !== 'deleted')
    const byStatus = (wanted: string) =>
      ledger.tasks.filter(({ status }) => status === wanted).length
    const body = await json('/console/')
    expect(body).toMatchObject({
      memories: memories.length,
      notes: notes.length,
      sessTotal: ledger.sessions.length,
      tasksOpen: byStatus('open'),
      tasksInProg: byStatus('in_progress'),
      tasksDone: byStatus('done'),
      tasksDropped: byStatus('dropped'),
    })
    const kinds = Map.groupBy(memories, ({ kind }) => kind)
    expect(fromEntries(body.memByKind.map(({ kind, n }: any) => [kind, n]))).toEqual(
      fromEntries([...kinds].map(([kind, all]) => [kind, all.length])),
    )
    const library = await json('/console/memories')
    const ended = ledger.memories.filter(({ status }) =>
      ['superseded', 'archived'].includes(status),
    )
    expect([library.activeCount, library.inactiveCount]).toEqual([memories.length, ended.length])
    const perProject = Map.groupBy(memories, ({ project }) => project)
    expect(fromEntries(library.groups.map(({ project, count }: any) => [project, count]))).toEqual(
      fromEntries([...perProject].map(([project, all]) => [project, all.length])),
    )
    expect((await json('/console/notes')).count).toBe(notes.length)
    expect((await json('/console/sessions?w=all')).total).toBe(ledger.sessions.length)
  })

  test.each(entries(WINDOWS))('is what agents were told and left in %s', async (w, hours) => {
    const body = await json(`/console/?w=${w}`)
    const began = ledger.sessions.filter(({ started }) => within(hours)(started))
    expect(body).toMatchObject({
      covTotal: began.length,
      covered: began.filter(left).length,
      coverage: Math.floor((100 * began.filter(left).length) / began.length + 0.5),
    })
    const channels = fromEntries(body.coverageRows.map(({ label, count }: any) => [label, count]))
    expect(channels).toEqual({
      findings: began.filter(({ findings }) => findings).length,
      memories: began.filter(({ memoryWrites }) => memoryWrites > 0).length,
      notes: began.filter(({ noteWrites }) => noteWrites > 0).length,
      trials: began.filter(({ trials }) => trials > 0).length,
    })
    const days = fromEntries(body.trend.map(({ label, count }: any) => [label, count]))
    // A day has an hour of each name, and its first one again.
    const whole = sumOf(body.trend.map(({ count }: any) => count))
    expect(whole, 'the trend sums up to the whole').toBe(body.injections)
    if (w === 'all') {
      expect(body.injections).toBe(sumOf(values(ledger.days).map(({ items }) => items)))
      expect(body.sessionsReached).toBe(
        ledger.sessions.filter(({ itemsShown }) => itemsShown > 0).length,
      )
    }
    if (w === '7d' || w === '30d' || w === 'all') {
      const told = entries(ledger.days).filter(([day]) => within(hours)(`${day}T00:00:00Z`))
      for (const [day, { items }] of told) {
        const label = `${MONTHS[Number(day.slice(5, 7)) - 1]} ${day.slice(8)}`
        expect(days[label], day).toBe(items)
      }
    }
  })

  test.each(entries(WINDOWS))('is how knowledge circulated in %s', async (w, hours) => {
    const body = await json(`/console/retrieval?w=${w}`)
    const active = ledger.memories.filter(({ status }) => status === 'active')
    const inWindow = within(hours)
    expect(body).toMatchObject({
      activeMemories: active.length,
      createdInWindow: ledger.memories.filter(({ created }) => inWindow(created)).length,
      toolMisses: ledger.misses.filter(({ at }) => inWindow(at)).length,
    })
    const known = Map.groupBy(active, ({ project }) => project)
    expect(fromEntries(body.byProject.map((row: any) => [row.project, row.active]))).toEqual(
      fromEntries([...known].map(([project, all]) => [project, all.length])),
    )
    expect(sumOf(body.byProject.map((row: any) => row.surfaced))).toBe(body.memoriesSurfaced)
    expect(sumOf(body.byKind.map((row: any) => row.memories))).toBe(body.memoriesSurfaced)
    expect(sumOf(body.trend.map((row: any) => row.count))).toBe(body.injections)
    const [most] = body.topInjected
    expect(most.sessions).toBeLessThanOrEqual(body.sessionsReached)
    if (w !== 'all') return
    expect(body.injections).toBe(sumOf(values(ledger.days).map(({ items }) => items)))
    expect(body.sessionsReached).toBe(
      ledger.sessions.filter(({ itemsShown }) => itemsShown > 0).length,
    )
    expect(body.promptMatches + body.recallMisses).toBe(
      sumOf(ledger.sessions.map(({ prompts }) => prompts)),
    )
    expect(body.stale.length).toBeGreaterThan(0)
    expect(body.deadWeight.length).toBeGreaterThan(0)
    expect(body.promptMatches).toBeGreaterThan(0)
  })

  test('is what was tried, and what came of it', async () => {
    const { labs, trials } = await json('/console/labs')
    expect(trials).toBe(ledger.trials.length)
    const tried = Map.groupBy(ledger.trials, ({ lab }) => lab)
    expect(labs).toHaveLength(tried.size)
    for (const { lab, ...counts } of labs) {
      const own = tried.get(lab)!
      const of = (outcome: string) => own.filter((trial) => trial.outcome === outcome).length
      const [pass, fail, partial, inconclusive] = USUAL.map(of) as [number, number, number, number]
      expect(counts, lab).toMatchObject({
        ...{ trials: own.length, pass, fail, partial, inconclusive },
        other: own.length - pass - fail - partial - inconclusive,
        projects: [...new Set(own.map(({ project }) => project))].toSorted(),
        sessions: new Set(own.map(({ session }) => session)).size,
      })
      const { body } = await owner.json(`/console/trials?lab=${encodeURIComponent(lab)}`)
      const found = body.groups.flatMap((group: any) => group.trials.map(({ id }: any) => id))
      expect(found.toSorted(), lab).toEqual(own.map(({ id }) => id).toSorted())
    }
  })

  test('is what went wrong', async () => {
    const { mishaps, attention } = await json('/console/')
    const told = ledger.mishaps.filter(({ at }) => within(30 * 24)(at))
    expect(mishaps.map(({ description }: any) => description)).toEqual(
      told
        .toSorted((a, b) => (a.at < b.at ? 1 : -1))
        .slice(0, 6)
        .map(({ description }) => description),
    )
    const lines = attention.filter(({ kind }: any) => kind === 'mishap')
    expect(lines).toHaveLength(ledger.mishaps.filter(({ at }) => within(7 * 24)(at)).length)
  })

  test('is of each session what it did', async () => {
    const found = new Map<string, Record<string, any>>()
    for (let page = 1, more = 1; more > 0; page++) {
      const body = await json(`/console/sessions?w=all&page=${page}`)
      for (const session of body.sessions) found.set(session.id, session)
      more = body.more ?? 0
    }
    expect(found.size).toBe(ledger.sessions.length)
    for (const account of ledger.sessions) {
      const { id, name, project, status, failed, mishaps, memoryWrites, noteWrites, trials } =
        account
      expect(found.get(id), id).toMatchObject({
        ...{ name, project, status, failed, mishaps },
        calls: callsOf(account),
        written: memoryWrites + noteWrites + trials,
      })
    }
    const busiest = ledger.sessions.toSorted((a, b) => callsOf(b) - callsOf(a)).slice(0, 12)
    for (const account of busiest) {
      const body = await json(`/console/sessions/${account.id}`)
      expect(body, account.id).toMatchObject({
        toolCalls: callsOf(account),
        memoryReads: account.memoryReads,
        memoryWrites: account.memoryWrites,
      })
      const kinds = fromEntries(body.eventsByKind.map(({ kind, n }: any) => [kind, n]))
      expect(kinds['retrieval.injected'] ?? 0, account.id).toBe(account.injections)
      expect(body.trialsRecorded, account.id).toHaveLength(account.trials)
    }
  })

  test('is who is at work at this moment, and what is carried', async () => {
    const body = await json('/console/now')
    const active = ledger.sessions.filter(({ status }) => status === 'active')
    expect(body.agents.length + body.silent.length).toBe(active.length)
    expect(body.agentsLive).toBe(body.agents.length)
    const inProgress = ledger.tasks.filter(({ status }) => status === 'in_progress')
    expect(body.tasksInFlight).toBe(inProgress.length)
    const perScope = body.scopes.map(({ slug, live }: any) => [slug, live])
    const live = Map.groupBy(body.agents, ({ project }: any) => project || 'global')
    expect(fromEntries(perScope)).toEqual(
      fromEntries([...live].map(([slug, all]) => [slug, all.length])),
    )
    const open = ledger.tasks.filter(({ status }) => status === 'open')
    const unfinished = new Set([...open, ...inProgress].map(({ id }) => id))
    const ready = open.filter(({ dependsOn }) => !dependsOn.some((id) => unfinished.has(id)))
    const oldest = ready.toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(0, 12)
    expect(body.upNext.map(({ id }: any) => id)).toEqual(oldest.map(({ id }) => id))
    for (const plan of body.plans) {
      const steps = ledger.tasks.filter(
        ({ plan: slug, project }) => slug === plan.slug && project === plan.project,
      )
      const closed = steps.filter(({ status }) => ['done', 'dropped'].includes(status))
      expect([plan.total, plan.done], plan.slug).toEqual([steps.length, closed.length])
    }
  })
})

const USUAL = ['pass', 'fail', 'partial', 'inconclusive']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
