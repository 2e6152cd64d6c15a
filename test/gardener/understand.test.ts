import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FORMS, splitMeant, understand } from '../../src/gardener/request/understand.ts'
import type { Understood } from '../../src/gardener/request/understood.ts'
import { scopeAt } from '../../src/projects/projects.ts'
import type { Agent } from '../helpers/agent.ts'
import { openHouse, type House } from '../helpers/house.ts'

describe('a request in words', () => {
  let house: House
  let agent: Agent
  /** Ids of memories, by project/name. */
  let ids: Record<string, string>
  beforeEach(async () => {
    house = await openHouse()
    agent = await house.inside('atlas')
    await house.inside('delta')
    ids = {}
  })
  afterEach(() => house[Symbol.asyncDispose]())

  const write = async (name: string, more: Record<string, unknown> = {}, by = agent) => {
    const { id, project } = await by.call('memory_write', {
      ...{ name, project: 'atlas', kind: 'gotcha' },
      ...{ description: `About ${name}`, body: `What ${name} says` },
      ...more,
    })
    ids[`${project}/${name}`] = id
    return id as string
  }
  const ask = async (words: string, { project = 'atlas', all = false } = {}) => {
    const scope = await scopeAt(house.app.kernel.db, project)
    return understand(house.app.kernel, { scope, all }, words)
  }
  const understood = async (words: string, where: object = {}): Promise<Understood> => {
    const read = await ask(words, where)
    expect(read, words).toBeDefined()
    return read!
  }
  /** The operations, with the names of what they are about in place of ids. */
  const operations = async (words: string, where: object = {}) => {
    const { operations } = await understood(words, where)
    const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]))
    return JSON.parse(JSON.stringify(operations), (_, value) => names.get(value) ?? value)
  }
  const targets = async (words: string, where: object = {}) =>
    (await operations(words, where)).map(({ target }: { target: string }) => target)
  const rows = (project: string, count: number, row: object) =>
    Promise.all(
      Array.from({ length: count }, (_, n) =>
        write(`${project}-${String(n).padStart(2, '0')}`, { project, ...row }),
      ),
    )

  describe('names a memory', () => {
    test.each([
      ['by its name', () => 'tide-tables'],
      ['by words that make its name', () => 'Tide Tables'],
      ['in quotes', () => '"tide tables"'],
      ['by a link', () => '[[tide-tables|the tables]]'],
      ['by its project and name', () => 'atlas/tide-tables'],
      ['by a link with its project', () => '[[atlas/tide-tables#Winter]]'],
      ['by its id', () => ids['atlas/tide-tables']!],
      ['by the beginning of its id', () => ids['atlas/tide-tables']!.slice(0, 25).toLowerCase()],
      ['as the memory that it is', () => 'the memory tide-tables'],
      ['the other way round', () => 'the tide-tables memory'],
      ['nearly', () => 'tide table'],
      ['by a part of its description', () => '"drifts in a cold winter"'],
    ])('%s', async (_, name) => {
      await write('tide-tables', {
        description: 'The gauge drifts in a cold winter, so read it twice',
      })
      await write('buoys')
      expect(await operations(`archive ${name()} because it is over`)).toEqual([
        { op: 'archive', target: 'atlas/tide-tables', reason: 'it is over' },
      ])
    })

    test('whose name holds an "and", unless its parts are memories as well', async () => {
      for (const name of ['search-and-rescue', 'tides', 'salt-and-sea-and-sand']) await write(name)
      expect(await targets('archive search and rescue and tides, salt and sea and sand')).toEqual([
        'atlas/search-and-rescue',
        'atlas/tides',
        'atlas/salt-and-sea-and-sand',
      ])
      await write('search')
      await write('rescue')
      expect(await understood('archive search and rescue')).toMatchObject({
        operations: [],
        skipped: ['"search and rescue" may mean several memories'],
        ambiguous: [
          { candidates: [{ name: 'search-and-rescue' }, { name: 'search' }, { name: 'rescue' }] },
        ],
      })
      expect(await targets('archive "search", "rescue"')).toEqual(['atlas/search', 'atlas/rescue'])
    })

    test.each([
      'archive buoys, not tide-tables',
      'archive buoys and keep tide-tables',
      'archive buoys, but leave tide-tables',
      'archive buoys, never the old tide-tables',
    ])('never where it is said to be left alone: %s', async (words) => {
      await write('tide-tables', { description: 'Do not trust them in winter' })
      await write('buoys')
      expect(await targets(words)).toEqual(['atlas/buoys'])
      const { skipped, ambiguous } = await understood(words)
      expect(skipped).toEqual([expect.stringContaining('may mean several memories')])
      expect(ambiguous).toMatchObject([{ candidates: [{ name: 'tide-tables' }] }])
    })

    test.each(['keep net dry', 'keep-nets-dryer', '"do not trust them in winters"'])(
      'that has such words itself: %s',
      async (name) => {
        await write('keep-nets-dry', { description: 'Do not trust them in winter' })
        expect(await targets(`archive ${name}`)).toEqual(['atlas/keep-nets-dry'])
      },
    )

    test('that is one of several, and is not guessed', async () => {
      await write('tides')
      await write('tides', { project: 'delta' })
      await write('harbor-lights-north')
      await write('harbor-lights-south')
      expect(await targets('archive tides')).toEqual(['atlas/tides'])
      expect(await understood('archive tides, buoys', { all: true })).toEqual({
        operations: [],
        skipped: [
          '"tides" may mean several memories',
          'there is no memory "buoys" where you asked',
        ],
        ambiguous: [
          {
            ref: 'tides',
            candidates: expect.arrayContaining([
              { id: ids['atlas/tides'], name: 'tides', project: 'atlas' },
              { id: ids['delta/tides'], name: 'tides', project: 'delta' },
            ]),
          },
        ],
      })
      const [{ candidates }] = (await understood('archive harbor-lights')).ambiguous as [any]
      expect(candidates.map(({ name }: { name: string }) => name).toSorted()).toEqual([
        ...['harbor-lights-north', 'harbor-lights-south'],
      ])
      expect(await targets('archive delta/tides')).toEqual(['delta/tides'])
    })

    test('with a slash before which a project happens to stand, after what lies in that project', async () => {
      await write('delta/buoys')
      expect(await targets('archive delta/buoys')).toEqual(['atlas/delta/buoys'])
      await write('buoys', { project: 'delta' })
      expect(await targets('archive delta/buoys')).toEqual(['delta/buoys'])
    })

    test('with its project, beside the project that it is moved from', async () => {
      await write('buoys')
      await write('tides', { project: 'delta' })
      const move = { op: 'reproject', target: 'atlas/buoys', to: 'delta' }
      expect(await operations('move atlas/buoys from atlas to delta')).toEqual([move])
      expect(await operations('move [[atlas/buoys]] from atlas to delta')).toEqual([move])
      const { skipped } = await understood('move delta/tides from atlas to delta')
      expect(skipped).toEqual(['there is no memory "delta/tides" where you asked'])
    })

    test('by its age among those that are meant', async () => {
      await write('tides')
      await house.moveClock('1 day')
      await write('tides', { project: 'delta' })
      await house.moveClock('2 days')
      await write('gauges')
      expect(await targets('archive the older tides', { all: true })).toEqual(['atlas/tides'])
      expect(await targets('archive the newest of tides', { all: true })).toEqual(['delta/tides'])
      expect(await targets('archive the older of gauges and atlas/tides')).toEqual(['atlas/tides'])
      expect(await ask('archive the older tides')).toBeUndefined()
      await write('the-older-tides')
      expect(await targets('archive the older tides', { all: true })).toEqual([
        'atlas/the-older-tides',
      ])
    })

    test('that is not there: a name is missed, prose is no request', async () => {
      await write('tides')
      expect(await understood('archive nowhere-at-all and "no such thing"')).toEqual({
        operations: [],
        ambiguous: [],
        skipped: [
          'there is no memory "nowhere-at-all" where you asked',
          'there is no memory "no such thing" where you asked',
        ],
      })
      for (const prose of [
        'archive the thing we discussed yesterday',
        'archive it',
        'drop everything and run',
        'move fast to break things',
        'this belongs in the trash',
        'make sense of a decision',
        'split the difference into fair parts',
        'merge the main branch into production',
        'tidy up',
      ]) {
        expect(await ask(prose), prose).toBeUndefined()
      }
    })

    test('that ended, which is no memory any more', async () => {
      await write('tides')
      await agent.call('memory_delete', { name: 'tides' })
      expect(await understood('archive tides')).toMatchObject({
        operations: [],
        skipped: ['there is no memory "tides" where you asked'],
      })
    })

    test('once, of twenty at most, and no longer than a name', async () => {
      await write('tides')
      expect(await targets('archive tides, Tides and [[tides]]')).toEqual(['atlas/tides'])
      const many = Array.from({ length: 25 }, (_, n) => `"none ${n}"`).join(', ')
      const { skipped } = await understood(`archive ${many}`)
      expect(skipped).toHaveLength(21)
      expect(skipped.at(-1)).toBe('5 more are named: ask for 20 at once')
      const long = await understood(`archive ${'x'.repeat(20_000)}`)
      expect(long.skipped).toEqual([`there is no memory "${'x'.repeat(200)}" where you asked`])
    })
  })

  describe('archives what fits', () => {
    test('by topic, age, kind and tag at once, and says why', async () => {
      await write('tide-gauge', { tags: ['Ops'], body: 'It drifts near Kap Horn.' })
      await write('tide-tables', { tags: ['ops'], kind: 'decision' })
      await write('gauges', { tags: ['ops'], body: 'Tidal gauges of the harbor' })
      await write('buoys')
      await write('tide-gauge', { project: 'delta', tags: ['ops'] })
      await house.moveClock('40 days')
      await write('young-tide-gauge', { tags: ['ops'] })

      expect(
        await operations(
          'archive anything about tide gauges older than 30 days tagged ops because done',
        ),
      ).toEqual([
        {
          op: 'archive',
          target: 'atlas/tide-gauge',
          reason: 'mentions tide, gauges; tagged ops; not changed for 40 days — done',
        },
      ])
      expect(await targets('archive anything about gauges')).toEqual([
        'atlas/tide-gauge',
        'atlas/gauges',
        'atlas/young-tide-gauge',
      ])
      expect(await targets('archive everything of kind decision')).toEqual(['atlas/tide-tables'])
      expect(await targets('archive all decisions about Kap Horn')).toEqual([])
      expect(await targets('archive anything about "Kap Horn"')).toEqual(['atlas/tide-gauge'])
      expect(await targets('archive everything older than 41 days')).toEqual([])
      expect(await targets('archive everything tagged ops in project delta')).toEqual([
        'delta/tide-gauge',
      ])
      expect(
        (await targets('archive all memories about gauges', { all: true })).toSorted(),
      ).toEqual([
        ...['atlas/gauges', 'atlas/tide-gauge', 'atlas/young-tide-gauge', 'delta/tide-gauge'],
      ])
    })

    test('without constraints, which it names, unless they are asked for', async () => {
      await write('tides')
      await write('tide-law', { kind: 'constraint', description: 'Never pass at high tides' })
      expect(await understood('archive anything about tides')).toMatchObject({
        operations: [{ op: 'archive', target: ids['atlas/tides'] }],
        skipped: [
          '1 constraint fits too and stays: atlas/tide-law; archive it by name if that is meant',
        ],
      })
      expect(await understood('archive all constraints about tides')).toMatchObject({
        operations: [{ target: ids['atlas/tide-law'] }],
        skipped: [],
      })
      expect(await targets('archive tide-law')).toEqual(['atlas/tide-law'])
    })

    test('twenty at once, those first that were not changed for longest, and says how many more fit', async () => {
      await rows('atlas', 22, { tags: ['ops'] })
      for (let n = 0; n < 7; n++) await write(`law-${n}`, { kind: 'constraint', tags: ['ops'] })
      const { operations, skipped } = await understood('archive everything tagged ops')
      expect(operations).toHaveLength(20)
      expect(new Set(operations.map(({ target }) => target)).size).toBe(20)
      expect(skipped).toEqual([
        '2 more fit: ask again once these 20 are decided',
        expect.stringMatching(
          /^7 constraints fit too and stay: .* and 2 more; archive them by name/,
        ),
      ])
    })

    test.each([
      ['archive anything about unicorns', 'no active memory about "unicorns" fits'],
      [
        'archive anything tagged x older than 2 days',
        'no active memory tagged x older than 2 days fits',
      ],
      ['archive anything about the', 'no word of "the" can be looked for: name the topic'],
      ['archive everything of kind poem', '"poem" is no kind: one of constraint, '],
      ['archive everything in project nowhere', 'there is no project "nowhere"'],
      [`archive all tagged ${'t, '.repeat(21)}t`, 'ask for 20 tags at most'],
    ])('%s: %s', async (words, reason) => {
      await write('tides')
      const { operations, skipped } = await understood(words)
      expect(operations).toEqual([])
      expect(skipped).toEqual([expect.stringContaining(reason)])
    })
  })

  describe('merges', () => {
    beforeEach(async () => {
      await write('tides')
      await house.moveClock('1 day')
      await write('gauges')
      await house.moveClock('2 days')
      await write('buoys')
    })
    const merged = (keep: string, ...drops: string[]) =>
      drops.map((drop) => ({ op: 'merge', keep: `atlas/${keep}`, drop: `atlas/${drop}` }))

    test.each([
      ['merge tides into gauges', merged('gauges', 'tides')],
      ['fold tides, buoys into gauges', merged('gauges', 'tides', 'buoys')],
      ['fold the older of tides and buoys into gauges', merged('gauges', 'tides')],
      ['tides and gauges are duplicates', merged('gauges', 'tides')],
      ['tides and gauges are duplicates, keep the older one', merged('tides', 'gauges')],
      ['tides and gauges are duplicates, keep Tides', merged('tides', 'gauges')],
      ['tides, gauges and buoys are duplicates', merged('buoys', 'tides', 'gauges')],
      ['merge buoys with tides, keep tides', merged('tides', 'buoys')],
    ])('%s', async (words, expected) => {
      expect(await understood(words)).toMatchObject({ skipped: [], ambiguous: [] })
      expect(await operations(words)).toEqual(expected)
    })

    test.each([
      ['merge tides into tides', 'both are the same memory, "tides"'],
      ['tides and "tides" are duplicates', 'all of them are the same memory, "tides"'],
      [
        'tides and gauges are duplicates, keep buoys',
        '"buoys" is none of the duplicates: keep one of them',
      ],
      [
        'tides and gauges are duplicates, keep nothing-at-all',
        'there is no memory "nothing-at-all" where you asked',
      ],
      [
        'tides, gauges and nothing-at-all are duplicates',
        'there is no memory "nothing-at-all" where you asked',
      ],
      ['merge tides into nothing-at-all', 'there is no memory "nothing-at-all" where you asked'],
    ])('%s: %s', async (words, reason) => {
      expect(await understood(words)).toMatchObject({ operations: [], skipped: [reason] })
    })

    test('into a memory that is not there: it says how to write one', async () => {
      expect((await understood('merge tides and gauges into sea-levels')).guidance).toContain(
        'consolidate A, B into NAME',
      )
    })

    test('what says the same, found in the store', async () => {
      const body =
        'The gauge in Bremerhaven drifts by 4 cm per winter; recalibrate it in March with the brass ' +
        'plumb line before the equinox survey.'
      await write('gauge-drift', {
        description: 'Recalibrate the Bremerhaven gauge in March',
        body,
      })
      await write('bremerhaven-gauge', {
        description: 'The Bremerhaven gauge: recalibrate it in March',
        body,
      })
      const [operation, ...others] = await operations('find duplicates')
      expect(others).toEqual([])
      expect([operation.keep, operation.drop].toSorted()).toEqual([
        ...['atlas/bremerhaven-gauge', 'atlas/gauge-drift'],
      ])
      expect(operation.reason).toMatch(/^they say the same: likeness 0\.\d\d$|1\.00$/)
      expect(await operations('find duplicates about Bremerhaven')).toHaveLength(1)
      expect(await understood('find duplicates about unicorns')).toMatchObject({
        operations: [],
        skipped: ['no two memories there are alike enough'],
      })
    })
  })

  describe('moves', () => {
    beforeEach(async () => {
      await write('tides', { tags: ['ops'] })
      await write('gauges', { kind: 'decision' })
      await write('everywhere', { project: 'global' })
    })
    const moved = (to: string, ...names: string[]) =>
      names.map((target) => ({ op: 'reproject', target, to }))

    test.each([
      ['move tides, gauges to delta', moved('delta', 'atlas/tides', 'atlas/gauges')],
      ['move tides to the Delta project', moved('delta', 'atlas/tides')],
      ['tides and gauges belong in delta', moved('delta', 'atlas/tides', 'atlas/gauges')],
      ['move tides to global', moved('global', 'atlas/tides')],
      ['move tides to the global scope', moved('global', 'atlas/tides')],
      ['move everywhere to this project', moved('atlas', 'global/everywhere')],
      ['move tides from atlas to delta', moved('delta', 'atlas/tides')],
      ['move "everywhere" from global to delta', moved('delta', 'global/everywhere')],
      ['move the older of tides and gauges from atlas to delta', moved('delta', 'atlas/tides')],
    ])('%s', async (words, expected) => {
      expect(await understood(words)).toMatchObject({ skipped: [], ambiguous: [] })
      expect(await operations(words)).toEqual(expected)
    })

    test('nothing to a project that is not there, and says what makes one', async () => {
      for (const words of [
        'move tides to nowhere',
        'tides belongs in nowhere',
        'move all decisions to nowhere',
      ]) {
        expect(await understood(words)).toEqual({
          ...{ operations: [], skipped: [], ambiguous: [] },
          guidance:
            'there is no project "nowhere": make it with project_create, or split one with gardener_split',
        })
      }
      expect(await understood('move tides from nowhere to delta')).toMatchObject({
        operations: [],
        skipped: ['there is no project "nowhere"'],
      })
      expect(await understood('move gauges from delta to atlas')).toMatchObject({
        operations: [],
        skipped: ['there is no memory "gauges" where you asked'],
      })
    })

    test('all that fits, as one plan', async () => {
      await write('buoys', { project: 'delta', tags: ['ops'] })
      const reason = (words: string) => ({ reason: words })
      expect(await understood('move everything tagged ops from atlas to delta')).toMatchObject({
        plan: 'move-atlas-delta',
        skipped: [],
      })
      expect(
        await operations('move everything tagged ops from atlas to delta because theirs'),
      ).toEqual([
        { ...moved('delta', 'atlas/tides')[0], ...reason('tagged ops; in atlas — theirs') },
      ])
      expect(await targets('move all decisions to delta')).toEqual(['atlas/gauges'])
      expect(await targets('move everything of kind gotcha from delta to atlas')).toEqual([
        'delta/buoys',
      ])
      expect(await understood('move everything tagged ops to global', { all: true })).toMatchObject(
        {
          plan: 'move-all-global',
          operations: [{}, {}],
        },
      )
      expect((await understood('move everything from atlas to atlas')).skipped).toEqual([
        'what is in atlas is there already',
      ])
      expect((await understood('move everything from nowhere to atlas')).skipped).toEqual([
        'there is no project "nowhere"',
      ])
    })

    test('twenty at once, and says how many more fit', async () => {
      await rows('delta', 23, { tags: ['many'] })
      const { operations, skipped } = await understood('move everything from delta to atlas')
      expect(operations).toHaveLength(20)
      expect(skipped).toEqual(['3 more fit: ask again once these 20 are decided'])
    })
  })

  test('makes memories another kind', async () => {
    await write('tides')
    await write('gotcha')
    for (const words of [
      'tides is a decision, not a gotcha',
      'make tides a decision',
      'reclassify tides as decision',
    ]) {
      expect(await operations(words)).toEqual([
        { op: 'rekind', target: 'atlas/tides', to: 'decision' },
      ])
    }
    expect(await operations('gotcha is a decision because we decided it')).toEqual([
      { op: 'rekind', target: 'atlas/gotcha', to: 'decision', reason: 'we decided it' },
    ])
    expect(await understood('reclassify tides as poem')).toMatchObject({
      operations: [],
      skipped: [expect.stringContaining('"poem" is no kind: one of constraint, convention')],
    })
  })

  test('splits a project, which is only said', async () => {
    expect(await understood('split Delta into Web App, api and "web app" shared core')).toEqual({
      ...{ operations: [], skipped: [], ambiguous: [] },
      split: { source: 'delta', children: ['web-app', 'api'], shared: 'core' },
    })
    expect((await understood('split this project')).split).toEqual({
      source: 'atlas',
      children: [],
    })
    expect(await understood('split nowhere into a and b')).toMatchObject({
      split: { children: ['a', 'b'] },
      guidance: 'there is no project "nowhere": project_list names all',
    })
    expect((await understood('split global')).guidance).toBe('the global scope is not split')
    expect(await ask('split atlas by team')).toBeUndefined()
    expect(splitMeant('into web and api, shared core')).toEqual({
      children: ['web', 'api'],
      shared: 'core',
    })
    expect(splitMeant('please split atlas into web and api')).toEqual({ children: ['web', 'api'] })
    expect(splitMeant('by team')).toBeUndefined()
  })

  test('consolidates what memories say, word for word and with where it is from', async () => {
    await write('tides', { body: 'High at noon.\n' })
    await write('gauges', { body: 'Read\n\nthem twice.' })
    await write('everywhere', { project: 'global', kind: 'runbook', body: 'Look out.' })
    expect(await operations('consolidate gauges and tides into Sea Levels')).toEqual([
      {
        op: 'consolidate',
        sources: ['atlas/gauges', 'atlas/tides'],
        name: 'Sea Levels',
        kind: 'gotcha',
        description: 'About gauges',
        body:
          '## gauges\n\nRead\n\nthem twice.\n\nFrom [[gauges]].\n\n' +
          '## tides\n\nHigh at noon.\n\nFrom [[tides]].\n',
      },
    ])
    const [operation] = await operations(
      'consolidate tides, everywhere into sea with description "All, and more"',
    )
    expect(operation).toMatchObject({ kind: 'reference', description: 'All, and more' })
    expect(operation.body).toContain('From [[global/everywhere]].')
    expect((await understood('consolidate tides, everywhere into sea')).skipped).toEqual([
      '"everywhere" is in global: the new memory will be in atlas',
    ])
    for (const [words, reason] of [
      [
        'consolidate tides, nothing-at-all into sea',
        'there is no memory "nothing-at-all" where you asked',
      ],
      ['consolidate tides and gauges into one', 'say what the new memory is called: … into NAME'],
      ['consolidate tides, "tides" into sea', 'name two memories or more'],
    ] as const) {
      expect(await understood(words)).toMatchObject({ operations: [], skipped: [reason] })
    }
  })

  test('asks for a digest of a project', async () => {
    expect(await operations('digest for delta of 2026-06')).toEqual([
      { op: 'digest', to: 'delta', reason: '2026-06' },
    ])
    expect(await operations('write a digest of this project')).toEqual([
      { op: 'digest', to: 'atlas' },
    ])
    expect(await operations('digest global')).toEqual([{ op: 'digest', to: 'global' }])
    expect((await understood('digest nowhere')).skipped).toEqual(['there is no project "nowhere"'])
    expect(await ask('digest what we did last week')).toBeUndefined()
  })

  test('says nothing of what is behind a fence: it answers as if it were not there', async () => {
    const insider = await house.inside('ledger', 'confidential')
    const sealed = await house.inside('crypt', 'sealed')
    const secret = { description: 'Where the silver canary lies', tags: ['silver'] }
    const [hidden, buried] = [
      await write('silver-canary', { project: 'ledger', ...secret }, insider),
      await write('golden-canary', { project: 'crypt', ...secret }, sealed),
    ]
    await write('tides')
    const UNKNOWN = '01K9ZC4T7Q8V2M5N6P3R1S0WXY'
    const pairs = [
      ['archive silver-canary', 'archive copper-finches'],
      ['archive "silver canary lies"', 'archive "copper finch sings"'],
      ['archive ledger/silver-canary', 'archive ledger/copper-finches'],
      [`archive ${hidden}`, `archive ${UNKNOWN}`],
      [`archive ${buried.slice(0, 24)}`, `archive ${UNKNOWN.slice(0, 24)}`],
      ['archive anything about canary', 'archive anything about finches'],
      ['archive everything tagged silver', 'archive everything tagged copper'],
      ['archive all gotchas in project ledger', 'archive all gotchas in project nowhere'],
      ['merge tides into silver-canary', 'merge tides into copper-finches'],
      ['silver-canary and tides are duplicates', 'copper-finches and tides are duplicates'],
      ['find duplicates about canary', 'find duplicates about finches'],
      ['move silver-canary to atlas', 'move copper-finches to atlas'],
      ['move tides to crypt', 'move tides to nowhere'],
      ['move everything from ledger to atlas', 'move everything from nowhere to atlas'],
      ['silver-canary is a decision', 'copper-finches is a decision'],
      ['consolidate tides, silver-canary into all', 'consolidate tides, copper-finches into all'],
      ['split ledger into a and b', 'split nowhere into a and b'],
      ['digest crypt', 'digest nowhere'],
    ] as const
    const plain = (answer: unknown) =>
      JSON.stringify(answer)
        .replaceAll(/silver[- ]canary( lies)?|copper[- ]finch(es)?( sings)?/g, 'X')
        .replaceAll(/canary|finches|silver|copper/g, 'Y')
        .replaceAll(/ledger|crypt|nowhere/g, 'P')
        .replaceAll(/01[0-9A-HJKMNP-TV-Z]{22,24}/g, 'ID')
    for (const where of [
      { project: 'atlas' },
      { project: 'atlas', all: true },
      { project: '', all: true },
    ]) {
      for (const [closed, absent] of pairs) {
        const answer = await understood(closed, where)
        expect(answer.operations, closed).toEqual([])
        expect(plain(answer), closed).toBe(plain(await understood(absent, where)))
      }
    }
    expect(await targets('archive silver-canary', { project: 'ledger' })).toEqual([
      'ledger/silver-canary',
    ])
    expect(await understood('archive tides', { project: 'crypt', all: true })).toMatchObject({
      operations: [],
      skipped: ['there is no memory "tides" where you asked'],
    })
  })

  test('fits nothing that its caller may read and not change', async () => {
    const insider = await house.inside('ledger', 'confidential')
    await write('tides', { tags: ['ops'] })
    await write('accounts', { project: 'ledger', tags: ['ops'] }, insider)
    const all = { project: 'ledger', all: true }
    expect(await targets('archive everything tagged ops', all)).toEqual(['ledger/accounts'])
    expect(await targets('archive everything tagged ops', { all: true })).toEqual(['atlas/tides'])
  })

  test('is proposed by gardener_request, and carried out by gardener_apply', async () => {
    await write('tides')
    await write('gauges')
    const asked = await agent.call('gardener_request', {
      request: 'Archive tides because the sea is gone; please',
    })
    expect(asked).toMatchObject({ total: 1, byKind: { archive: 1 }, skipped: [] })
    await agent.call('gardener_apply', { id: asked['created'][0] })
    expect(await agent.call('memory_read', { name: 'tides' })).toMatchObject({
      warning: expect.stringContaining('archived'),
    })
    const elsewhere = await house.inside('delta')
    const moving = await elsewhere.call('gardener_request', {
      request: 'move everything of kind gotcha from atlas to delta',
    })
    expect(moving).toMatchObject({ total: 1, byKind: { reproject: 1 } })
    const none = await agent.call('gardener_request', { request: 'tidy up' })
    expect(none).toMatchObject({ total: 0, guidance: expect.stringContaining(FORMS[0]!) })
  })

  test('never fails, whatever it is made of', async () => {
    await write('tides')
    for (const words of [
      ...[
        'archive \0',
        'archive "\ud800"',
        "archive ' or 1=1 --",
        'archive anything about !!!',
        'archive %',
      ],
      ...[
        "archive anything about ' & | ! :* \\",
        'move tides to ../../etc',
        'move tides to all',
        'digest ..',
      ],
      ...[
        'archive anything tagged "{a,b}"',
        'split \\ into / and :',
        `archive ${'tides and '.repeat(2_000)}gauges`,
      ],
      ...[
        `archive anything about ${'w0rd '.repeat(4_000)}`,
        `consolidate tides, tides into ${'n'.repeat(9_000)}`,
      ],
    ]) {
      const read = await ask(words)
      expect(read?.operations.length ?? 0, words.slice(0, 60)).toBeLessThanOrEqual(20)
    }
  })
})
