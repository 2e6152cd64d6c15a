import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Agent } from '../helpers/agent.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { research } from '../helpers/research.ts'

/** Put together here, so that no scanner takes this file for a leak. */
const TOKEN = `ghp_${'aB3d'.repeat(10)}`
const REFUSE = { env: { LOAM_SECRETS_ON_WRITE: 'refuse' } }

/** What each tool that writes takes: said here once more, apart from the product. */
const TAKES: Record<string, { texts?: string; selectors?: string }> = {
  capture_url: { texts: 'url', selectors: 'project' },
  favorite_set: { selectors: 'id project' },
  gardener_apply: { selectors: 'id' },
  gardener_request: {
    texts:
      'request operations.name operations.kind operations.description operations.body operations.reason',
    selectors:
      'project operations.target operations.keep operations.drop operations.to operations.sources',
  },
  gardener_split: {
    texts: 'instruction children.slug children.label shared.slug shared.label assignments.reason',
    selectors: 'source assignments.memory assignments.to',
  },
  lab_open: { texts: 'lab goal' },
  memory_append: { texts: 'body', selectors: 'name project expect_hash' },
  memory_delete: { selectors: 'name project' },
  memory_edit: {
    texts: 'description edits.new_string tags_add',
    selectors: 'name project expect_hash edits.old_string tags_remove',
  },
  memory_write: {
    texts: 'name description body tags',
    selectors: 'project supersedes expect_hash',
  },
  notes_append: { texts: 'body', selectors: 'id expect_hash' },
  notes_create: { texts: 'title body description plan source_url tags', selectors: 'project' },
  notes_delete: { selectors: 'id' },
  notes_edit: { texts: 'edits.new_string', selectors: 'id expect_hash edits.old_string' },
  notes_update: {
    texts: 'title description body tags tags_add',
    selectors: 'id project expect_hash tags_remove',
  },
  project_create: { texts: 'name description slug' },
  session_end: { texts: 'findings mishaps' },
  session_start: { texts: 'name model', selectors: 'project repo repo_root cwd' },
  session_update: { texts: 'findings' },
  tasks_add: { texts: 'title body plan', selectors: 'depends_on project' },
  tasks_claim: { texts: 'paths', selectors: 'id claim_token' },
  tasks_release: { selectors: 'id claim_token' },
  tasks_update: { texts: 'title body', selectors: 'id project add_depends_on claim_token' },
  trial_record: {
    texts: 'title lab changes expected actual outcome metrics',
    selectors: 'project',
  },
}

