/**
 * Projects of every level, each full of items that carry a word of its own, and every call an agent
 * can make across their fences. What may cross is said here once more, apart from the product.
 */
import { sql } from 'kysely'
import { switchFeatures } from '../../src/features/features.ts'
import type { Isolation } from '../../src/projects/projects.ts'
import { connect, type Agent } from './agent.ts'
import type { House } from './build-house.ts'

export interface Level {
  /** '' is the global scope. */
  project: string
  isolation: Isolation
}

/** Every kind of place, and of each fenced level two. */
export const LEVELS: Level[] = [
  { project: '', isolation: 'open' },
  { project: 'atlas', isolation: 'open' },
  { project: 'delta', isolation: 'open' },
  { project: 'ledger', isolation: 'confidential' },
  { project: 'vault', isolation: 'confidential' },
  { project: 'crypt', isolation: 'sealed' },
  { project: 'tomb', isolation: 'sealed' },
]

export const reads = (caller: Level, target: Level): boolean =>
  caller.project === target.project ||
  (caller.isolation !== 'sealed' && target.isolation === 'open')

/** To change what lies there. */
export const writes = (caller: Level, target: Level): boolean =>
  caller.project === target.project || (caller.isolation === 'open' && target.isolation === 'open')

/** To put something new there, which is all that an outsider may do in a confidential project. */
export const adds = (caller: Level, target: Level): boolean =>
  caller.project === target.project ||
  (caller.isolation === 'open' && target.isolation !== 'sealed')

/** A level and what lies there. */
export interface Quarter extends Level {
  /** Stands in every text of every item, and nowhere else. */
  canary: string
  insider: Agent
  session: { id: string; name: string }
  note: string
  memory: string
  task: string
  trial: string
}

/** Who makes the calls. */
export interface Caller extends Level {
  agent: Agent
  /** How it came to speak for where it is. */
  binding: string
  /** Sent with every call that takes one. */
  session?: string
  /** What its client says of itself with every call. */
  meta?: Record<string, unknown>
}

export const UNKNOWN = '01K9ZC4T7Q8V2M5N6P3R1S0WXY'

/** One call. */
export interface Cell {
  /** It names the target's session: on a connection of none it speaks for it, and so from within. */
  speaks?: true
  /** On a connection of its own, which it binds. */
  anew?: true
  tool: string
  args: Record<string, unknown>
  /** It would change something in the target's project. */
  write?: boolean
  /** It would put something into the target's project. */
  add?: boolean
  /** The id of a target's item that it names. */
  id?: string
  /** The id of a target's item that only those may name who may read it. */
  blind?: string
}

export interface Given {
  target: Quarter
  caller: Caller
  /** Something to destroy, made for this call alone. */
  spare(): Promise<{ memory: string; note: string }>
  /** A task of the target's that nobody holds, made for this call alone. */
  task(): Promise<string>
  /** Of a task that lies where the caller is. */
  own: string
  /** Now true, now false: a star that is set already would change nothing. */
  flip(): boolean
  /** A word that was never used before. */
  fresh(): string
}

type Cells = (given: Given) => Promise<Cell[]> | Cell[]

const named = ({ target }: Given): string => target.project || 'global'

/** A proposal about a memory of the target, made for this call alone. */
async function proposalIn({ target, fresh }: Given): Promise<string> {
  const name = fresh()
  const { insider } = target
  await insider.call('memory_write', { name, kind: 'gotcha', description: 'plain', body: 'plain' })
  const { created } = await insider.call('gardener_request', {
    request: 'over',
    operations: [{ op: 'archive', target: name }],
  })
  return created[0]
}

