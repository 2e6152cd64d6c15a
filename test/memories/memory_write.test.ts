import { describe, expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'
import { byHand, fact, fileOf, recalls, remember, rowOf } from './given.ts'

describe('memory_write', () => {
  test('keeps one fact as a file that says everything in its order', async () => {
    await using house = await openHouse()
    const agent = await house.connect()

    const answer = await agent.call('memory_write', {
      name: 'Tide cache',
      kind: 'gotcha',
      description: 'The tide cache is never cold',
      body: 'It is filled at start.\n',
      project: 'harbor',
      tags: ['cache', 'tides'],
    })

    expect(answer).toEqual({
      id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      name: 'tide-cache',
      project: 'harbor',
      project_created: true,
      updated: false,
    })
    const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`
    expect(await fileOf(house, 'memory/harbor/tide-cache.md')).toMatch(
      new RegExp(
        [
          '^---',
          `id: ${answer['id']}`,
          'kind: gotcha',
          'name: tide-cache',
          'description: The tide cache is never cold',
          'project: harbor',
          `created: (${time})`,
          'updated: \\1',
          'valid_from: \\1',
          'invalid_at: null',
          'superseded_by: null',
          'tags: \\[cache, tides\\]',
          '---',
          'It is filled at start\\.',
          '$',
        ].join('\n'),
      ),
    )
    expect(await house.events('memory.written')).toMatchObject([
      {
        item_id: answer['id'],
        project: 'harbor',
        payload: { name: 'tide-cache', kind: 'gotcha', updated: false },
      },
    ])
  })

  test('writes a global one without a project in its head', async () => {
    await using house = await openHouse()
    const agent = await house.connect()

    const answer = await remember(agent, 'everywhere', { project: 'global' })

    expect(answer['project']).toBe('global')
    expect(await fileOf(house, 'memory/_global/everywhere.md')).not.toContain('project:')
  })

  test('stamps the session and the model that it comes from', async () => {
    await using house = await openHouse()
    const process = 'ab'.repeat(16)
    const session = await house.session('atlas', { model: 'claude-fable-5', process })
    const agent = await house.connect('alice', { 'loam-process': process })

    const { id } = await remember(agent, 'stamped', { project: undefined })

    expect(await rowOf(house, id)).toMatchObject({
      project: 'atlas',
      source_session: session,
      model: 'claude-fable-5',
    })
    expect(await fileOf(house, 'memory/atlas/stamped.md')).toContain(
      `source_session: ${session}\nmodel: claude-fable-5\n`,
    )
  })

  test('rewrites an active memory of the name in place and keeps what is not said anew', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await remember(agent, 'clock', { tags: ['time'] })
    await byHand(house, 'memory/atlas/clock.md', (text) =>
      text
        .replace('tags:', 'favorite: true\ntags:')
        .replace('\n---\nThe', '\nreviewed: ana\n---\nThe'),
    )
    const before = await rowOf(house, id)

    const answer = await agent.call('memory_write', {
      name: '  CLOCK ',
      kind: 'decision',
      description: 'Clocks are UTC',
      body: 'Always.',
      project: 'atlas',
    })

    expect(answer).toEqual({ id, name: 'clock', project: 'atlas', updated: true })
    const after = await rowOf(house, id)
    expect(after).toMatchObject({
      kind: 'decision',
      description: 'Clocks are UTC',
      body: 'Always.',
      favorite: true,
      tags: ['time'],
      created_at: before?.created_at,
      valid_from: before?.valid_from,
    })
    expect(after!.updated_at > before!.updated_at).toBe(true)
    expect(await fileOf(house, 'memory/atlas/clock.md')).toContain('\nreviewed: ana\n---\nAlways.')
    expect((await house.events('memory.written')).at(-1)?.payload).toMatchObject({ updated: true })
  })

  test('replaces the tags that are given, each once', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await remember(agent, 'tagged', { tags: ['a'] })

    await remember(agent, 'tagged', { tags: 'b, c, b' })

    expect((await rowOf(house, id))?.tags).toEqual(['b', 'c'])
  })

  test('cuts a description that is too long between words', async () => {
    await using house = await openHouse()
    const agent = await house.connect()

    const { id } = await remember(agent, 'wordy', { description: `${'word '.repeat(40)}end` })

    const description = (await rowOf(house, id))!.description
    expect([...description].length).toBeLessThanOrEqual(150)
    expect(description).toMatch(/^(word )+word…$/)
  })

  test('keeps a body byte for byte', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const body = '\r\n  one\r\ntwo  \n\n---\n\tthree 🧪'

    const { id } = await remember(agent, 'bytes', { body })

    expect((await agent.call('memory_read', { id }))['body']).toBe(body)
    expect((await fileOf(house, 'memory/atlas/bytes.md')).endsWith(`---\n${body}`)).toBe(true)
  })

  test('is found by recall at once', async () => {
    await using house = await openHouse()
    const agent = await house.connect()

    const { id } = await remember(agent, 'quokka', { body: 'Its habitat is Rottnest.' })

    expect(await recalls(agent, 'habitat rottnest', id)).toBe(true)
  })

  test('retires the memory that it supersedes in the same call', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id: old } = await remember(agent, 'tide-cache')

    const answer = await remember(agent, 'tide-cache-v2', { supersedes: 'Tide Cache' })

    expect(answer['superseded']).toBe('atlas/tide-cache')
    expect(await rowOf(house, old)).toMatchObject({
      invalid_at: expect.any(Date),
      superseded_by: answer['id'],
    })
    expect(await house.events('memory.superseded')).toMatchObject([
      {
        item_id: old,
        project: 'atlas',
        payload: { name: 'tide-cache', superseded_by: answer['id'] },
      },
    ])
  })

  test('retires a global memory only when it is named as one, and says so', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id: old } = await remember(agent, 'shared', { project: 'global' })

    await expect(remember(agent, 'own', { supersedes: 'shared' })).rejects.toThrow(
      'memory_write: "shared" is a memory of the global scope, which holds in every project: pass ' +
        'supersedes=global/shared to retire it everywhere',
    )
    expect(await rowOf(house, old)).toMatchObject({ invalid_at: null })
    expect(await house.files()).toEqual(['memory/_global/shared.md'])

    const answer = await remember(agent, 'own', { supersedes: 'global/shared' })

    expect(answer['superseded']).toBe('global/shared')
    expect((await rowOf(house, old))?.superseded_by).toBe(answer['id'])
    expect(await house.events('memory.superseded')).toMatchObject([
      { project: '', payload: { name: 'shared', superseded_by: answer['id'], heir: 'atlas/own' } },
    ])
  })

  test('takes its own name as superseded for nothing, and the same retirement twice for a success', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await remember(agent, 'old')

    const own = await remember(agent, 'new', { supersedes: 'new' })
    const first = await remember(agent, 'new', { supersedes: 'old' })
    const again = await remember(agent, 'new', { supersedes: 'old' })

    expect(own).not.toHaveProperty('superseded')
    expect(first['superseded']).toBe('atlas/old')
    expect(again['superseded']).toBe('atlas/old')
    expect(await house.events('memory.superseded')).toHaveLength(1)
  })

  test('asks for nothing of the vocabulary in vain: a stage without a status gets a hint', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const stage = (body: string) => remember(agent, 'gate', { kind: 'stage', body })

    expect((await stage('Waiting.'))['stage_hint']).toContain('no Status: line')
    expect((await stage('Status: paused'))['stage_hint']).toContain('"paused" is no status')
    expect(await stage('Status: done')).not.toHaveProperty('stage_hint')
    const { id } = await stage('# **Status:** `In_Progress`\n> gate: Human\n')
    expect(await rowOf(house, id)).toMatchObject({
      stage_status: 'in_progress',
      stage_gate: 'human',
    })
    const plain = await remember(agent, 'plain', { body: 'Status: open' })
    expect(await rowOf(house, plain['id'])).toMatchObject({ stage_status: '', stage_gate: '' })
  })

  test('asks which one is meant when the name is the printed one of another', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    await remember(agent, 'foo', { project: 'delta' })
    await remember(agent, 'bar')
    await remember(agent, 'rule', { project: 'global' })
    const write = (name: string) => remember(agent, name, { project: '' })

    for (const [name, project] of Object.entries({ foo: 'delta', bar: 'atlas', rule: 'global' })) {
      await expect(write(`${project}/${name}`)).rejects.toThrow(
        `"${project}/${name}" is a memory of its own: pass name=${name} and project=${project}`,
      )
    }
    expect(await house.files()).toHaveLength(3)
    expect(await write('delta/none')).toMatchObject({ name: 'delta-none', project: 'atlas' })
    await remember(agent, 'none', { project: 'delta' })
    expect(await write('delta/none')).toMatchObject({ name: 'delta-none', updated: true })
  })

  test('tells nothing of a printed name behind a fence', async () => {
    await using house = await openHouse()
    const inside = await house.inside('ledger', 'confidential')
    await remember(inside, 'foo', { project: 'ledger' })
    const agent = await house.inside('atlas')

    expect(await remember(agent, 'ledger/foo')).toMatchObject({ name: 'ledger-foo' })
  })

  describe('refuses', () => {
    test.each<[Record<string, unknown>, string]>([
      [{ name: ' ' }, 'memory_write: name, kind, description and body are all required'],
      [{ body: '\n' }, 'memory_write: name, kind, description and body are all required'],
      [{ description: '' }, 'memory_write: name, kind, description and body are all required'],
      [{ kind: '' }, 'memory_write: missing required: "kind" (one of constraint, convention,'],
      [{ kind: 'rule' }, 'memory_write: invalid kind "rule": valid values are constraint,'],
      [{ name: 'con' }, 'memory_write: invalid memory name "con": it is a device name'],
      [{ supersedes: 'nul' }, 'memory_write: invalid memory name "nul"'],
      [{ project: undefined }, 'memory_write: ambiguous scope: no session to infer from'],
      [{ project: '../x' }, 'memory_write: invalid project "../x"'],
    ])('%o', async (wrong, message) => {
      await using house = await openHouse()
      const agent = await house.connect()

      await expect(agent.call('memory_write', fact('x', wrong))).rejects.toThrow(message)
      expect(await house.files()).toEqual([])
    })

    test('a name that an inactive memory holds, until it is deleted', async () => {
      await using house = await openHouse()
      const agent = await house.connect()
      await remember(agent, 'held')
      await remember(agent, 'next', { supersedes: 'held' })

      await expect(remember(agent, 'held')).rejects.toThrow(
        'memory_write: the name "held" is still held in atlas by a superseded or archived memory; ' +
          'choose another name, or free this one with memory_delete',
      )
      await agent.call('memory_delete', { name: 'held', project: 'atlas' })
      expect(await remember(agent, 'held')).toMatchObject({ updated: false })
    })

    test('a file that cannot be understood, and changes nothing of it', async () => {
      await using house = await openHouse()
      const agent = await house.connect()
      await remember(agent, 'broken')
      await byHand(house, 'memory/atlas/broken.md', (text) => text.replace('id:', 'id: ['))
      const before = await house.sha256('memory/atlas/broken.md')

      await expect(remember(agent, 'broken')).rejects.toThrow('nothing was changed')
      expect(await house.sha256('memory/atlas/broken.md')).toBe(before)
    })
  })
})
