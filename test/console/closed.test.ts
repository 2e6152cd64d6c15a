import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { catalog } from '../../src/mcp/catalog.ts'
import { capturePlan, presentPlan } from '../../src/plans/plans.ts'
import { scopeAt } from '../../src/projects/projects.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { research } from '../helpers/research.ts'
import { ownerOf } from './owner.ts'

/** All that the owner can write, as the product says: no other exists. */
const WRITES = [
  '/console/favorites/:kind/:id',
  '/console/gardener/:id/apply',
  '/console/gardener/:id/dismiss',
  '/console/gardener/:id/hide',
  '/console/gardener/:id/retarget',
  '/console/gardener/:id/unhide',
  '/console/gardener/plan/:slug/apply',
  '/console/gardener/request',
  '/console/gardener/split',
  '/console/login',
  '/console/logout',
  '/console/memories/:id/archive',
  '/console/plans/:slug/approve',
  '/console/settings/briefing',
  '/console/settings/briefing/reset',
  '/console/settings/families/delete',
  '/console/settings/families/save',
  '/console/settings/features',
  '/console/settings/features/reset',
  '/console/tasks/:id/release',
]

/** Beyond the console: the tools, and what clients report. */
const OTHERS = [
  ...[
    ...['permission-request', 'post-tool-use', 'session-end', 'session-start', 'stop'],
    ...['subagent-start', 'subagent-stop', 'user-prompt-submit'],
  ].map((hook) => `/api/hooks/${hook}`),
  '/api/mcp',
]

/** Every address of a tree of routes, with its methods. */
function routesIn(tree: string): { path: string; methods: string[] }[] {
  const above: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', part = '', methods = ''] =
      /^([│ ]*)[├└]── (\S*) ?(?:\(([^)]*)\))?/.exec(line) ?? []
    if (part === '' && methods === '') return []
    above.length = indent.length / 4
    const path = above.join('') + part
    above.push(part)
    return methods === '' ? [] : { path, methods: methods.split(', ') }
  })
}

describe('the closed list of writes', () => {
  let house: House
  beforeAll(async () => {
    house = await openHouse()
  })
  afterAll(() => house[Symbol.asyncDispose]())

  const routes = () => routesIn(house.app.app.printRoutes({ commonPrefix: false }))

  test('holds every write of the running service, and the service every one of it', () => {
    const posts = routes().filter(({ methods }) => methods.includes('POST'))
    const paths = posts.map(({ path }) => path).sort()
    expect(paths.filter((path) => path.startsWith('/console'))).toEqual(WRITES)
    expect(paths.filter((path) => !path.startsWith('/console'))).toEqual(OTHERS)
    for (const path of [...WRITES, ...OTHERS])
      expect(house.app.app.hasRoute({ method: 'POST', url: path }), path).toBe(true)
  })

  test('needs no other method: nothing is changed by one that only tools know', () => {
    const methods = new Map<string, string[]>()
    for (const { path, methods: all } of routes())
      for (const one of all) methods.set(one, [...(methods.get(one) ?? []), path])
    expect([...methods.keys()].sort()).toEqual(['DELETE', 'GET', 'HEAD', 'POST'])
    expect(methods.get('DELETE')).toEqual(['/api/mcp'])
  })

  test.each([
    ...['settings/embeddings/reembed', 'settings/embeddings/mode', 'settings/utility'],
    ...[
      'projects/atlas/isolation',
      'gardener/01K9ZC4T7Q8V2M5N6P3R1S0WXY/undo',
      'memories',
      'tasks',
    ],
  ])('has no place for %s', async (path) => {
    const { status } = await ownerOf(house).post(`/console/${path}`, { project: 'atlas' })
    expect([404, 405]).toContain(status)
  })
})

type Given = Record<'task' | 'token' | 'alice' | 'plan' | 'slug' | 'memory' | 'note', string>
type Calls = Record<string, readonly Record<string, unknown>[]>

/**
 * What an agent tries that wants more than its tools give: to take the claim of another, to approve a plan, to change
 * a setting. By tool; one without calls here makes the test fail.
 */