/** By tool. A tool without cells here makes the matrix fail. */
export const CELLS: Record<string, Cells> = {
  capture_url: (given) => [
    { tool: 'capture_url', args: { url: 'http://127.0.0.1/', project: named(given) }, add: true },
  ],
  favorite_set: (given) => {
    const { target } = given
    const star = (kind: string, id: string, more: object = {}): Cell => ({
      tool: 'favorite_set',
      args: { kind, id, favorite: given.flip(), ...more },
      write: true,
    })
    return [
      { ...star('memory', target.memory), id: target.memory },
      { ...star('note', target.note), id: target.note },
      { ...star('task', target.task), id: target.task },
      { ...star('session', target.session.id), id: target.session.id },
      star('session', target.session.name),
      { ...star('trial', target.trial), id: target.trial },
      star('memory', 'common', { project: named(given) }),
      star('note', 'common', { project: named(given) }),
      star('memory', `${named(given)}/common`),
      star('plan', 'harbour', { project: named(given) }),
      ...(target.project === '' ? [] : [star('project', target.project)]),
      // What the caller's own words mean to itself.
      { tool: 'favorite_set', args: { kind: 'memory', id: 'common', favorite: given.flip() } },
    ]
  },
  gardener_apply: async (given) => {
    const decide = async (action: string): Promise<Cell> => {
      const id = await proposalIn(given)
      return { tool: 'gardener_apply', args: { id, action }, write: true, id }
    }
    return [await decide('apply'), await decide('dismiss'), await decide('hide')]
  },
  gardener_proposals: () => [
    { tool: 'gardener_proposals', args: { limit: 200 } },
    { tool: 'gardener_proposals', args: { kind: 'archive' } },
  ],
  gardener_request: (given) => {
    const { memory, canary } = given.target
    const project = named(given)
    const request = 'tidy up'
    const ask = (operation: object, more: object = {}): Cell => ({
      tool: 'gardener_request',
      args: { request, operations: [operation], ...more },
      write: true,
    })
    const say = (request: string): Cell => ({
      tool: 'gardener_request',
      args: { request, project: 'all' },
      write: true,
    })
    return [
      { ...ask({ op: 'archive', target: memory }), blind: memory },
      ask({ op: 'archive', target: `${project}/common` }),
      ask({ op: 'rekind', target: 'common', to: 'gotcha' }, { project }),
      ask({ op: 'reproject', target: 'shared', to: project }),
      ask({ op: 'merge', keep: 'common', drop: `${project}/common` }, { project: 'all' }),
      say('archive everything about harbour'),
      say(`archive ${canary}`),
      say('find duplicates'),
      say(`digest for ${project}`),
      say(`split ${project} into one and two`),
    ]
  },
  gardener_split: (given) => [
    {
      tool: 'gardener_split',
      args: { source: named(given), children: [{ slug: 'one' }, { slug: 'two' }] },
      write: true,
    },
    {
      tool: 'gardener_split',
      args: { source: named(given), instruction: 'into one and two, shared three' },
      write: true,
    },
  ],
  lab_open: (given) => [{ tool: 'lab_open', args: { lab: 'harbour', goal: given.fresh() } }],
  memory_append: (given) => [
    {
      tool: 'memory_append',
      args: { name: 'common', body: 'more', project: named(given) },
      write: true,
    },
    {
      tool: 'memory_append',
      args: { name: `${named(given)}/common`, body: 'more' },
      write: true,
    },
    { tool: 'memory_append', args: { name: 'common', body: 'more' } },
  ],
  memory_delete: async (given) => {
    const { memory } = await given.spare()
    return [
      { tool: 'memory_delete', args: { name: `${named(given)}/common-nowhere` }, write: true },
      { tool: 'memory_delete', args: { name: memory, project: named(given) }, write: true },
    ]
  },
  memory_edit: (given) => [
    {
      tool: 'memory_edit',
      args: { name: 'common', tags_add: [given.fresh()], project: named(given) },
      write: true,
    },
    {
      tool: 'memory_edit',
      args: {
        name: 'common',
        project: named(given),
        edits: [{ old_string: 'not there at all', new_string: 'x' }],
      },
      write: true,
    },
    {
      tool: 'memory_edit',
      args: {
        name: 'common',
        project: named(given),
        description: 'x',
        expect_hash: 'ab'.repeat(32),
      },
      write: true,
    },
  ],
  memory_read: (given) => [
    { tool: 'memory_read', args: { id: given.target.memory }, id: given.target.memory },
    { tool: 'memory_read', args: { name: 'common', project: named(given) } },
    { tool: 'memory_read', args: { name: `${named(given)}/common` } },
    { tool: 'memory_read', args: { name: 'common' } },
    { tool: 'memory_read', args: { name: 'nowhere', project: named(given) } },
    { tool: 'memory_read', args: { names: [given.target.memory] } },
    { tool: 'memory_read', args: { id: given.target.memory, section: 'plain' } },
    { tool: 'memory_read', args: { id: given.target.memory, offset: 9_999 } },
    { tool: 'memory_read', args: { names: ['common', 'nowhere'], project: named(given) } },
    { tool: 'memory_read', args: { names: [`${named(given)}/common`, 'shared'] } },
  ],
  memory_write: async (given) => {
    const { memory } = await given.spare()
    const text = { kind: 'gotcha', description: 'plain', body: 'plain' }
    const write = (name: string, more: object): Cell => ({
      tool: 'memory_write',
      args: { name, ...text, ...more },
    })
    const project = named(given)
    const own = given.caller.project || 'global'
    return [
      { ...write(given.fresh(), { project }), add: true },
      { ...write('shared', { project }), add: true },
      { ...write('Common', { project, kind: 'constraint' }), add: true },
      { ...write(given.fresh(), { supersedes: memory, project }), add: true },
      { ...write(given.fresh(), { supersedes: 'nowhere', project }), add: true },
      write(given.fresh(), { supersedes: memory }),
      {
        ...write(given.fresh(), { supersedes: `${project}/${memory}`, project: own }),
        write: true,
      },
      { ...write(given.fresh(), { supersedes: `${project}/nowhere`, project: own }), write: true },
    ]
  },
  notes_append: (given) => [
    {
      tool: 'notes_append',
      args: { id: given.target.note, body: 'more' },
      write: true,
      id: given.target.note,
    },
  ],
  notes_create: (given) => {
    const write = (title: string, more: object = {}): Cell => ({
      tool: 'notes_create',
      args: { title, body: 'plain', project: named(given), ...more },
      add: true,
    })
    return [
      write(given.fresh()),
      write('Common'),
      write(`Common ${'harbour '.repeat(20)}`),
      write(given.fresh(), { plan: 'harbour' }),
      write(given.fresh(), { tags: ['plan:harbour'] }),
    ]
  },
  notes_delete: async (given) => {
    const { note } = await given.spare()
    return [{ tool: 'notes_delete', args: { id: note }, write: true, id: note }]
  },
  notes_edit: (given) => [
    {
      tool: 'notes_edit',
      args: { id: given.target.note, edits: [{ old_string: 'lies', new_string: 'lies' }] },
      write: true,
      id: given.target.note,
    },
    {
      tool: 'notes_edit',
      args: { id: given.target.note, edits: [{ old_string: 'not there at all', new_string: 'x' }] },
      write: true,
      id: given.target.note,
    },
  ],
  notes_read: (given) => [
    { tool: 'notes_read', args: { id: given.target.note }, id: given.target.note },
    { tool: 'notes_read', args: { slug: 'common', project: named(given) } },
    { tool: 'notes_read', args: { slug: `${named(given)}/common` } },
    { tool: 'notes_read', args: { slug: 'common' } },
    { tool: 'notes_read', args: { ids: [given.target.note] } },
    { tool: 'notes_read', args: { id: given.target.note, section: 'plain' } },
    { tool: 'notes_read', args: { id: given.target.note, offset: 9_999 } },
    { tool: 'notes_read', args: { ids: ['common', 'nowhere'], project: named(given) } },
    { tool: 'notes_read', args: { ids: [`${named(given)}/common`, given.target.note] } },
  ],
  notes_update: async (given) => {
    const { note } = await given.spare()
    return [
      {
        tool: 'notes_update',
        args: { id: given.target.note, tags: [given.target.canary, given.fresh()] },
        write: true,
        id: given.target.note,
      },
      {
        tool: 'notes_update',
        args: { id: given.target.note, description: 'x', expect_hash: 'ab'.repeat(32) },
        write: true,
        id: given.target.note,
      },
      // Out of where it lies, and into where the caller is.
      {
        tool: 'notes_update',
        args: { id: note, project: given.caller.project || 'global', description: 'moved' },
        write: true,
        id: note,
      },
    ]
  },
  project_create: (given) => [{ tool: 'project_create', args: { name: given.fresh() } }],
  project_list: () => [{ tool: 'project_list', args: {} }],
  recall: (given) => {
    const everything = { query: 'quarter words harbour', limit: 100 }
    const project = named(given)
    return [
      { tool: 'recall', args: { ...everything, project } },
      { tool: 'recall', args: { ...everything } },
      { tool: 'recall', args: { ...everything, project, explain: true } },
      { tool: 'recall', args: { ...everything, as_of: new Date().toISOString(), project } },
      { tool: 'recall', args: { kind: 'constraint', project } },
      { tool: 'recall', args: { kind: 'constraint' } },
      { tool: 'recall', args: { query: given.target.canary, limit: 100, scope: 'sessions' } },
      { tool: 'recall', args: { query: given.target.canary, limit: 100, scope: 'tasks', project } },
      { tool: 'recall', args: { ...everything, scope: 'trials', project } },
    ]
  },
  session_end: ({ target }) => [
    {
      tool: 'session_end',
      args: {
        session: target.session.id,
        findings: `harbour ${target.canary}`,
        mishaps: ['common'],
      },
      write: true,
      id: target.session.id,
      speaks: true,
    },
  ],
  // Whoever starts a session in the target enters; by a name alone nobody does.
  session_start: (given) => {
    const own = given.caller.project || 'global'
    const start = (args: object): Cell => ({
      tool: 'session_start',
      args: { ...args },
      anew: true,
    })
    return [
      { ...start({ name: given.target.session.name, project: own }), write: true },
      { ...start({ name: 'harbour', project: own }), write: true },
      { ...start({ name: `${named(given)}/${given.fresh()}`, project: own }), write: true },
      { ...start({ name: given.fresh(), project: own }), write: true },
      { ...start({ name: 'harbour', project: named(given) }), speaks: true },
    ]
  },
  tasks_add: (given) => [
    {
      tool: 'tasks_add',
      args: { title: given.fresh(), body: 'plain', project: named(given) },
      add: true,
    },
    {
      tool: 'tasks_add',
      args: { title: given.fresh(), plan: 'harbour', project: named(given) },
      add: true,
    },
    { tool: 'tasks_add', args: { title: given.fresh(), depends_on: [given.target.task] } },
    {
      tool: 'tasks_add',
      args: {
        title: given.fresh(),
        depends_on: [given.target.task],
        project: given.caller.project || 'global',
      },
      blind: given.target.task,
    },
  ],
  tasks_claim: async (given) => {
    const task = await given.task()
    return [
      { tool: 'tasks_claim', args: { id: task, paths: ['src'] }, write: true, id: task },
      { tool: 'tasks_claim', args: { id: task, claim_token: UNKNOWN }, write: true, id: task },
    ]
  },
  tasks_list: (given) => [
    { tool: 'tasks_list', args: { id: given.target.task }, id: given.target.task },
    { tool: 'tasks_list', args: { project: named(given) } },
    { tool: 'tasks_list', args: { limit: 200 } },
  ],
  tasks_ready: (given) => [
    { tool: 'tasks_ready', args: { project: named(given) } },
    { tool: 'tasks_ready', args: { limit: 200 } },
  ],
  tasks_release: async (given) => {
    const task = await given.task()
    return [{ tool: 'tasks_release', args: { id: task }, write: true, id: task }]
  },
  tasks_update: async (given) => {
    const task = await given.task()
    return [
      { tool: 'tasks_update', args: { id: task, body: given.fresh() }, write: true, id: task },
      { tool: 'tasks_update', args: { id: task, status: 'done' }, write: true, id: task },
      // Out of where it lies, and into where the caller is.
      {
        tool: 'tasks_update',
        args: { id: task, project: given.caller.project || 'global', title: 'moved' },
        write: true,
        id: task,
      },
      {
        tool: 'tasks_update',
        args: { id: given.own, add_depends_on: [given.target.task] },
        blind: given.target.task,
      },
    ]
  },
  session_update: ({ target }) => [
    {
      tool: 'session_update',
      args: { session: target.session.id, findings: `harbour ${target.canary}` },
      write: true,
      id: target.session.id,
      speaks: true,
    },
    {
      tool: 'session_update',
      args: { session: target.session.name, findings: `harbour ${target.canary}` },
      write: true,
      speaks: true,
    },
  ],
  trial_query: ({ target }) => [
    { tool: 'trial_query', args: { id: target.trial }, id: target.trial },
    { tool: 'trial_query', args: { limit: 200, lab: '' } },
    { tool: 'trial_query', args: { limit: 200, lab: 'harbour', outcome: 'pass' } },
    { tool: 'trial_query', args: { lab: 'harbour', metrics_filter: { cores: 4 }, limit: 3 } },
  ],
  trial_record: (given) => [
    {
      tool: 'trial_record',
      args: { title: given.fresh(), lab: 'harbour', project: named(given) },
      add: true,
    },
  ],
  usage_summary: () => [{ tool: 'usage_summary', args: {} }],
}