interface Schema {
  type?: string
  enum?: string[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
}

const words = (text = ''): string[] => text.split(' ').filter(Boolean)

/** The paths of all places of a schema that take any string, as `edits.new_string`. */
function placesOf(schema: Schema, path = ''): string[] {
  const { type, items, properties = {} } = schema
  if (type === 'string') return schema.enum ? [] : [path]
  if (type === 'array') return placesOf(items!, path)
  if (type !== 'object') return []
  const inner = Object.entries(properties)
  if (inner.length === 0) return [path]
  return inner.flatMap(([name, part]) => placesOf(part, path ? `${path}.${name}` : name))
}

/** A value that fits the schema, with the text at the path. */
function valueWith(schema: Schema, path: string[], text: string): unknown {
  const { type, items, properties = {}, required = [] } = schema
  if (type === 'string') return schema.enum?.[0] ?? (path.length === 0 ? text : 'x')
  if (type === 'boolean') return true
  if (type === 'array') return [valueWith(items!, path, text)]
  if (type !== 'object') return 1
  const [name, ...rest] = path
  if (Object.keys(properties).length === 0) return name === undefined ? { api_key: text } : {}
  const names = [...new Set([...required, ...(name === undefined ? [] : [name])])]
  return Object.fromEntries(
    names.map((each) => [each, valueWith(properties[each]!, each === name ? rest : ['-'], text)]),
  )
}

/** Everything that a refused call may not have changed. */
async function stateOf({ app, files }: House): Promise<unknown> {
  const { db } = app.database
  const tables = ['projects', 'memories', 'notes', 'tasks', 'trials', 'sessions', 'passages']
  const counts = tables.map(async (table) => {
    const { rows } = await sql<{
      n: number
    }>`select count(*)::int as n from ${sql.table(table)}`.execute(db)
    return [table, rows[0]!.n]
  })
  return { counts: await Promise.all(counts), files: await files() }
}

const writersOf = async (agent: Agent) =>
  (await agent.tools()).filter(({ annotations }) => annotations!.readOnlyHint === false)

describe('text that looks like a credential', () => {
  test('is looked for in every string of every tool that writes, but for what only selects', async () => {
    await using house = await openHouse()
    await research(house)
    const agent = await house.connect()
    for (const { name, inputSchema } of await writersOf(agent)) {
      const { texts, selectors } = TAKES[name] ?? {}
      const known = [...words(texts), ...words(selectors)]
      const places = placesOf(inputSchema as Schema).filter((place) => place !== 'session')
      expect([name, known.toSorted()]).toEqual([name, places.toSorted()])
    }
  })

  test('is refused in each of them before anything happens', async () => {
    await using house = await openHouse(REFUSE)
    await research(house)
    const agent = await house.connect()
    const before = await stateOf(house)
    for (const { name, inputSchema } of await writersOf(agent)) {
      for (const place of words(TAKES[name]?.texts)) {
        const args = valueWith(inputSchema as Schema, place.split('.'), `use ${TOKEN} there`)
        await expect(
          agent.call(name, args as Record<string, unknown>),
          `${name} ${place}`,
        ).rejects.toThrow(`${name}: this looks like a `)
      }
    }
    expect(await stateOf(house)).toEqual(before)
    await house.app.kernel.telemetry.flush()
    expect(JSON.stringify(await house.events('tool.call'))).not.toContain(TOKEN)
  })

  test('is searched for, looked up and taken away all the same', async () => {
    await using house = await openHouse(REFUSE)
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', { title: 'T', body: 'b', project: 'atlas' })
    await agent.call('recall', { query: TOKEN, project: 'atlas' })
    const selecting: [string, Record<string, unknown>, string][] = [
      ['memory_read', { name: TOKEN, project: 'atlas' }, 'no memory'],
      ['notes_read', { slug: TOKEN, project: 'atlas' }, 'no note'],
      ['memory_delete', { name: TOKEN, project: 'atlas' }, 'no memory'],
      ['notes_edit', { id, edits: [{ old_string: TOKEN, new_string: 'x' }] }, 'old_string'],
    ]
    for (const [tool, args, said] of selecting) {
      await expect(agent.call(tool, args), tool).rejects.toThrow(said)
    }
    await agent.call('notes_update', { id, tags_remove: [TOKEN] })
  })

  test('makes no project, and what a project is called already may be written', async () => {
    const slug = `glpat-${'ab3d'.repeat(6)}`
    await using house = await openHouse(REFUSE)
    const agent = await house.connect()
    const note = { title: 'T', body: 'b', project: slug }
    await expect(agent.call('notes_create', note)).rejects.toThrow('looks like a GitLab token')
    expect((await agent.call('project_list'))['projects']).toEqual([])
    const insider = await house.inside(slug)
    expect(await insider.call('notes_create', note)).toMatchObject({ project: slug })
  })

  test('is in no findings and no mishap, and no next agent is told it', async () => {
    await using house = await openHouse(REFUSE)
    const agent = await house.connect()
    await agent.call('session_start', { name: 'first', project: 'atlas' })
    const said = `deploy with ${TOKEN}`
    await expect(agent.call('session_update', { findings: said })).rejects.toThrow('GitHub token')
    await expect(agent.call('session_end', { findings: said })).rejects.toThrow('GitHub token')
    await expect(agent.call('session_end', { findings: 'done', mishaps: [said] })).rejects.toThrow(
      'GitHub token',
    )
    await agent.call('session_end', { findings: 'the deploy works now', mishaps: ['too late'] })
    const next = await house.connect('bob')
    const { briefing } = await next.call('session_start', { name: 'second', project: 'atlas' })
    expect(briefing).toContain('the deploy works now')
    const { hits } = await next.call('recall', { query: 'deploy' })
    expect(JSON.stringify([briefing, hits, await house.events('agent.mishap')])).not.toContain(
      TOKEN,
    )
  })

  test('is answered with one hint when the owner wants no more, and with none when nothing', async () => {
    for (const [on_write, hint] of [
      ['warn', /^this looks like a GitHub token; /],
      ['off', undefined],
    ] as const) {
      await using house = await openHouse({ env: { LOAM_SECRETS_ON_WRITE: on_write } })
      await research(house)
      const agent = await house.connect()
      const calls: [string, Record<string, unknown>][] = [
        ['session_start', { name: `at ${TOKEN}`, project: 'atlas' }],
        ['project_create', { name: 'Delta', description: `with ${TOKEN}` }],
        ['lab_open', { lab: TOKEN }],
        ['trial_record', { title: 'T', metrics: { [TOKEN]: 1 } }],
        ['tasks_add', { title: TOKEN }],
        ['session_update', { findings: `use ${TOKEN}, ${TOKEN}` }],
        ['session_end', { findings: 'f', mishaps: [TOKEN] }],
      ]
      for (const [tool, args] of calls) {
        const { secret_hint } = await agent.call(tool, args)
        if (hint) expect([tool, secret_hint]).toEqual([tool, expect.stringMatching(hint) as string])
        else expect([tool, secret_hint]).toEqual([tool, undefined])
      }
      const claim = { id: (await agent.call('tasks_add', { title: 'T', project: 'atlas' }))['id'] }
      await agent.call('session_start', { name: 'two', project: 'atlas' })
      const { secret_hint } = await agent.call('tasks_claim', { ...claim, paths: [`src/${TOKEN}`] })
      expect(secret_hint === undefined).toBe(hint === undefined)
    }
  })
})
