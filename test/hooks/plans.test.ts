import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { approveComposition, listPlans } from '../../src/plans/plans.ts'
import { expireSilent } from '../../src/sessions/sessions.ts'
import { connect } from '../helpers/agent.ts'
import { callHook, fixture } from '../helpers/call-hook.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { ownerScope } from '../../src/projects/projects.ts'

const REPO = {
  repo: 'git@github.com:acme/orders.git',
  repo_root: '/home/ana/src/orders',
  git_head: '0123456789ab',
}
const START = fixture('claude-code/session-start', REPO)
const WRITE = fixture('claude-code/post-tool-use.write', REPO)
const EDIT = fixture('claude-code/post-tool-use.edit', REPO)
const AGREE = fixture('claude-code/post-tool-use.exit-plan-mode', REPO)
const PRESENT = fixture('claude-code/permission-request', REPO)
const RUN = fixture('claude-code/subagent-stop', REPO)

const ACK = { continue: true, suppressOutput: true }

const notes = ({ app }: House) =>
  app.kernel.db.selectFrom('notes').selectAll().orderBy('slug').execute()

const tagsOf = async (house: House, slug = 'cc-plan-quiet-river') =>
  (await notes(house)).find((note) => note.slug === slug)?.tags ?? []

const tasks = ({ app }: House) => app.kernel.db.selectFrom('tasks').selectAll().execute()

const file = (path: string) => ({
  ...WRITE,
  tool_input: { ...(WRITE['tool_input'] as object), file_path: path },
})