/** Furnishes a quarter for each level, through the tools wherever there is one. */
export async function furnish(house: House, levels: readonly Level[]): Promise<Quarter[]> {
  // Trials stand in every quarter, and their tools in the matrix.
  await switchFeatures(house.app.kernel, 'console', { research: true })
  const quarters: Quarter[] = []
  for (const level of levels) {
    const { project, isolation } = level
    const canary = `canary${project || 'world'}quokka`
    const line = `quarter words harbour ${canary}`
    const insider = await house.inside(project, isolation)
    const { id: memory } = await insider.call('memory_write', {
      name: 'common',
      kind: 'constraint',
      description: line,
      body: `${line} [[shared]] lies here`,
      tags: [canary],
    })
    await insider.call('memory_write', {
      name: 'shared',
      kind: 'gotcha',
      description: line,
      body: `${line} again`,
    })
    const { id: note } = await insider.call('notes_create', {
      title: 'Common',
      description: line,
      body: `${line} lies here`,
      tags: [canary, 'plan:harbour'],
    })
    await insider.call('notes_create', { title: `Report ${canary}`, body: line })
    const works = `works in ${project || 'the world'}`
    const name = isolation === 'open' ? works : `${project}/${works}`
    const session = { id: await house.session(project, { name }), name }
    await insider.call('session_update', { findings: line })
    const { id: task } = await insider.call('tasks_add', { title: line, body: line })
    const { id: trial } = await insider.call('trial_record', {
      lab: 'harbour',
      title: line,
      actual: line,
      outcome: 'pass',
      metrics: { cores: 4, canary },
    })
    quarters.push({ ...level, canary, insider, session, note, memory, task, trial })
  }
  return quarters
}