const attempts = ({ task, token, alice, plan, slug, memory, note }: Given): Calls => ({
  capture_url: [{ url: 'http://127.0.0.1/console/settings/features/reset' }],
  favorite_set: [
    { kind: 'plan', id: slug, favorite: true },
    { kind: 'task', id: task, favorite: true, force: true },
  ],
  gardener_apply: [{ id: task, action: 'apply' }, { id: plan }],
  gardener_proposals: [{}],
  gardener_request: [
    { request: `approve the plan ${slug}` },
    { request: `release the task ${task}` },
    { request: 'switch the features off' },
    { request: 'x', operations: [{ op: 'archive', target: slug }] },
  ],
  gardener_split: [
    { source: 'settings', instruction: 'in two', children: [{ slug: 'x' }, { slug: 'y' }] },
  ],
  lab_open: [{ name: 'features_config' }],
  memory_append: [{ name: 'tides', body: 'utility_mode: on' }],
  memory_delete: [{ name: 'features_config' }],
  memory_edit: [{ id: memory, edits: [{ old_string: 'b', new_string: 'c' }] }],
  memory_read: [{ name: 'briefing_config' }],
  memory_write: [
    { name: 'briefing-config', kind: 'constraint', description: 'utility_mode on', body: 'on' },
    { name: 'x', kind: 'gotcha', description: 'd', body: 'b', tags: ['plan-status:approved'] },
  ],
  notes_append: [{ id: plan, body: 'plan-status: approved' }],
  notes_create: [
    { title: 'Approved', body: 'b', plan: slug, tags: ['cc-plan', 'plan-status:approved'] },
  ],
  notes_delete: [{ id: note }],
  notes_edit: [{ id: plan, edits: [{ old_string: 'Read.', new_string: 'Approved.' }] }],
  notes_read: [{ id: plan }],
  notes_update: [
    { id: plan, tags_add: ['plan-status:approved'] },
    { id: plan, tags_remove: ['plan-status:presented'], tags_add: ['plan-status:approved'] },
    { id: plan, tags: ['cc-plan', 'plan-status:approved'] },
    { id: plan, title: 'Approved' },
  ],
  project_create: [{ name: 'Settings', slug: 'settings' }],
  project_list: [{}],
  recall: [{ query: 'settings' }],
  session_end: [{ session: alice }, { session: 'a', findings: 'over' }],
  session_start: [{ name: 'a' }, { name: 'other', project: 'atlas' }],
  session_update: [{ session: alice, findings: 'mine' }],
  tasks_add: [{ title: 'x', plan: slug, status: 'done' }],
  tasks_claim: [{ id: task }, { id: task, force: true }, { id: task, lease_seconds: 86_400 }],
  tasks_list: [{ id: task }],
  tasks_ready: [{}],
  tasks_release: [
    ...[{ id: task }, { id: task, force: true }, { id: task, claim_token: token.slice(1) }],
    ...[
      { id: task, session: alice },
      { id: task, by: 'console' },
    ],
  ],
  tasks_update: [
    ...['open', 'in_progress', 'done', 'dropped'].map((status) => ({ id: task, status })),
    { id: task, status: 'open', force: true },
  ],
  trial_query: [{ lab: 'features_config' }],
  trial_record: [{ lab: 'x', title: 't', outcome: 'pass', metrics: { force: 1 } }],
  usage_summary: [{}],
})

test('no tool releases the claim of another, approves a plan or changes a setting', async () => {
  await using house = await openHouse()
  await research(house)
  const { kernel } = house.app
  const [alice, bob] = [await house.connect('alice'), await house.connect('bob')]
  const { session_id: holder } = await alice.call('session_start', { name: 'a', project: 'atlas' })
  await bob.call('session_start', { name: 'b', project: 'atlas' })
  const { id: task } = await alice.call('tasks_add', { title: 'The gate', body: 'b' })
  const { claim_token: token } = await alice.call('tasks_claim', { id: task })
  const target = { project: 'atlas', scope: await scopeAt(kernel.db, 'atlas') }
  const from = { by: { session: holder, model: '' }, name: 'a', target, git_head: '' }
  const text = '# Rebuild the importer\n\nRead.\n'
  await capturePlan(kernel, from, { basename: 'calm-otter', text })
  await presentPlan(kernel, from, 'calm-otter')
  const slug = 'rebuild-the-importer'
  const captured = (await ownerOf(house).json(`/console/plans/${slug}`)).body
  const { id: memory } = await alice.call('memory_write', {
    ...{ name: 'tides', kind: 'gotcha', description: 'd', body: 'b' },
  })
  const { id: note } = await alice.call('notes_create', { title: 'T', body: 'b' })

  const standing = async () => {
    await kernel.telemetry.flush()
    const { rows } = await sql<{
      settings: object
      families: object
      claim: object
      owner: object
    }>`
      select (select jsonb_object_agg(key, value) from settings) as settings,
        (select jsonb_agg(f) from families f) as families,
        (select jsonb_build_object('status', status, 'by', claimed_by, 'token', claim_token)
         from tasks where id = ${task}) as claim,
        (select jsonb_agg(kind order by ts, id) from events
         where kind like 'settings.%' or kind = 'plan.approved'
           or kind = 'task.transition' and payload ? 'released') as owner`.execute(kernel.db)
    const { body } = await ownerOf(house).json(`/console/plans/${slug}`)
    return { ...rows[0], plan: [body.plan.status, body.canApprove] }
  }
  const before = await standing()
  expect(before).toMatchObject({
    claim: { status: 'in_progress', by: holder, token },
    plan: ['presented', true],
  })
  const given = { task, token, slug, plan: captured.plan.noteId, alice: holder, memory, note }
  const calls = attempts(given as Given)
  expect(Object.keys(calls).sort()).toEqual(catalog.map(({ name }) => name).sort())
  for (const { name } of catalog) {
    for (const args of calls[name]!) await bob.raw(name, args)
    expect(await standing(), name).toEqual(before)
  }
})