describe('a plan that Claude Code makes', () => {
  test('is captured, presented, changed and approved, as its hooks report', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)

    const first = await callHook(house, 'post-tool-use', WRITE)
    expect(first.body.hookSpecificOutput?.hookEventName).toBe('PostToolUse')
    expect(first.context).toMatch(/^<loam-plan-context id="[0-9a-f]{16}">/)
    expect(first.context).toContain('tasks_add plan=retry-failed-orders')
    expect(await notes(house)).toMatchObject([
      { slug: 'cc-plan-quiet-river', project: 'orders', title: 'Retry failed orders' },
    ])

    expect((await callHook(house, 'permission-request', PRESENT)).body).toEqual(ACK)
    expect(await tagsOf(house)).toContain('plan-status:presented')

    // Only the first capture of a plan is told of.
    expect((await callHook(house, 'post-tool-use', EDIT)).body).toEqual(ACK)
    const [changed] = await notes(house)
    expect(changed!.body).toContain('2. Retry with $& and backoff.')
    expect(changed!.body).toContain('| iter 2 | git 0123456789ab |')
    expect(changed!.tags).toContain('plan-status:draft')

    const agreed = await callHook(house, 'post-tool-use', AGREE)
    expect(agreed.context).toContain('Your plan is approved')
    expect(await tagsOf(house)).toContain('plan-status:approved')
    const [task] = await tasks(house)
    expect(task).toMatchObject({
      title: 'Implement plan: Retry failed orders',
      plan: 'retry-failed-orders',
      created_by: expect.stringMatching(/^cc\//),
    })
    expect(agreed.context).toContain(task!.id)

    const session = await house.app.kernel.db.selectFrom('sessions').select('id').execute()
    const kinds = ['plan.captured', 'plan.presented', 'plan.approved', 'task.transition']
    for (const kind of kinds) {
      for (const { session_id } of await house.events(kind)) expect(session_id).toBe(session[0]!.id)
    }
    expect(await house.events('plan.captured')).toHaveLength(2)
    expect(await house.events('plan.approved')).toHaveLength(1)
  })

  test('keeps its slug, and so its steps, when an agent replaces the tags of its note', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    await callHook(house, 'post-tool-use', WRITE)
    const agent = await house.connect()
    const { id } = (await notes(house))[0]!
    await agent.call('notes_update', { id, tags: ['important'] })
    const own = ['plan:retry-failed-orders', 'cc-plan', 'plan-status:draft']
    expect(await tagsOf(house)).toEqual(['important', ...own])

    const content = '# Retry what failed, with backoff\n\n1. Find them.\n'
    await callHook(house, 'post-tool-use', {
      ...WRITE,
      tool_input: { ...(WRITE['tool_input'] as object), content },
    })
    expect(await tagsOf(house)).toEqual(expect.arrayContaining(['important', ...own]))

    await agent.call('notes_update', { id, tags: ['plan:orders', 'x'] })
    expect(await tagsOf(house)).toEqual(['plan:orders', 'x', 'cc-plan', 'plan-status:draft'])
    await agent.call('notes_update', { id, tags_remove: ['plan:orders', 'cc-plan'] })
    expect(await tagsOf(house)).toEqual(['x', 'plan-status:draft'])
  })

  test('is not kept, and its user reads why, when an edit would make it larger than 4 MiB', async () => {
    await using house = await openHouse()
    const { body } = await callHook(house, 'post-tool-use', {
      ...EDIT,
      plan_file_text: '',
      tool_input: {
        ...(EDIT['tool_input'] as object),
        old_string: ' ',
        new_string: 'x'.repeat(20_000),
        replace_all: true,
      },
      tool_response: { originalFile: ' '.repeat(20_000) },
    })
    const why = 'Loam post-tool-use: the plan is larger than 4 MiB and is not kept'
    expect(body).toEqual({ ...ACK, systemMessage: why })

    const written = { ...(WRITE['tool_input'] as object), content: 'q'.repeat(5_000_000) }
    const whole = { ...WRITE, plan_file_text: '', tool_input: written }
    expect((await callHook(house, 'post-tool-use', whole)).body.systemMessage).toBe(why)
    expect(await notes(house)).toEqual([])
  })

  test('is taken from the text of its file, when its client’s machine sends it', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    const edit = { ...EDIT, tool_response: {}, plan_file_text: '# From the file\n\nAll of it.' }
    await callHook(house, 'post-tool-use', edit)
    expect(await notes(house)).toMatchObject([{ title: 'From the file' }])
  })

  test('is not captured from a change whose whole text is unknown', async () => {
    await using house = await openHouse()
    await callHook(house, 'post-tool-use', { ...EDIT, tool_response: {} })
    expect(await notes(house)).toEqual([])
  })

  test('is found in the project of its directory when no session was begun', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', { ...START, session_id: '' })
    const { context } = await callHook(house, 'post-tool-use', WRITE)
    expect(context).toContain('retry-failed-orders')
    expect(await notes(house)).toMatchObject([{ project: 'orders' }])
    expect((await notes(house))[0]!.body).toMatch(/^> captured from no session \|/)
  })

  test('approved without any file is known by its title, and by what the session remembers', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    const bare = { ...AGREE, tool_input: {}, tool_response: { plan: '# Only a text\n\nDo it.' } }
    await callHook(house, 'post-tool-use', bare)
    expect((await notes(house)).map(({ slug }) => slug)).toEqual(['cc-plan-only-a-text'])

    await callHook(house, 'post-tool-use', WRITE)
    const silent = { ...AGREE, tool_input: {}, tool_response: 'ok' }
    await callHook(house, 'post-tool-use', silent)
    expect(await tagsOf(house)).toContain('plan-status:approved')
  })

  test('is dropped when its hook names neither file nor text', async () => {
    await using house = await openHouse()
    const silent = { ...AGREE, tool_input: {}, tool_response: null }
    expect((await callHook(house, 'post-tool-use', silent)).body).toEqual(ACK)
    expect(
      (await callHook(house, 'permission-request', { ...PRESENT, tool_input: 1 })).body,
    ).toEqual(ACK)
    expect(await notes(house)).toEqual([])
  })

  test('stays as it is when its note cannot be understood, and the problem is named', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    await callHook(house, 'post-tool-use', WRITE)
    const path = join(house.dir, 'notes/orders/cc-plan-quiet-river.md')
    const broken = (await readFile(path, 'utf8')).replace('title: ', 'title: [')
    await writeFile(path, broken)
    const trouble =
      "the note's file notes/orders/cc-plan-quiet-river.md cannot be understood: its head is not YAML"

    for (const [name, payload] of [
      ['post-tool-use', EDIT],
      ['permission-request', PRESENT],
      ['post-tool-use', AGREE],
    ] as const) {
      const { body } = await callHook(house, name, payload)
      expect(body.systemMessage).toContain(trouble)
    }
    await expect(
      approveComposition(
        house.app.kernel,
        ownerScope(),
        'retry-failed-orders',
        undefined,
        'console',
      ),
    ).rejects.toThrow(trouble)
    expect(await readFile(path, 'utf8')).toBe(broken)
  })

  test('is not captured when the owner wants none', async () => {
    await using house = await openHouse({ env: { LOAM_PLAN_CAPTURE_ENABLED: 'false' } })
    await callHook(house, 'session-start', START)
    expect((await callHook(house, 'post-tool-use', WRITE)).body).toEqual(ACK)
    await callHook(house, 'subagent-stop', RUN)
    expect(await notes(house)).toEqual([])
  })
})