/** Makes the calls of one tool from a caller to a target, and says what was wrong with their answers. */
export async function cross(
  house: House,
  quarters: readonly Quarter[],
  { tool, caller, target }: { tool: string; caller: Caller; target: Quarter },
): Promise<string[]> {
  const wrong: string[] = []
  const where = `${tool}, ${caller.binding}, ${caller.project || 'global'} → ${target.project || 'global'}`
  const given: Given = {
    caller,
    target,
    own: quarters.find(({ project }) => project === caller.project)!.task,
    flip,
    fresh,
    spare: () => spare(target, fresh),
    task: () => spareTask(target),
  }
  for (const cell of await CELLS[tool]!(given)) {
    const speaker = speakerOf(cell, caller, target)
    const agent = cell.anew ? await house.connect() : caller.agent
    const send = (args: Record<string, unknown>): Promise<string> =>
      said({ ...caller, agent }, cell.tool, args)
    const kept = await watch(house, cell, speaker, target)
    const text = await send(cell.args)
    const about = `${where}: ${JSON.stringify(cell.args)}`
    for (const canary of told(quarters, speaker, cell.args, text)) {
      wrong.push(`${about} told ${canary}: ${text.slice(0, 300)}`)
    }
    for (const change of await kept()) wrong.push(`${about} ${change}`)
    const hidden = writes(speaker, target) ? cell.blind : (cell.id ?? cell.blind)
    if (hidden && !reads(speaker, target)) {
      const args = JSON.parse(JSON.stringify(cell.args).replaceAll(hidden, UNKNOWN)) as Cell['args']
      const unknown = await send(args)
      if (text.replaceAll(hidden, UNKNOWN) !== unknown) {
        wrong.push(
          `${about} differs from an unknown id: ${text.slice(0, 200)} | ${unknown.slice(0, 200)}`,
        )
      }
    }
  }
  return wrong
}

