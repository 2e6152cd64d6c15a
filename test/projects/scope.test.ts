import { describe, expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'

const NOTE = { title: 'T', body: 'zebra' }

describe('a project that is not named', () => {
  test('is that of the session bound to the connection', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')

    expect(await agent.call('notes_create', NOTE)).toMatchObject({ project: 'atlas' })
    expect(await agent.call('notes_read', { slug: 't' })).toMatchObject({ project: 'atlas' })
  })

  test('is global when the bound session is', async () => {
    await using house = await openHouse()
    const agent = await house.inside('')

    expect(await agent.call('notes_create', NOTE)).toMatchObject({ project: 'global' })
  })

  test('is that of the one project where agents work through hooks, whichever they are', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await house.session('atlas', { ambient: true })
    await house.session('atlas', { ambient: true, model: 'm-2' })

    const { id } = await agent.call('notes_create', NOTE)

    const note = await agent.call('notes_read', { id })
    expect(note).toMatchObject({ project: 'atlas' })
    expect(note).not.toHaveProperty('model')
    expect(await house.events('note.written')).toMatchObject([{ session_id: null }])
  })

  test('is refused when agents work in several projects', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await agent.call('notes_create', { ...NOTE, project: 'atlas' })
    await house.session('atlas', { ambient: true })
    await house.session('', { ambient: true })

    await expect(agent.call('notes_create', NOTE)).rejects.toThrow(
      /notes_create: ambiguous scope: agents are at work in several projects; pass session=<your own handle, as your briefing says it; active are .+ \(.+\), .+ \(.+\)>, or pass project=<slug> or project=global\. An unknown slug creates the project\./,
    )
    await expect(agent.call('notes_read', { slug: 't' })).rejects.toThrow(
      /notes_read: ambiguous scope: .+ or pass project=<slug> or project=global\. Known projects: atlas\./,
    )
  })

  test('is never inferred to be one behind a fence', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await agent.call('project_create', { name: 'Ledger', isolation: 'confidential' })
    await house.session('ledger', { ambient: true })

    const calls: [string, Record<string, unknown>][] = [
      ['notes_create', NOTE],
      ['notes_read', { slug: 't' }],
      ['recall', { query: 'zebra' }],
    ]
    for (const [tool, input] of calls) {
      await expect(agent.call(tool, input)).rejects.toThrow(
        'project ledger is confidential; bind a session to it first',
      )
    }
  })

  test('no longer counts agents that fell silent six hours ago', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await house.session('atlas', { ambient: true })
    await house.moveClock('6 hours 1 minute')

    await expect(agent.call('notes_create', NOTE)).rejects.toThrow('no session to infer from')
  })

  test('means global for a look-up that has nothing to infer from', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await agent.call('notes_create', { ...NOTE, project: 'global' })

    expect(await agent.call('notes_read', { slug: 't' })).toMatchObject({ project: 'global' })
  })
})

describe('a project that is named', () => {
  test('comes before that of the session', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')

    expect(await agent.call('notes_create', { ...NOTE, project: 'delta' })).toMatchObject({
      project: 'delta',
    })
  })

  test('is global by either of its names', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')

    for (const [n, project] of ['global', '_global', ' global '].entries()) {
      const answer = await agent.call('notes_create', { title: `T${n}`, body: 'B', project })
      expect(answer).toMatchObject({ project: 'global' })
    }
  })

  test('leaves nothing behind when the caller may not write there', async () => {
    await using house = await openHouse()
    const agent = await house.inside('ledger', 'confidential')

    await expect(agent.call('notes_create', { ...NOTE, project: 'elsewhere' })).rejects.toThrow(
      'notes_create: session is bound to confidential project ledger and can write nowhere else',
    )
    const { projects } = await agent.call('project_list')
    expect(projects.map(({ slug }: { slug: string }) => slug)).toEqual(['ledger'])
  })

  test('lists thirty known projects and counts the rest', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    for (let n = 10; n < 42; n++) await agent.call('project_create', { name: `p${n}` })

    await expect(agent.call('notes_create', NOTE)).rejects.toThrow(
      /Known projects: p10, p11, .*, p39 \(\+2 more, see project_list\)\.$/,
    )
  })
})