test('files that are no plans are ignored', async () => {
  await using house = await openHouse()
  for (const path of [
    '/home/ana/src/orders/README.md',
    '/home/ana/.claude/plans/../secrets.md',
    '/home/ana/.claude/plans/deep/x.md',
    '/home/ana/.claude/plans/x.txt',
    '',
  ]) {
    expect((await callHook(house, 'post-tool-use', file(path))).body).toEqual(ACK)
  }
  const read = { ...WRITE, tool_name: 'Read' }
  expect((await callHook(house, 'post-tool-use', read)).body).toEqual(ACK)
  expect(await notes(house)).toEqual([])
  expect(await house.events('hook.error')).toEqual([])
})

describe('what is known about a plan', () => {
  async function known(house: House) {
    const agent = await house.inside('orders')
    const { id } = await agent.call('memory_write', {
      name: 'retry-storms',
      kind: 'gotcha',
      description: 'Retrying failed orders at once brings the queue down',
      body: 'Use jitter.',
    })
    const { db } = house.app.kernel
    const note = await agent.call('notes_create', {
      title: 'Retry failed orders elsewhere',
      body: 'From the web.',
      source_url: 'https://example.com/',
    })
    return { id, page: note['id'] as string, db }
  }

  test('is injected at its first capture, each item with the tool that reads it, without captured pages', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    const { id, page } = await known(house)
    const { context } = await callHook(house, 'post-tool-use', WRITE)

    expect(context).toContain('memory_read name=retry-storms project=orders')
    expect(context).not.toContain('elsewhere')
    const injected = (await house.events('retrieval.injected')).filter(
      ({ payload }) => payload['hook'] === 'post-tool-use',
    )
    expect(injected).toMatchObject([
      { project: 'orders', payload: { item_ids: [id], content: context } },
    ])
    expect(JSON.stringify(injected)).not.toContain(page)
  })

  test('does not count as demand', async () => {
    await using house = await openHouse()
    const { id, db } = await known(house)
    await callHook(house, 'session-start', START)
    await callHook(house, 'post-tool-use', WRITE)
    await house.app.kernel.telemetry.flush()
    const credits = await db
      .selectFrom('item_credits')
      .selectAll()
      .where('item_id', '=', id as string)
      .execute()
    expect(credits).toEqual([])
  })

  test('is not injected when the owner wants none', async () => {
    await using house = await openHouse({ env: { LOAM_PLAN_CAPTURE_INJECT_RELATED: 'false' } })
    await known(house)
    await callHook(house, 'session-start', START)
    expect((await callHook(house, 'post-tool-use', WRITE)).context).not.toContain('retry-storms')
  })
})

describe('a planning subagent', () => {
  test('leaves what it found, which the plan is joined to', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    const told = { spawn_prompt: 'Where do retries live?', report: 'In src/queue.ts, whole.' }
    expect((await callHook(house, 'subagent-stop', { ...RUN, ...told })).body).toEqual(ACK)
    const slug = 'cc-agent-a1b2c3d4e5f60718'
    const [note] = await notes(house)
    expect(note).toMatchObject({ slug, title: '[Explore] Where do retries live?' })
    expect(note!.body).toContain('## Report\n\nIn src/queue.ts, whole.')

    await callHook(house, 'post-tool-use', WRITE)
    expect(await tagsOf(house, slug)).toContain('plan:retry-failed-orders')
  })

  test('is kept from the client’s own payload, too', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    await callHook(house, 'subagent-stop', RUN)
    expect((await notes(house))[0]!.body).toContain('Retries live in src/queue.ts')
  })

  test('outside of plan mode, or with Codex, leaves nothing', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    await callHook(house, 'subagent-stop', { ...RUN, permission_mode: 'default' })
    await callHook(house, 'subagent-stop', fixture('codex/subagent-stop'), {
      query: '?client=codex',
    })
    expect(await notes(house)).toEqual([])
  })
})