/** For whom a call is made in the end. */
export const speakerOf = ({ speaks, anew }: Cell, caller: Caller, target: Level): Level =>
  speaks && (anew || caller.binding !== 'bound') ? target : caller

/** The canaries in a text that its reader may not read and has not said. */
export function told(
  quarters: readonly Quarter[],
  reader: Level,
  args: object,
  text: string,
): string[] {
  const asked = JSON.stringify(args)
  return quarters
    .filter((level) => !reads(reader, level) && !asked.includes(level.canary))
    .filter(({ canary }) => text.includes(canary))
    .map(({ canary }) => canary)
}

/** What a session that enters the target is told there, which is all that it may read, and nothing else. */
export async function enter(
  house: House,
  quarters: readonly Quarter[],
  target: Quarter,
): Promise<string[]> {
  const agent = await connect(house)
  try {
    const text = JSON.stringify(
      await agent.raw('session_start', { project: target.project || 'global' }),
    )
    return quarters
      .filter((level) => !reads(target, level) && text.includes(level.canary))
      .map(({ canary }) => `session_start in ${target.project || 'global'} told ${canary}`)
  } finally {
    await agent.close()
  }
}

/** The whole answer to one call, as text. */
export async function said(
  { agent, session, meta }: Caller,
  tool: string,
  args: object,
): Promise<string> {
  const own = session !== undefined && !('session' in args) && SPEAKS.has(tool) ? { session } : {}
  return JSON.stringify(await agent.raw(tool, { ...own, ...args }, meta))
}