describe('project_create', () => {
  test('answers what was made, and lists it', async () => {
    await using house = await openHouse()
    const agent = await house.connect()

    const answer = await agent.call('project_create', {
      name: 'Tide Tables',
      description: 'the sea',
      isolation: 'sealed',
    })

    expect(answer).toEqual({
      project_id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      slug: 'tide-tables',
      name: 'Tide Tables',
      isolation: 'sealed',
    })
    expect(await agent.call('project_list')).toEqual({
      projects: [
        {
          id: answer['project_id'],
          slug: 'tide-tables',
          name: 'Tide Tables',
          description: 'the sea',
          isolation: 'sealed',
        },
      ],
    })
  })

  describe('refuses', () => {
    test.each([
      [{}, 'missing required: "name"'],
      [{ name: ' ' }, 'name must not be blank'],
      [{ name: 'Two\nlines' }, 'invalid name "Two\\nlines": it spans more than one line'],
      [{ name: 'é'.repeat(200), slug: 'x' }, `invalid name "${'é'.repeat(100)}": it is longer`],
      [{ name: 'Global' }, 'project slug "global" is reserved; choose another'],
      [{ name: 'X', slug: '_global' }, 'project slug "_global" is reserved'],
      [{ name: 'ALL' }, 'project slug "all" is reserved'],
      [{ name: 'X', slug: 'Har bor' }, 'invalid project slug "Har bor"'],
      [{ name: 'X', slug: '../x' }, 'invalid project slug "../x": it holds'],
      [{ name: 'nul' }, 'invalid project slug "nul": it is a device name'],
      [
        { name: 'X', isolation: 'secret' },
        'invalid isolation "secret": valid values are open, confidential, sealed',
      ],
    ])('%j', async (args, reason) => {
      await using house = await openHouse()
      const agent = await house.connect()

      await expect(agent.call('project_create', args)).rejects.toThrow(`project_create: ${reason}`)
      expect(await house.files()).toEqual([])
    })

    test('a slug that exists, however it came to be', async () => {
      await using house = await openHouse()
      const agent = await house.connect()
      await agent.call('notes_create', { ...NOTE, project: 'atlas' })
      await agent.call('project_create', { name: 'Delta', isolation: 'sealed' })

      for (const name of ['Atlas', 'delta']) {
        await expect(agent.call('project_create', { name })).rejects.toThrow(
          `project_create: project slug "${name.toLowerCase()}" already exists`,
        )
      }
      const { projects } = await agent.call('project_list')
      expect(projects).toMatchObject([
        { slug: 'atlas', name: 'atlas' },
        { slug: 'delta', isolation: 'sealed' },
      ])
    })

    test('a session behind a fence, whose words must not leave it', async () => {
      await using house = await openHouse()
      for (const level of ['confidential', 'sealed'] as const) {
        const agent = await house.inside(`in-${level}`, level)
        await expect(agent.call('project_create', { name: 'Canary' })).rejects.toThrow(
          `project_create: session is bound to ${level} project in-${level} and can write nowhere else`,
        )
      }
    })
  })
})

describe('project_list', () => {
  test('takes no arguments and lists nobody when there is nobody', async () => {
    await using house = await openHouse()
    const agent = await house.connect()

    expect(await agent.call('project_list')).toEqual({ projects: [] })
    await expect(agent.call('project_list', { limit: 3 })).rejects.toThrow(
      'project_list: unknown parameter "limit"',
    )
  })

  test('is the same for everybody: that a project exists is no secret', async () => {
    await using house = await openHouse()
    const [outside, inside] = [await house.connect(), await house.inside('crypt', 'sealed')]
    expect(await inside.call('project_list')).toEqual(await outside.call('project_list'))
  })
})
