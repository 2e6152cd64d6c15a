import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Agent } from '../helpers/agent.ts'
import { openHouse } from '../helpers/house.ts'
import { research, tried } from '../helpers/research.ts'

const titles = async (agent: Agent, args: object = {}): Promise<string[]> =>
  (await agent.call('trial_query', { ...args }))['trials'].map(
    ({ title }: { title: string }) => title,
  )

describe('trial_query', () => {
  test('lists trials newest first, by lab and by outcome', async () => {
    await using house = await openHouse()
    await research(house)
    const agent = await house.inside('harbor')
    const trials = [
      ['one', 'tide-cache', 'pass'],
      ['two', 'tide-cache', 'fail'],
      ['three', 'other', 'fail'],
      ['four', 'other', ''],
    ]
    for (const [n, [title, lab, outcome]] of trials.entries()) {
      await house.moveClock(`${n} seconds`)
      await tried(agent, title!, { lab, outcome })
    }
    expect(await agent.call('trial_query', {})).toMatchObject({ lab: '' })
    expect(await titles(agent)).toEqual(['four', 'three', 'two', 'one'])
    expect(await titles(agent, { lab: 'tide-cache' })).toEqual(['two', 'one'])
    expect(await titles(agent, { outcome: 'fail' })).toEqual(['three', 'two'])
    expect(await titles(agent, { outcome: 'fai' })).toEqual([])
    expect(await titles(agent, { outcome: '' })).toEqual(['four'])
    expect(await titles(agent, { lab: 'tide' })).toEqual([])
    expect(await titles(agent, { limit: 1 })).toEqual(['four'])

    await agent.call('lab_open', { lab: 'other' })
    expect(await agent.call('trial_query', {})).toMatchObject({ lab: 'other' })
    expect(await titles(agent)).toEqual(['four', 'three'])
    expect(await titles(agent, { lab: '' })).toHaveLength(4)
  })

  test.each([
    [{ p95_ms: 41 }, ['LRU']],
    [{ p95_ms: 41, cores: 4 }, ['LRU']],
    [{ p95_ms: 41, cores: 8 }, []],
    [{ p95_ms: '41' }, []],
    [{ cores: 4 }, ['ARC', 'LRU']],
    [{ by: { b: 2, a: 1 } }, ['LRU']],
    [{ by: { a: 1 } }, []],
    [{ list: [1, 2] }, ['ARC']],
    [{ list: [2, 1] }, []],
    [{ list: [1] }, []],
    [{ warm: null }, ['ARC']],
    [{ cold: null }, []],
    [{}, ['plain', 'ARC', 'LRU']],
    ['{"cores": 4.0}', ['ARC', 'LRU']],
  ])('finds the trials whose metrics have equal values: %j', async (metrics_filter, expected) => {
    await using house = await openHouse()
    await research(house)
    const agent = await house.inside('harbor')
    await tried(agent, 'LRU', { metrics: { p95_ms: 41, cores: 4, by: { a: 1, b: 2 } } })
    await tried(agent, 'ARC', { metrics: { p95_ms: 12, cores: 4, list: [1, 2], warm: null } })
    await tried(agent, 'plain')
    expect(await titles(agent, { metrics_filter })).toEqual(expected)
  })

  test('finds with metrics exactly what going through all of them would', async () => {
    await using house = await openHouse()
    await research(house)
    const agent = await house.inside('harbor')
    const value = fc.oneof(
      fc.constantFrom(0, 1, -1, 1.5, true, false, null, '', 'a', '1'),
      fc.array(fc.constantFrom(1, 2, 'a'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('x', 'y'), fc.constantFrom(1, 'a'), {
        maxKeys: 2,
        noNullPrototype: true,
      }),
    )
    const metrics = fc.dictionary(fc.constantFrom('a', 'b', 'c'), value, {
      maxKeys: 3,
      noNullPrototype: true,
    })
    const all = fc.sample(metrics, { numRuns: 40, seed: 7 })
    for (const [i, one] of all.entries()) await tried(agent, `${i}`, { metrics: one })
    for (const filter of fc.sample(metrics, { numRuns: 60, seed: 8 })) {
      const expected = all.flatMap((one, i) =>
        Object.entries(filter).every(
          ([key, value]) => Object.hasOwn(one, key) && canonical(one[key]) === canonical(value),
        )
          ? [`${i}`]
          : [],
      )
      const found = await titles(agent, { metrics_filter: filter, limit: 200 })
      expect(found.toSorted(), JSON.stringify(filter)).toEqual(expected.toSorted())
    }
  })

  test('looks through every project that may be read, and fences never shorten a page', async () => {
    await using house = await openHouse()
    await research(house)
    const agents = {
      atlas: await house.inside('atlas'),
      ledger: await house.inside('ledger', 'confidential'),
      crypt: await house.inside('crypt', 'sealed'),
    }
    await tried(agents.atlas, 'world', { project: 'global' })
    await tried(agents.atlas, 'atlas')
    for (const name of ['ledger', 'crypt'] as const) {
      for (let n = 0; n < 5; n++) await tried(agents[name], name)
    }
    expect(await titles(agents.atlas, { limit: 2 })).toEqual(['atlas', 'world'])
    expect(new Set(await titles(agents.ledger))).toEqual(new Set(['atlas', 'world', 'ledger']))
    expect(new Set(await titles(agents.crypt))).toEqual(new Set(['crypt']))
    const stranger = await house.connect()
    expect(await titles(stranger)).toEqual(['atlas', 'world'])
  })

  test('answers no more than fits, and says so', async () => {
    await using house = await openHouse()
    await research(house)
    const agent = await house.inside('harbor')
    const text = '🌊'.repeat(1_000)
    const more = { changes: text, expected: text, actual: text }
    for (let n = 0; n < 90; n++) await tried(agent, `${n}`, more)
    const { trials, cut } = await agent.call('trial_query', { limit: 90 })
    expect([trials.length, cut]).toEqual([82, true])
    const few = await agent.call('trial_query', { limit: 82 })
    expect([few['trials'].length, few['cut']]).toEqual([82, undefined])
  })

  test('shows the beginning of long texts in a list, as lab_open does, and one trial whole by its id', async () => {
    await using house = await openHouse()
    await research(house)
    const agent = await house.inside('harbor')
    const log = { changes: 'ü'.repeat(20_000), expected: 'ü'.repeat(1_000), actual: 'a log' }
    const whole = await tried(agent, 'long', { ...log, metrics: { log: 'x'.repeat(1_500) } })
    const [id, lab] = [whole['id'], whole['lab']]
    const { metrics: _, ...said } = whole as Record<string, unknown>
    const listed = { ...said, changes: 'ü'.repeat(1_000), cut: true }

    const answers = [
      (await agent.call('trial_query', {}))['trials'],
      (await agent.call('lab_open', { lab }))['recent_trials'],
    ]
    expect(answers).toEqual([[listed], [listed]])
    await agent.call('lab_open', { lab: 'another' })
    expect(await agent.call('trial_query', { id: ` ${id} ` })).toEqual({ lab, trials: [whole] })
  })

  test('by an id tells a trial behind a fence from no trial at all to nobody', async () => {
    await using house = await openHouse()
    await research(house)
    const { id } = await tried(await house.inside('ledger', 'confidential'), 'secret')
    const stranger = await house.connect()
    for (const asked of [id, 'nothing']) {
      await expect(stranger.call('trial_query', { id: asked })).rejects.toThrow(
        `trial_query: no trial with id "${asked}"`,
      )
    }
  })

  test.each([
    [{ limit: 0 }, 'must be >= 1'],
    [{ limit: 201 }, 'must be <= 200'],
    [{ metrics_filter: 'fast' }, 'invalid metrics_filter: expected an object, got string'],
    [{ metrics_filter: '{"a": -1e999}' }, 'invalid metrics_filter.a: the number is too large'],
    [{ project: 'x' }, 'unknown parameter "project"'],
  ])('refuses %o', async (args, message) => {
    await using house = await openHouse()
    await research(house)
    const agent = await house.connect()
    await expect(agent.call('trial_query', args)).rejects.toThrow(message)
  })

  test('tells where, when and by whom each was recorded', async () => {
    await using house = await openHouse()
    await research(house)
    const agent = await house.connect()
    const { name } = await agent.call('session_start', { name: 'tide study', project: 'atlas' })
    const before = Date.now()

    const recorded = await tried(agent, 'one', { project: 'global' })

    expect(recorded).toMatchObject({ project: 'global', session: name })
    expect(Date.parse(recorded['created'])).toBeGreaterThanOrEqual(before - 1_000)
    const { trials } = await agent.call('trial_query', { lab: '' })
    expect(trials).toEqual([recorded])
    expect((await agent.call('lab_open', { lab: recorded['lab'] }))['recent_trials']).toEqual(
      trials,
    )
  })

  test('names no session of a project that the caller may not read', async () => {
    await using house = await openHouse()
    await research(house)
    const agent = await house.connect()
    await agent.call('session_start', { name: 'tide study', project: 'atlas' })
    await house.inside('ledger', 'confidential')
    const { id } = await tried(agent, 'one', {})
    const sessions = house.app.database.db.updateTable('sessions')
    await sessions.set({ project: 'ledger' }).where('name', '=', 'tide study').execute()

    const { trials } = await (await house.connect()).call('trial_query', { lab: '' })

    expect(trials).toMatchObject([{ id, project: 'atlas' }])
    expect(trials[0]).not.toHaveProperty('session')
  })
})

/** JSON with the keys of objects in order. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return JSON.stringify(value)
  }
  return `{${JSON.stringify(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))}}`
}
