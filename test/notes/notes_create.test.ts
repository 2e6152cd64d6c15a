import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'

describe('notes_create', () => {
  test('answers what the note is called from now on', async () => {
    await using house = await openHouse()
    const agent = await house.connect()

    const answer = await agent.call('notes_create', {
      title: 'Tide cache benchmark',
      body: '# Result\np95 41 ms',
      project: 'harbor',
      plan: 'tide-rework',
    })

    expect(answer).toEqual({
      id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
      slug: 'tide-cache-benchmark',
      title: 'Tide cache benchmark',
      project: 'harbor',
      project_created: true,
      plan: 'tide-rework',
    })
  })

  test('writes a markdown file that only its owner can read', async () => {
    await using house = await openHouse()
    const agent = await house.connect()

    const { id } = await agent.call('notes_create', {
      title: 'Queue latency study',
      description: 'p99 before and after',
      body: '# Result\r\n\ttwo  \n\n',
      project: 'orders',
      source_url: 'https://example.org/a?b=c#d',
      tags: 'x, y',
    })

    const path = join(house.dir, 'notes/orders/queue-latency-study.md')
    const text = await readFile(path, 'utf8')
    const time = /^(created|updated): \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/gm
    expect(text.match(time)).toHaveLength(2)
    expect(text.replaceAll(time, '$1: T')).toBe(
      [
        '---',
        `id: ${String(id)}`,
        'title: Queue latency study',
        'slug: queue-latency-study',
        'description: p99 before and after',
        'project: orders',
        'created: T',
        'updated: T',
        'source_url: https://example.org/a?b=c#d',
        'tags: [x, y, created-by:agent]',
        '---',
        '# Result\r\n\ttwo  \n\n',
      ].join('\n'),
    )
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await stat(join(house.dir, 'notes/orders'))).mode & 0o777).toBe(0o700)
  })

  test('joins a plan by its tag, and always says an agent wrote it', async () => {
    await using house = await openHouse()
    const agent = await house.connect()

    const { id } = await agent.call('notes_create', {
      title: 'A',
      content: 'B',
      project: 'atlas',
      plan: 'launch',
      tags: ['x', 'y', 'x'],
    })

    const note = await agent.call('notes_read', { id })
    expect(note['tags']).toEqual(['x', 'y', 'created-by:agent', 'plan:launch'])
  })

  test('registers an unknown project, named after its slug', async () => {
    await using house = await openHouse()
    const agent = await house.connect()

    await agent.call('notes_create', { title: 'A', body: 'B', project: 'new-one' })

    const { projects } = await agent.call('project_list')
    expect(projects).toEqual([
      expect.objectContaining({ slug: 'new-one', name: 'new-one', isolation: 'open' }),
    ])
  })

  test('keeps a note meant for everybody in the global scope', async () => {
    await using house = await openHouse()
    const agent = await house.connect()

    const { project } = await agent.call('notes_create', {
      title: 'A',
      body: 'B',
      project: 'global',
    })

    expect(project).toBe('global')
    await stat(join(house.dir, 'notes/_global/a.md'))
    expect(await agent.call('project_list')).toEqual({ projects: [] })
  })

  test('records one event with the title, about the note', async () => {
    await using house = await openHouse()
    const agent = await house.connect()

    const { id } = await agent.call('notes_create', { title: 'A', body: 'B', project: 'atlas' })

    expect(await house.events('note.written')).toEqual([
      expect.objectContaining({ item_id: id, project: 'atlas', payload: { title: 'A' } }),
    ])
  })

  test('refuses a slug that is taken in the project, and never suffixes it', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await agent.call('notes_create', { title: 'Tide tables', body: 'first', project: 'atlas' })

    await expect(
      agent.call('notes_create', { title: 'TIDE  tables!', body: 'second', project: 'atlas' }),
    ).rejects.toThrow(
      'notes_create: the slug "tide-tables" is taken by another note in atlas; ' +
        'choose another title, or change that note with notes_update or notes_append',
    )
    await agent.call('notes_create', { title: 'Tide tables', body: 'elsewhere', project: 'delta' })
    expect(await readFile(join(house.dir, 'notes/atlas/tide-tables.md'), 'utf8')).toContain('first')
  })

  test('lets exactly one of many that race for a slug have it', async () => {
    await using house = await openHouse()
    const agents = await Promise.all(Array.from({ length: 4 }, () => house.connect()))

    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) =>
        agents[n % 4]!.call('notes_create', { title: 'One', body: `try ${n}`, project: 'atlas' }),
      ),
    )

    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  describe('refuses', () => {
    test.each([
      [{ title: 'A', project: 'p' }, 'missing required: "body" (or "content", "text")'],
      [{ body: 'B', project: 'p' }, 'missing required: "title"'],
      [{ title: ' ', body: 'B', project: 'p' }, 'title must not be blank'],
      [{ title: 'A', body: ' \n', project: 'p' }, 'body must not be blank'],
      [{ title: 'a\\b', body: 'B', project: 'p' }, 'invalid title: it holds a NUL or a backslash'],
      [{ title: 'x'.repeat(256), body: 'B', project: 'p' }, 'invalid title: it is longer than 255'],
      [{ title: 'CON', body: 'B', project: 'p' }, 'invalid title: as a file name it is a device'],
      [
        { title: 'A', body: 'B' },
        'ambiguous scope: no session to infer from; pass project=<slug> or project=global. ' +
          'An unknown slug creates the project.',
      ],
      [{ title: 'A', body: 'B', project: 'all' }, 'project "all" is reserved'],
      [{ title: 'A', body: 'B', project: '../x' }, 'invalid project "../x": it holds'],
      [
        { title: 'A', body: 'B', project: 'My Project' },
        'invalid project "My Project": a new project\'s slug is lower-case letters and digits ' +
          'joined by "-"; did you mean "my-project"?',
      ],
    ])('%j', async (args, reason) => {
      await using house = await openHouse()
      const agent = await house.connect()

      await expect(agent.call('notes_create', args)).rejects.toThrow(`notes_create: ${reason}`)
      expect(await agent.call('project_list')).toEqual({ projects: [] })
    })
  })
})