describe('a plan that is not where its session works', () => {
  const elsewhere = { repo: '', repo_root: '/home/ana/src/reef', cwd: '/home/ana/src/reef' }
  const runs = async (house: House) =>
    (await notes(house)).filter(({ slug }) => slug.startsWith('cc-agent'))

  test('is neither joined nor told in another project, to which its session went', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    await callHook(house, 'post-tool-use', WRITE)
    const moved = await callHook(house, 'session-start', {
      ...{ ...START, ...elsewhere, source: 'compact' },
    })
    expect(moved.context).not.toContain('retry-failed-orders')

    await callHook(house, 'subagent-stop', { ...RUN, ...elsewhere, permission_mode: 'default' })
    expect(await runs(house)).toEqual([])
    await callHook(house, 'subagent-stop', { ...RUN, ...elsewhere })
    expect(await runs(house)).toMatchObject([{ project: 'reef' }])
    const { plans } = await listPlans(house.app.kernel, ownerScope(), { project: 'reef' })
    expect(plans).toEqual([])

    // Saved there, it is another plan, of which its agent is told, and that has the run.
    const again = await callHook(house, 'post-tool-use', { ...WRITE, ...elsewhere })
    expect(again.context).toContain('tasks_add plan=retry-failed-orders')
    expect((await runs(house))[0]!.tags).toContain('plan:retry-failed-orders')
  })

  test.each(['moved', 'deleted'] as const)('is joined no more once its note is %s', async (how) => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    await callHook(house, 'post-tool-use', WRITE)
    const agent = await house.connect()
    const { id } = (await notes(house))[0]!
    if (how === 'moved') await agent.call('notes_update', { id, project: 'reef' })
    else await agent.call('notes_delete', { id })

    const back = await callHook(house, 'session-start', { ...START, source: 'resume' })
    expect(back.context).not.toContain('plan retry-failed-orders')
    await callHook(house, 'subagent-stop', { ...RUN, permission_mode: 'default' })
    expect(await runs(house)).toEqual([])
    const { context } = await callHook(house, 'post-tool-use', WRITE)
    expect(context).toContain('tasks_add plan=retry-failed-orders')
  })
})

test('a plan of a sealed project stays there', async () => {
  await using house = await openHouse()
  const { db } = house.app.kernel
  await house.inside('crypt', 'sealed')
  await db
    .insertInto('repos')
    .values({ place: '/home/ana/src/orders', remote: false, project: 'crypt' })
    .execute()
  await callHook(house, 'session-start', START)
  await callHook(house, 'post-tool-use', WRITE)
  expect(await notes(house)).toMatchObject([{ project: 'crypt' }])
  const agent = await house.inside('atlas')
  expect((await agent.call('recall', { query: 'retry failed orders' })).hits).toEqual([])
})

describe('a plan that waited for its owner until its session expired', () => {
  const process = 'c'.repeat(32)
  const begin = async (house: House) => {
    await callHook(house, 'session-start', { ...START, process })
    const { url, key } = house
    const shown = { 'loam-client': 'claude-code', 'loam-process': process }
    return connect({ url, key, headers: shown })
  }
  const expire = async ({ app: { kernel } }: House) => {
    const updated_at = sql<Date>`loam_now() - interval '8 hours'`
    await kernel.db.updateTable('sessions').set({ updated_at }).execute()
    expect(await expireSilent(kernel)).toBeGreaterThan(0)
  }

  test.each(['confidential', 'open'] as const)(
    'is approved where it lies, in a %s project of another directory',
    async (isolation) => {
      await using house = await openHouse()
      await house.inside('ledger', isolation)
      const agent = await begin(house)
      await agent.call('session_start', { project: 'ledger' })
      await callHook(house, 'post-tool-use', WRITE)
      await expire(house)
      await callHook(house, 'post-tool-use', AGREE)
      expect(await notes(house)).toMatchObject([
        { project: 'ledger', tags: expect.arrayContaining(['plan-status:approved']) },
      ])
      expect(await tasks(house)).toMatchObject([{ project: 'ledger' }])
    },
  )

  test('stays behind the fence of its directory, where its session was in an open project', async () => {
    await using house = await openHouse()
    await begin(house)
    await expire(house)
    await house.inside('crypt', 'sealed')
    const repo_root = '/home/ana/src/crypt'
    const place = { place: repo_root, remote: false, project: 'crypt' }
    await house.app.kernel.db.insertInto('repos').values(place).execute()
    await callHook(house, 'post-tool-use', { ...WRITE, cwd: repo_root, repo_root, repo: '' })
    expect(await notes(house)).toMatchObject([{ project: 'crypt' }])
  })
})
