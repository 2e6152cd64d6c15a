import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hookPrompt } from '../../src/hooks/events.ts'
import type { Db } from '../../src/kernel/kernel.ts'
import { memoryRead } from '../../src/memories/events.ts'
import { recallMiss, retrievalInjected } from '../../src/recall/recall.ts'
import { rebuildShown, tidyShown } from '../../src/usage/usage.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { record } from '../helpers/record.ts'
import { ownerOf, type Owner } from './owner.ts'

/** By which way something comes before an agent. */
const WAYS = {
  start: { hook: 'session-start' },
  subagent: { hook: 'subagent-start' },
  prompt: { hook: 'user-prompt-submit' },
  recall: { source: 'recall', query: 'x' },
}

describe('the report of circulation', () => {
  let house: House
  let owner: Owner
  let memories: Record<string, string>
  beforeEach(async () => {
    house = await openHouse()
    owner = ownerOf(house)
    memories = {}
    for (const [name, kind, project] of [
      ['tide', 'constraint', 'atlas'],
      ['reef', 'gotcha', 'atlas'],
      ['quay', 'gotcha', 'atlas'],
      ['kelp', 'decision', 'delta'],
      ['moon', 'convention', 'global'],
    ] as const)
      await write(name, kind, project)
  })
  afterEach(() => house[Symbol.asyncDispose]())

  const write = async (name: string, kind: string, project: string) => {
    const agent = await house.connect()
    const about = { kind, description: `of ${name}`, body: `quokka ${name}`, project }
    memories[name] = String((await agent.call('memory_write', { name, ...about }))['id'])
    await house.app.kernel.telemetry.flush()
  }
  const about = (session: string | null, project = 'atlas') => ({
    by: { session: session ?? '', model: '' },
    project,
    item: null,
  })
  const show = (
    session: string,
    names: string[],
    {
      way = 'start',
      tokens = 0,
      project = 'atlas',
    }: {
      way?: keyof typeof WAYS
      tokens?: number
      project?: string
    } = {},
  ) =>
    record(house.app.kernel, retrievalInjected, {
      ...about(session, project),
      payload: {
        ...WAYS[way],
        item_ids: names.map((name) => memories[name]!),
        emitted_estimated_tokens: tokens,
      } as never,
    })
  const read = (session: string, name: string) =>
    record(house.app.kernel, memoryRead, {
      ...about(session),
      item: memories[name]!,
      payload: { name },
    })
  const prompt = (session: string, matched: boolean) =>
    house.app.kernel.telemetry.push(hookPrompt, {
      ...about(session),
      payload: { hook: 'user-prompt-submit', prompt: 'x', matched } as never,
    })
  const miss = (session: string, query: string) =>
    house.app.kernel.telemetry.push(recallMiss, {
      ...about(session),
      payload: { query } as never,
    })
  /** So long ago, as 3 days. */
  const past = async (ago: string, work: () => Promise<unknown>) => {
    await house.moveClock(`-${ago}`)
    await work()
    await house.app.kernel.telemetry.flush()
    await house.moveClock('0')
  }
  const json = async (query = ''): Promise<any> =>
    (await owner.json(`/console/retrieval${query}`)).body
  const page = async (query = ''): Promise<string> =>
    (await owner.get(`/console/retrieval${query}`)).text ?? ''
  const named = (rows: any[], ...fields: string[]) =>
    rows.map((row) => [row.name, ...fields.map((field) => row[field])])

  test('counts injections, their tokens, the memories and the sessions of the window, as the overview does', async () => {
    const [one, two] = [await house.session('atlas'), await house.session('atlas')]
    await past('10 minutes', () => show(one, ['tide', 'reef'], { tokens: 40 }))
    await past('1438 minutes', () => show(two, ['tide'], { tokens: 10 }))
    await past('1442 minutes', () => show(two, ['quay'], { tokens: 5 }))
    await past('3 days', () => show(two, ['tide', 'quay', 'moon'], { tokens: 6 }))
    await past('40 days', () => show(one, ['kelp'], { tokens: 5 }))
    for (const w of ['24h', '7d', '30d', 'all']) {
      const [report, overview] = [
        await json(`?w=${w}`),
        (await owner.json(`/console/?w=${w}`)).body,
      ]
      for (const name of [
        ...['injections', 'injectedTokens', 'memoriesSurfaced', 'activeMemories', 'reachRate'],
        ...['sessionsReached', 'window', 'windowLabel', 'trend'],
      ])
        expect(report[name], `${name} of ${w}`).toEqual(overview[name])
      const sum = report.trend.reduce((all: number, { count }: any) => all + count, 0)
      expect(sum, w).toBe(report.injections)
      expect(report.trendMax).toBe(Math.max(...report.trend.map(({ count }: any) => count)))
    }
    expect(await json()).toMatchObject({
      ...{ injections: 3, injectedTokens: 50, memoriesSurfaced: 2, activeMemories: 5 },
      ...{ reachRate: 40, sessionsReached: 2, createdInWindow: 5, retiredInWindow: 0 },
    })
    expect(await json('?w=7d')).toMatchObject({ injections: 7, memoriesSurfaced: 4 })
    expect(await json('?w=all')).toMatchObject({ injections: 8, memoriesSurfaced: 5 })
    const { status, body } = await owner.json('/console/retrieval?w=1y')
    expect([status, body.error]).toEqual([400, expect.stringContaining('24h, 7d, 30d, all')])
  })

  test('tells traffic by kind and coverage by project of the active memories, as they are now', async () => {
    const session = await house.session('atlas')
    await past('26 hours', () => show(session, ['reef', 'quay']))
    await past('2 hours', () => show(session, ['tide', 'reef', 'kelp'], { way: 'recall' }))
    await show(session, ['reef', 'moon'])
    await owner.post(`/console/memories/${memories['quay']!}/archive`)
    expect((await json()).byKind).toEqual([
      { kind: 'gotcha', injects: 2, memories: 1 },
      { kind: 'constraint', injects: 1, memories: 1 },
      { kind: 'convention', injects: 1, memories: 1 },
      { kind: 'decision', injects: 1, memories: 1 },
    ])
    const { byProject, retiredInWindow } = await json('?w=7d')
    expect(retiredInWindow).toBe(1)
    expect(byProject).toEqual([
      { project: '', surfaced: 1, active: 1, reachRate: 100, injects: 1, created: 1, retired: 0 },
      {
        project: 'atlas',
        surfaced: 2,
        active: 2,
        reachRate: 100,
        injects: 4,
        created: 3,
        retired: 1,
      },
      {
        project: 'delta',
        surfaced: 1,
        active: 1,
        reachRate: 100,
        injects: 1,
        created: 1,
        retired: 0,
      },
    ])
    await write('idle', 'gotcha', 'harbor')
    expect(await page()).toMatch(/Nothing was shown of<\/span><span class="tag">.*?harbor<\/a> 1</)
  })

  test('cuts the projects by pages', async () => {
    const session = await house.session('atlas')
    for (let n = 0; n < 17; n++) await write(`memory-${n}`, 'gotcha', `project-${n}`)
    await show(session, Object.keys(memories))
    const rows = (text: string) => text.match(/id="scope-/g)?.length
    expect(rows(await page())).toBe(15)
    expect(await page()).toMatch(/href="\/console\/retrieval\?page=2" rel="next">5 more</)
    expect(rows(await page('?page=2'))).toBe(5)
    expect(await page('?w=7d')).toContain('/console/retrieval?w=7d&amp;page=2')
    expect((await json('?page=2')).byProject).toHaveLength(20)
  })

  test('names what is put before agents most, into how many sessions, and how often it is read', async () => {
    const [one, two, three] = [
      await house.session('atlas'),
      await house.session('atlas'),
      await house.session('atlas'),
    ]
    await past('10 days', () => show(one, ['kelp', 'reef']))
    await past('26 hours', async () => {
      await show(two, ['reef', 'tide'])
      await read(two, 'reef')
    })
    await past('3 hours', () => show(one, ['reef', 'tide']))
    await past('2 hours', () => show(two, ['reef']))
    await show(two, ['reef'], { way: 'recall' })
    await read(three, 'reef')
    const fields = ['injects', 'sessions', 'reads']
    expect(named((await json()).topInjected, ...fields)).toEqual([
      ['reef', 3, 2, 1],
      ['tide', 1, 1, 0],
    ])
    expect(named((await json('?w=7d')).topInjected, ...fields)).toEqual([
      ['reef', 4, 2, 2],
      ['tide', 2, 2, 0],
    ])
    await show(three, ['kelp'])
    expect(named((await json('?w=all')).topInjected, ...fields)).toEqual([
      ['reef', 5, 2, 2],
      ['tide', 2, 2, 0],
      ['kelp', 2, 2, 0],
    ])
    expect((await json()).topInjected[0]).toMatchObject({
      ...{ id: memories['reef'], kind: 'gotcha', project: 'atlas', favorite: false },
      ...{ updated: expect.any(String), lastInjected: expect.any(String) },
    })
  })

  test('names at most twelve of them', async () => {
    const session = await house.session('atlas')
    for (let n = 0; n < 14; n++) await write(`memory-${n}`, 'gotcha', 'atlas')
    await show(session, Object.keys(memories))
    expect((await json()).topInjected).toHaveLength(12)
  })

  test('lists as stale what was neither changed, shown nor read for 90 days, whatever the window', async () => {
    const session = await house.session('atlas')
    expect(await page()).toContain('Every active memory was changed, shown or read within 90 days.')
    await house.moveClock('80 days')
    await show(session, ['tide'])
    await read(session, 'reef')
    const agent = await house.connect()
    await agent.call('memory_append', { name: 'quay', project: 'atlas', body: 'more' })
    await house.moveClock('91 days')
    for (const w of ['24h', 'all']) {
      const { stale, staleDays, staleTotal } = await json(`?w=${w}`)
      expect(named(stale, 'injects'), w).toEqual([
        ['kelp', 0],
        ['moon', 0],
      ])
      expect([staleDays, staleTotal]).toEqual([90, 2])
    }
    await agent.call('memory_delete', { name: 'kelp', project: 'delta' })
    expect(named((await json()).stale)).toEqual([['moon']])
  })

  test('rates the demand: what was given at a start and asked for in the same window', async () => {
    const [one, two] = [await house.session('atlas'), await house.session('atlas')]
    const none = await json()
    expect([none.briefingSurfaced, 'demandRate' in none]).toEqual([0, false])
    await past('3 days', () => show(one, ['tide', 'reef', 'quay', 'kelp', 'moon']))
    await past('2 days', () => read(one, 'tide'))
    await past('2 hours', () => show(one, ['tide', 'reef', 'quay', 'kelp']))
    await past('1 hour', () => show(two, ['reef'], { way: 'recall' }))
    await show(two, ['quay'], { way: 'prompt' })
    expect(await json()).toMatchObject({
      ...{ briefingSurfaced: 4, demandedOfSurfaced: 2, demandRate: 50 },
    })
    expect(await json('?w=7d')).toMatchObject({
      ...{ briefingSurfaced: 5, demandedOfSurfaced: 3, demandRate: 60 },
    })
  })

  test('judges waste over 30 days, whatever the window', async () => {
    const session = await house.session('atlas')
    expect('wasteShare' in (await json())).toBe(false)
    await past('40 days', () => read(session, 'kelp'))
    await past('20 days', () => read(session, 'reef'))
    await past('3 days', () => show(session, ['kelp', 'quay'], { tokens: 100 }))
    await past('2 hours', () => show(session, ['reef', 'kelp', 'tide', 'moon'], { tokens: 80 }))
    // Of four equal parts three belong to what nobody asked for within 30 days.
    expect((await json()).wasteShare).toBe(75)
    expect((await json('?w=7d')).wasteShare).toBe(89)
    const agent = await house.connect()
    await agent.call('memory_delete', { name: 'moon', project: 'global' })
    expect((await json()).wasteShare).toBe(50)
  })

  test('tells prompts that matched nothing from those that matched, and searches in vain apart', async () => {
    const session = await house.session('atlas')
    const none = await json()
    expect(none).toMatchObject({ recallMisses: 0, promptMatches: 0, toolMisses: 0 })
    expect('missRate' in none).toBe(false)
    await past('50 hours', async () => {
      await prompt(session, false)
      await miss(session, 'zeppelin')
    })
    await past('90 minutes', async () => {
      await prompt(session, false)
      await prompt(session, true)
      await show(session, ['reef', 'tide'], { way: 'prompt' })
      await miss(session, 'Zeppelin ')
      await miss(session, 'airship')
    })
    expect(await json()).toMatchObject({
      ...{ recallMisses: 1, promptMatches: 2, missRate: 33, toolMisses: 2 },
    })
    expect(await json('?w=7d')).toMatchObject({
      ...{ recallMisses: 2, promptMatches: 2, missRate: 50, toolMisses: 3 },
    })
    const text = await page('?w=7d')
    expect(text.match(/id="vain-/g)).toHaveLength(2)
    expect(text).toMatch(/title="Zeppelin ">[\s\S]*?<td class="end">2<\/td>/)
  })

  test('tells of each start what was shown, and what of it was followed up within 24 hours', async () => {
    const [one, two, far] = [
      await house.session('atlas'),
      await house.session('atlas'),
      await house.session('delta'),
    ]
    await past('9 days', () => show(one, ['moon']))
    await past('5 days', () => show(one, ['tide', 'reef', 'quay']))
    await past('98 hours', () => read(two, 'tide'))
    await past('95 hours', () => read(two, 'reef'))
    await past('5 hours', () => show(one, ['reef', 'kelp'], { way: 'subagent' }))
    await past('4 hours', () => show(two, ['reef'], { way: 'recall' }))
    await past('3 hours', () => show(two, ['quay'], { way: 'prompt' }))
    await read(far, 'kelp')
    const starts = async (w: string) =>
      (await json(`?w=${w}`)).funnelBySurface.map((row: any) => Object.values(row))
    expect(await starts('24h')).toEqual([
      ['session-start', 0, 0, 0],
      ['subagent-start', 2, 2, 1, 50],
    ])
    // Tide was read within the day, reef an hour later than that.
    expect(await starts('7d')).toEqual([
      ['session-start', 3, 3, 1, 33],
      ['subagent-start', 2, 2, 1, 50],
    ])
    expect(await starts('all')).toEqual([
      ['session-start', 4, 4, 1, 25],
      ['subagent-start', 2, 2, 1, 50],
    ])
    expect((await json()).funnelFollowHours).toBe(24)
  })

  test('names dead weight, and never a constraint or a stage', async () => {
    const [one, two] = [await house.session('atlas'), await house.session('atlas')]
    await write('phase', 'stage', 'atlas')
    await past('45 days', () => read(one, 'reef'))
    await past('20 days', () => read(one, 'quay'))
    await past('2 days', () => show(one, ['reef', 'quay', 'kelp', 'tide', 'phase', 'moon']))
    await past('1 hour', () => show(two, ['reef', 'quay', 'tide', 'phase']))
    await past('30 minutes', () => show(two, ['kelp'], { way: 'recall' }))
    expect(named((await json()).deadWeight, 'injects')).toEqual([['reef', 1]])
    const { deadWeight, deadTotal } = await json('?w=7d')
    expect(named(deadWeight, 'injects')).toEqual([
      ['reef', 2],
      ['moon', 1],
    ])
    expect(deadTotal).toBe(2)
  })

  test('says of dead weight whether nothing was given, nothing that counts, or whether all was asked for', async () => {
    const session = await house.session('atlas')
    const said = async (query = '') => {
      const [section = ''] = /<section id="dead"[\s\S]*?<\/section>/.exec(await page(query)) ?? []
      const [, words] = /<p class="overview-quiet">([\s\S]*?)<\/p>/.exec(section) ?? []
      return {
        words: words?.replace(/<[^>]+>/g, '').trim(),
        isGood: section.includes('glyph--done'),
      }
    }
    const within = 'in the last 24 hours'
    const nothing = { words: `No active memory was given at a start ${within}.`, isGood: false }
    await past('40 hours', () => show(session, ['reef']))
    await show(session, ['quay'], { way: 'recall' })
    expect(await said()).toEqual(nothing)
    expect(await said('?w=7d')).toEqual({ words: undefined, isGood: false })
    await show(session, ['tide'])
    expect(await said()).toEqual({
      words: `Only constraints and stages were given at a start ${within}.`,
      isGood: false,
    })
    await show(session, ['quay'])
    expect(await said()).toEqual({
      words: `Every active memory that was given at a start ${within} was found, matched or read in the last 30 days, constraints and stages aside.`,
      isGood: true,
    })
    await show(session, ['kelp'])
    expect(await said()).toEqual({ words: undefined, isGood: false })
    for (const name of ['tide', 'quay', 'kelp'])
      await owner.post(`/console/memories/${memories[name]!}/archive`)
    expect(await said()).toEqual(nothing)
  })

  test('names eight of it at most, and says of how many', async () => {
    const session = await house.session('atlas')
    for (let n = 0; n < 10; n++) await write(`memory-${n}`, 'gotcha', 'atlas')
    await show(session, Object.keys(memories))
    const { deadWeight, deadTotal } = await json()
    expect([deadWeight.length, deadTotal]).toEqual([8, 14])
    expect(await page()).toContain('8 of 14')
  })

  test('draws reach, delivery and the trend, each with words and a table', async () => {
    const session = await house.session('atlas')
    await show(session, ['tide', 'reef'])
    await show(session, ['reef'], { way: 'recall' })
    const text = await page()
    expect(text).toMatch(/<svg[^>]*aria-label="Memory reach: 40 %"/)
    expect(text).toMatch(/id="figure-retrieval-reach"[\s\S]*?2 of 5 active/)
    const steps = [...text.matchAll(/id="step-(\w+)"[\s\S]*?<td class="age end">(\d+)<\/td>/g)]
    expect(steps.map(([, name, n]) => [name, n])).toEqual([
      ['active', '5'],
      ['shown', '2'],
      ['briefed', '2'],
      ['asked', '1'],
    ])
    expect(text).toContain('at a start <b>2</b>')
    expect(text).toContain('by a search <b>1</b>')
    expect(text).toMatch(/<summary>As a table<\/summary>[\s\S]*?at a start 2, by a search 1/)
    const [, href] = /<td><a href="([^"]+)">[^<]+<\/a><\/td><td class="end">3</.exec(text)!
    const { rows } = (await owner.json(href!.replaceAll('&amp;', '&'))).body
    const shown = rows.filter(({ kind }: any) => kind === 'retrieval.injected')
    expect(shown.length).toBeGreaterThan(0)
  })

  test('names the days of a trend by the hour, each where it begins', async () => {
    await show(await house.session('atlas'), ['tide'])
    const text = await page('?w=24h')
    const [, axis = ''] = /<p class="volume-axis">([\s\S]*?)<\/p>/.exec(text)!
    const labels = [...axis.matchAll(/<span>([^<]*)/g)].map(([, label]) => label!)
    const days = labels.filter((label) => /^[A-Z]\w\w \d\d \d\d:00$/.test(label))
    expect(days).toHaveLength(2)
    expect(labels[0]).toBe(days[0])
    expect(labels.filter((label) => /^\d\d:00$/.test(label))).toHaveLength(labels.length - 2)
    expect(new Set(labels).size).toBe(labels.length)
    const [, bar] = /<td><a href="[^"]+">([^<]+)<\/a><\/td><td class="end">1</.exec(text)!
    expect(bar).toMatch(/^[A-Z]\w\w \d\d \d\d:00$/)
    expect((await json('?w=24h')).trend[0].label).toMatch(/^\d\d:00$/)
  })

  test('says how the figures moved, as a difference where a share would mislead', async () => {
    const session = await house.session('atlas')
    await past('30 hours', () => show(session, ['tide', 'reef'], { tokens: 100 }))
    await past('2 hours', () => show(session, ['tide', 'reef', 'quay'], { tokens: 150 }))
    const moved = (text: string) =>
      [...text.matchAll(/id="figure-retrieval-(\w+)"[\s\S]*?<\/div>\s*(?=<div|<\/div>)/g)].map(
        ([part, name]) => [name, /figure-delta[^>]*>([^<]+)</.exec(part)?.[1]],
      )
    const vitals = async (w: string) => Object.fromEntries(moved(await page(w)))
    expect(await vitals('')).toMatchObject({ injections: '▲ 1', reached: 'flat', tokens: '▲ 50 %' })
    await past('1 hour', () => show(session, ['kelp'], { tokens: 400 }))
    expect(await vitals('')).toMatchObject({ injections: '▲ 2', tokens: '▲ 450' })
    expect(await vitals('?w=all')).toMatchObject({ injections: undefined, tokens: undefined })
  })

  test('draws reach with its aim, and says how it moved since the window before', async () => {
    const session = await house.session('atlas')
    const reach = async (query = '') => {
      const [part = ''] =
        /id="figure-retrieval-reach"[\s\S]*?<\/div>\s*<\/div>/.exec(await page(query)) ?? []
      return {
        drawn: /class="(ring-share[^"]*)"[^>]*stroke-dasharray="([^"]+)"/.exec(part)?.slice(1),
        aim: [/class="ring-aim" d="([^"]+)"/.exec(part)?.[1], /(aim [^<]+)</.exec(part)?.[1]],
        value: /class="figure-value"[^>]*>([^<]+)</.exec(part)?.[1],
        delta: /class="(figure-delta[^"]*)">([^<]+)</.exec(part)?.slice(1),
        of: /<p>([^<]+ active)<\/p>/.exec(part)?.[1],
      }
    }
    // At 55 of 100 clockwise from the top, from a radius of 44 to one of 60 around 60 60.
    const aim = ['M46.4 101.8L41.5 117.1', 'aim ≥ 55 %']
    await past('30 hours', () => show(session, ['kelp', 'moon', 'quay']))
    const lost = { aim, drawn: undefined, delta: ['figure-delta figure-delta--bad', '▼ 60 pt'] }
    expect(await reach()).toEqual({ ...lost, value: '0', of: '0 of 5 active' })
    await past('2 hours', () => show(session, ['tide']))
    expect(await reach()).toEqual({
      ...{ aim, value: '20', of: '1 of 5 active' },
      drawn: ['ring-share ring-share--missed', '65.3 326.7'],
      delta: ['figure-delta figure-delta--bad', '▼ 40 pt'],
    })
    for (const name of ['reef', 'quay', 'kelp']) await show(session, [name])
    expect(await reach()).toEqual({
      ...{ aim, value: '80', of: '4 of 5 active' },
      drawn: ['ring-share', '261.4 326.7'],
      delta: ['figure-delta figure-delta--good', '▲ 20 pt'],
    })
    expect((await json()).reachRate).toBe(80)
    expect(await reach('?w=7d')).toMatchObject({
      ...{ value: '100', drawn: ['ring-share', '326.7 326.7'] },
      delta: ['figure-delta figure-delta--good', '▲ 100 pt'],
    })
    await past('10 days', () => show(session, ['tide', 'reef', 'moon', 'kelp', 'quay']))
    expect(await reach('?w=7d')).toMatchObject({ value: '100', delta: ['figure-delta', 'flat'] })
    expect(await reach('?w=all')).toMatchObject({ value: '100', delta: undefined })
  })

  test('counts what was written and what ended in the window, and not in the one before', async () => {
    const end = (name: string) => owner.post(`/console/memories/${memories[name]!}/archive`)
    await past('40 days', () => write('ancient', 'gotcha', 'atlas'))
    await past('10 days', async () => {
      await write('elder', 'gotcha', 'delta')
      await end('ancient')
    })
    await past('40 hours', async () => {
      await write('late', 'gotcha', 'atlas')
      await write('brief', 'gotcha', 'delta')
      await end('elder')
    })
    await past('2 hours', () => end('brief'))
    await end('reef')
    const figures = async (w: string) => {
      const text = await page(`?w=${w}`)
      const valueOf = (name: string) =>
        Number(
          new RegExp(
            `id="figure-retrieval-${name}"[\\s\\S]*?class="figure-value"[^>]*>(\\d+)<`,
          ).exec(text)?.[1],
        )
      const { createdInWindow, retiredInWindow, byProject } = await json(`?w=${w}`)
      expect([valueOf('created'), valueOf('retired')], w).toEqual([
        createdInWindow,
        retiredInWindow,
      ])
      const scopes = byProject.map((row: any) => [row.project, row.created, row.retired])
      return [createdInWindow, retiredInWindow, scopes]
    }
    expect(await figures('24h')).toEqual([
      5,
      2,
      [
        ['', 1, 0],
        ['atlas', 3, 1],
        ['delta', 1, 1],
      ],
    ])
    expect(await figures('7d')).toEqual([
      7,
      3,
      [
        ['', 1, 0],
        ['atlas', 4, 1],
        ['delta', 2, 2],
      ],
    ])
    expect(await figures('30d')).toEqual([
      8,
      4,
      [
        ['', 1, 0],
        ['atlas', 4, 2],
        ['delta', 3, 2],
      ],
    ])
    expect(await figures('all')).toEqual([
      9,
      4,
      [
        ['', 1, 0],
        ['atlas', 5, 2],
        ['delta', 3, 2],
      ],
    ])
  })

  test('draws a long time in few bars, and counts each day all the same', async () => {
    const session = await house.session('atlas')
    await past('400 days', () => show(session, ['tide', 'reef']))
    await past('399 days', () => show(session, ['tide']))
    await past('200 days', () => show(session, ['tide', 'reef'], { way: 'recall' }))
    await show(session, ['reef'])
    const { trend, injections } = await json('?w=all')
    expect([trend.length, injections]).toEqual([401, 6])
    const text = await page('?w=all')
    expect(text.match(/class="hit"/g)!.length).toBeLessThanOrEqual(120)
    expect(text).toMatch(/<title>[^<]+ – [^<]+: 3 \(at a start 3\)<\/title>/)
  })

  test('says of a store in which nothing was shown that there is nothing', async () => {
    await using fresh = await openHouse()
    const { text, status } = await ownerOf(fresh).get('/console/retrieval?w=all')
    expect(status).toBe(200)
    expect(text).toContain('no memory yet')
    expect(text).toContain('Nothing was put before an agent since the beginning.')
    expect(text).toMatch(/id="figure-retrieval-demand"[\s\S]*?<a class="figure-value"[^>]*>–</)
  })

  test('is where the vitals of the overview lead, with their window', async () => {
    const { vitals } = (await owner.json('/console/?w=7d')).body
    expect(vitals.map(({ id, href }: any) => [id, href])).toEqual([
      ['overview-reach', '/console/retrieval?w=7d'],
      ['overview-continuity', '/console/sessions?w=7d&retained=no'],
      ['overview-injections', '/console/retrieval?w=7d#delivery'],
      ['overview-reached', '/console/retrieval?w=7d'],
    ])
  })

  describe('is kept', () => {
    const TABLES = {
      memory_reach: sql`select id, project, kind, active, created_at, updated_at, ended_at, last_at, hours, days, times,
        round(tokens::numeric, 6) as tokens, briefed, sessions, briefed_at, wanted_at from memory_reach order by id`,
      shown_memories: sql`select unit, since, r.id, k.times, round(k.tokens::numeric, 6) as tokens, k.briefed, k.sessions
        from shown_memories k join memory_reach r on r.number = k.memory
        where unit = 'day' or since > loam_now() - interval '32 days' order by 1, 2, 3`,
      shown_surfaces: sql`select * from shown_surfaces order by unit, since, surface`,
      shown_totals: sql`select unit, since, sum(injections) i, sum(tokens) t, sum(memories) m, sum(sessions) s
        from shown_totals group by 1, 2 order by 1, 2`,
      miss_totals: sql`select * from miss_totals order by unit, since`,
      kept_totals: sql`select unit, since, sum(total) n, sum(covered) c, sum(findings) f, sum(memories) m, sum(notes) o,
        sum(trials) t from kept_totals group by 1, 2 having sum(total) > 0 order by 1, 2`,
      session_items: sql`select session_id, item_id, last_shown_at from session_items where shown_at is not null order by 1, 2`,
    }
    const kept = async () =>
      Object.fromEntries(
        await Promise.all(
          Object.entries(TABLES).map(async ([name, query]) => [
            name,
            (await query.execute(house.app.kernel.db)).rows,
          ]),
        ),
      )
    const happen = async () => {
      const sessions = [await house.session('atlas'), await house.session('delta')]
      const agent = await house.connect()
      const ages = ['70 days', '26 days', '8 days', '50 hours', '25 hours', '6 hours', '2 hours']
      for (const [n, ago] of ages.entries()) {
        const session = sessions[n % 2]!
        await past(ago, async () => {
          await show(session, n % 3 === 0 ? ['tide', 'reef', 'moon'] : ['quay', 'reef'], {
            tokens: n,
          })
          await show(session, ['kelp'], { way: n % 2 ? 'recall' : 'prompt' })
          await read(session, 'tide')
          await prompt(session, n % 2 === 0)
          await miss(session, 'x')
        })
      }
      await agent.call('session_start', { name: 'writer', project: 'atlas' })
      await agent.call('notes_create', { title: 'N', body: 'b' })
      await agent.call('session_end', { findings: 'All is well.' })
      await agent.call('memory_delete', { name: 'quay', project: 'atlas' })
      await house.app.kernel.telemetry.flush()
    }

    test('as it happens as it would be counted from the log, in whatever zone', async () => {
      await happen()
      const before = await kept()
      await rebuildShown(house.app.kernel)
      expect(await kept()).toEqual(before)
      const counts = (tables: Record<string, any[]>) =>
        tables['memory_reach']!.map(({ times }) => times)
      await sql`select rebuild_shown('Asia/Kathmandu')`.execute(house.app.kernel.db)
      const elsewhere = await kept()
      expect(counts(elsewhere)).toEqual(counts(before))
      expect(elsewhere['miss_totals']).toEqual(before['miss_totals'])
      expect((await json('?w=30d')).injections).toBe(
        (await json('?w=30d')).trend.reduce((sum: number, { count }: any) => sum + count, 0),
      )
      await sql`select rebuild_shown('UTC')`.execute(house.app.kernel.db)
      expect(await kept()).toEqual(before)
    })

    test('while the log drops what was asked in vain', async () => {
      await happen()
      const before = await json('?w=all')
      await sql`delete from events where kind in ('hook.prompt', 'recall.miss')`.execute(
        house.app.kernel.db,
      )
      await rebuildShown(house.app.kernel)
      expect((await json('?w=all')).toolMisses).toBe(before.toolMisses)
    })

    test('of misses that the log holds and nothing else counted, once and no more', async () => {
      await happen()
      const before = await kept()
      expect(before['miss_totals']!.length).toBeGreaterThan(10)
      const { db } = house.app.kernel
      // As after a change of version that counted only what was still to be told.
      await sql`delete from miss_totals where since < loam_now() - interval '1 day'`.execute(db)
      await sql`update miss_totals set prompts = 0, told = 0`.execute(db)
      for (let n = 0; n < 2; n++) {
        await rebuildShown(house.app.kernel)
        const { miss_totals: now } = await kept()
        const days = (rows: any[]) => rows.filter(({ unit }) => unit === 'day')
        expect(days(now!)).toEqual(days(before['miss_totals']!))
        const late = (rows: any[]) =>
          rows.filter(({ since }) => Date.now() - since.getTime() < 30 * 86_400_000)
        expect(late(now!)).toEqual(late(before['miss_totals']!))
      }
    })

    test('of what was followed up when it had been shown, also from an export that does not say so', async () => {
      await happen()
      const { db } = house.app.kernel
      const pulled = async () =>
        (
          await sql<any>`select project, id, surface, pulled_at from item_uses
            where pulled order by project, id, surface`.execute(db)
        ).rows
      const before = await pulled()
      expect(before.length).toBeGreaterThan(0)
      for (const { pulled_at } of before) expect(pulled_at).toBeInstanceOf(Date)
      await sql`update item_uses set pulled_at = null`.execute(db)
      await rebuildShown(house.app.kernel)
      expect(await pulled()).toEqual(before)
    })

    test('in few rows, however long ago it was', async () => {
      await happen()
      const figures = async () =>
        Promise.all(['24h', '7d', '30d', 'all'].map((w) => json(`?w=${w}`)))
      const before = await figures()
      const old = async () =>
        (
          await sql<{ n: number }>`select count(*)::int as n from shown_memories
            where since < loam_now() - interval '33 days'`.execute(house.app.kernel.db)
        ).rows[0]!.n
      expect(await old()).toBeGreaterThan(0)
      const sums = async () =>
        (
          await sql<any>`select since, sum(total)::int as total, sum(covered)::int as covered, sum(notes)::int as notes,
            count(*)::int as rows from kept_totals where unit = 'day' group by since order by since`.execute(
            house.app.kernel.db,
          )
        ).rows
      const { db } = house.app.kernel
      // Sessions of one day, as two backends have counted them.
      for (const slot of [7, 8])
        await sql`
          insert into kept_totals (unit, since, slot, total, covered, findings, memories, notes, trials)
          values ('day', date_trunc('day', loam_now(), owner_zone()) - interval '9 days', ${slot}, 3, 2, 1, 0, 2, 0)`.execute(
          db,
        )
      const [first] = await sums()
      expect(first).toMatchObject({ total: 6, covered: 4, notes: 4, rows: 2 })
      await tidyShown(house.app.kernel)
      expect(await old()).toBe(0)
      expect((await sums())[0]).toEqual({ ...first, rows: 1 })
      await sql`delete from kept_totals where since = ${first.since}`.execute(db)
      await tidyShown(house.app.kernel)
      expect(await figures()).toEqual(before)
    })

    test('of a memory whose file is gone, and comes back', async () => {
      const session = await house.session('atlas')
      await show(session, ['reef'])
      const { db } = house.app.kernel
      const row = await sql<any>`select * from memories where id = ${memories['reef']!}`.execute(db)
      await sql`delete from memories where id = ${memories['reef']!}`.execute(db)
      expect(await json()).toMatchObject({
        activeMemories: 4,
        memoriesSurfaced: 0,
        createdInWindow: 4,
      })
      await sql`insert into memories select * from jsonb_populate_record(null::memories,
        ${JSON.stringify(row.rows[0])}::jsonb)`.execute(db)
      expect(await json()).toMatchObject({
        activeMemories: 5,
        memoriesSurfaced: 1,
        createdInWindow: 5,
      })
    })

    /** Changes of all memories, each by a statement of its own. */
    const change = (db: Db, times: number) =>
      sql
        .raw(
          `do $$ begin for i in 1..${times} loop update memories set updated_at = updated_at; end loop; end $$`,
        )
        .execute(db)

    test('under one number for ever, however often a memory changes', async () => {
      const { db, telemetry } = house.app.kernel
      const session = await house.session('atlas')
      await telemetry.flush()
      const { rows } = await sql<{ name: string; last: string }>`
        select s as name, last_value as last from pg_sequences, pg_get_serial_sequence('memory_reach', 'number') s
        where schemaname || '.' || sequencename = s`.execute(db)
      const [{ name, last } = { name: '', last: '' }] = rows
      const standAt = (value: string) =>
        sql`select setval(${name}::regclass, ${value}::bigint)`.execute(db)
      // Numbers for two memories are left.
      await standAt(String(2 ** 31 - 3))
      try {
        await change(db, 20)
        await telemetry.flush()
        await write('squid', 'gotcha', 'atlas')
        await show(session, ['squid', 'reef'])
        expect(await json()).toMatchObject({
          injections: 2,
          memoriesSurfaced: 2,
          activeMemories: 6,
        })
      } finally {
        await standAt(last)
      }
    })

    test('at once, though thousands of changes of memories are still to be told', async () => {
      const session = await house.session('atlas')
      const { db, telemetry } = house.app.kernel
      await telemetry.flush()
      await db.transaction().execute(async (together) => {
        // All at once, so that nobody tells of them in between.
        await sql`insert into untold_memories (ids)
          select array[id] from memories, generate_series(1, 600)`.execute(together)
        await record({ ...house.app.kernel, db: together }, retrievalInjected, {
          ...about(session),
          payload: {
            ...WAYS.start,
            item_ids: [memories['reef']!],
            emitted_estimated_tokens: 7,
          } as never,
        })
        await sql`select tell_events(200)`.execute(together)
        const told = await sql<any>`
          select (select count(*) from untold)::int as events, (select count(*) > 2000 from untold_memories) as waiting,
            (select times::int from memory_reach where id = ${memories['reef']!}) as times`.execute(
          together,
        )
        expect(told.rows).toEqual([{ events: 0, waiting: true, times: 1 }])
      })
      expect(await json()).toMatchObject({ injections: 1, injectedTokens: 7, memoriesSurfaced: 1 })
    })

    test('of a memory that is shown before anything was told of it, behind many other changes', async () => {
      const session = await house.session('atlas')
      await change(house.app.kernel.db, 250)
      const agent = await house.connect()
      const about = { kind: 'gotcha', description: 'of squid', body: 'quokka', project: 'atlas' }
      memories['squid'] = String(
        (await agent.call('memory_write', { name: 'squid', ...about }))['id'],
      )
      await show(session, ['squid', 'tide'])
      expect(await json()).toMatchObject({
        ...{ injections: 2, memoriesSurfaced: 2, activeMemories: 6 },
      })
      await owner.post(`/console/memories/${memories['squid']}/archive`)
      expect(await json()).toMatchObject({ injections: 2, memoriesSurfaced: 1, retiredInWindow: 1 })
      const { rows } = await sql<{ n: number }>`
        select count(*)::int as n from untold_memories`.execute(house.app.kernel.db)
      expect(rows).toEqual([{ n: 0 }])
    })
  })
})