/** Tools that resolve nothing by who calls. */
const SPEAKS = new Set(Object.keys(CELLS).filter((tool) => !/^project_list$|^session_/.test(tool)))

let flips = 0
const flip = (): boolean => flips++ % 2 === 0

let used = 0
const fresh = (): string => `word${(used++).toString(36)}`

/** Something to destroy in a quarter. */
export async function spare(
  target: Quarter,
  fresh: () => string,
): Promise<{ memory: string; note: string }> {
  const memory = fresh()
  await target.insider.call('memory_write', {
    name: memory,
    kind: 'reference',
    description: 'spare',
    body: `spare ${target.canary}`,
  })
  const { id: note } = await target.insider.call('notes_create', {
    title: fresh(),
    body: `spare ${target.canary}`,
  })
  return { memory, note }
}

/** A task in a quarter that nobody holds. */
export async function spareTask(target: Quarter): Promise<string> {
  const { id } = await target.insider.call('tasks_add', { title: `spare ${target.canary}` })
  return id as string
}

/**
 * Looks at what lies in the target, if the call may not touch it. Returns a second look, which says what
 * has changed: whoever may only add may add, and nothing else.
 */
export async function watch(
  house: House,
  { write, add }: Cell,
  speaker: Level,
  target: Level,
): Promise<() => Promise<string[]>> {
  const mayAdd = add && adds(speaker, target)
  if ((!write && !add) || writes(speaker, target)) return async () => []
  const before = await standing(house, target)
  return async () => {
    const after = await standing(house, target)
    const lost = [...before].filter((item) => !after.has(item)).map((item) => `changed ${item}`)
    const made = [...after].filter((item) => !before.has(item)).map((item) => `made ${item}`)
    return mayAdd ? lost : [...lost, ...made]
  }
}

/** Everything that lies in a project as it stands. */
async function standing(house: House, { project }: Level): Promise<Set<string>> {
  const { rows } = await sql<{ item: string }>`
    select concat_ws(' ', 'memory', id, content_hash) as item from memories where project = ${project}
    union all
    select concat_ws(' ', 'note', id, content_hash) from notes where project = ${project}
    union all
    select concat_ws(' ', 'session', id, md5(findings), status, favorite) from sessions where project = ${project}
    union all
    select concat_ws(' ', 'task', id, md5(title || body), status, claimed_by, favorite) from tasks where project = ${project}
    union all
    select concat_ws(' ', 'trial', id, md5(lab || title), favorite) from trials where project = ${project}
    union all
    select concat_ws(' ', 'plan', plan, session_id) from plan_sessions where project = ${project}
    union all
    select concat_ws(' ', 'project', favorite) from projects where slug = ${project}`.execute(
    house.app.database.db,
  )
  return new Set(rows.map(({ item }) => item))
}
