import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql, type RawBuilder } from 'kysely'
import {
  applyProposal,
  propose,
  PROPOSAL_KINDS,
  undoProposal,
  type Draft,
  type ProposalKind,
} from '../../src/gardener/gardener.ts'
import { newId } from '../../src/kernel/id.ts'
import { NOBODY } from '../../src/kernel/kernel.ts'
import { createNote } from '../../src/notes/notes.ts'
import { scopeAt } from '../../src/projects/projects.ts'
import { Refusal } from '../../src/kernel/refusal.ts'
import { reconcile } from '../../src/vault/reconcile.ts'
import { none, type Random } from '../attacks/attack.ts'
import type { Agent } from '../helpers/agent.ts'
import { buildHouse, type House } from '../helpers/build-house.ts'
import { defineFault } from './fault.ts'

/** Nothing takes these back. */
const FINAL = new Set<ProposalKind>(['consolidate', 'split'])
const KINDS = ['gotcha', 'decision', 'convention', 'constraint', 'reference'] as const
/** Histories after which the store is a new one: what is compared stays small. */
const TOGETHER = 250

export const gardenerUndo = defineFault({
  id: 'P6',
  title: 'undo of what was applied restores byte for byte, or refuses and changes nothing',
  rounds: 10_000,
  quick: true,
  async run({ rounds, random }) {
    const count = { restored: 0, refused: 0, final: 0 }
    for (let round = 0; round < rounds; round += TOGETHER) {
      await using house = await buildHouse({ within: true })
      const agent = await house.connect()
      for (let nth = round; nth < Math.min(rounds, round + TOGETHER); nth++) {
        const kind = PROPOSAL_KINDS[nth % PROPOSAL_KINDS.length]!
        count[await live(house, agent, random, { nth, kind })]++
      }
    }
    const { restored, refused, final } = count
    return `${restored} restored, ${refused} refused over a later change, ${final} final`
  },
})

interface History {
  nth: number
  kind: ProposalKind
}

interface World extends History {
  house: House
  agent: Agent
  random: Random
  project: string
  /** Names of its memories. */
  memories: { id: string; name: string }[]
  note: { id: string; slug: string }
}

async function live(
  house: House,
  agent: Agent,
  random: Random,
  { nth, kind }: History,
): Promise<'restored' | 'refused' | 'final'> {
  const world = await furnish(house, agent, random, { nth, kind })
  const { project } = world
  const { kernel } = house.app
  const draft = DRAFTS[kind](world)
  const [made] = await propose(kernel, NOBODY, [draft])
  if (!made) throw new Error(`history ${nth}: ${kind} was not proposed`)
  const before = await stateOf(house, project)
  const during = random.int(3) > 0 ? undefined : random.pick(MEANWHILE)
  await applyProposal(kernel, NOBODY, draft.id)
  const applied = await stateOf(house, project)
  if (same(before, applied).length === 0) throw new Error(`history ${nth}: ${kind} changed nothing`)
  const touched = (await during?.(world)) ?? false
  const changed = during ? await stateOf(house, project) : applied
  try {
    await undoProposal(kernel, NOBODY, draft.id)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    none(
      same(changed, await stateOf(house, project)),
      `history ${nth}: ${kind} was refused and changed`,
    )
    if (FINAL.has(kind)) return 'final'
    if (touched) return 'refused'
    throw new Error(`history ${nth}: ${kind} was refused: ${error.message}`, { cause: error })
  }
  if (FINAL.has(kind)) throw new Error(`history ${nth}: ${kind} was taken back`)
  if (touched) throw new Error(`history ${nth}: ${kind} was taken back over a later change`)
  none(
    same(before, await stateOf(house, project)),
    `history ${nth}: ${kind} was not taken back whole`,
  )
  return 'restored'
}

/** A project with some memories, which were edited, starred and linked, a note and a plan. */
async function furnish(
  house: House,
  agent: Agent,
  random: Random,
  history: History,
): Promise<World> {
  const project = `p${history.nth}`
  const memories: World['memories'] = []
  const count = 2 + random.int(2)
  for (let n = 0; n < count; n++) {
    const name = `${project}-m${n}`
    const { id } = await agent.call('memory_write', {
      ...{
        name,
        project,
        kind: random.pick(KINDS),
        description: clean(random.text(20)).trim() || 'plain',
      },
      body: `${clean(random.text(60))}\n[[${project}-m${random.int(count)}]] ${'\r\n'.repeat(random.int(2))}end`,
      tags: random.int(2) === 0 ? [] : ['harbour'],
    })
    memories.push({ id, name })
  }
  const some = random.pick(memories).name
  if (random.int(3) === 0) {
    await agent.call('favorite_set', { kind: 'memory', id: some, project, favorite: true })
  }
  if (random.int(3) === 0) {
    await agent.call('memory_append', { name: some, project, body: 'and more' })
  }
  const { kernel } = house.app
  const target = { project, scope: await scopeAt(kernel.db, project) }
  const plan = { title: `Plan ${project}`, body: 'What is meant' }
  const made = ['cc-plan', 'plan-status:draft', `plan:plan-${project}`]
  const note = await createNote(kernel, NOBODY, target, plan, { made })
  return { ...history, house, agent, random, project, memories, note }
}

const clean = (text: string): string => text.replaceAll(/[\0]/g, '').toWellFormed()

/** What happens between an apply and its undo. Returns whether it touches what the apply changed. */
const MEANWHILE: readonly ((world: World) => Promise<boolean>)[] = [
  async ({ house, project, kind, memories }) => {
    const path = CHANGED[kind]?.(project, memories[0]!.name)
    if (path === undefined) return closeTask(house)
    const file = join(house.dir, path)
    await writeFile(file, `${await readFile(file, 'utf8')}by hand\n`)
    // Or it would do so in the middle of what is compared.
    await reconcile(house.app.kernel)
    return true
  },
]

/** The file that an apply leaves, of the kinds that leave one. */
const CHANGED: Partial<Record<ProposalKind, (project: string, name: string) => string>> = {
  merge: (project, name) => `memory/${project}/${name}.md`,
  archive: (project, name) => `memory/${project}/${name}.md`,
  rekind: (project, name) => `memory/${project}/${name}.md`,
  consolidate: (project, name) => `memory/${project}/${name}.md`,
  split: (project) => `projects/${project}-a.yaml`,
  reproject: (project, name) => `memory/${project}-elsewhere/${name}.md`,
  digest: (project) => `notes/${project}/digest-${project}.md`,
  abandon_plan: (project) => `notes/${project}/plan-${project}.md`,
}

async function closeTask({ app }: House): Promise<boolean> {
  const { db } = app.database
  await sql`
    update tasks set status = 'done' where id = (
      select id from tasks where created_by = 'gardener' order by id desc limit 1)`.execute(db)
  return true
}

type Drafting = (world: World) => Draft

const now = ({ house }: World): Date => house.app.kernel.clock.now()

const common = (world: World, key: string) => ({
  id: newId(now(world)),
  key,
  evidence_at: now(world),
  projects: [world.project],
  items: world.memories.map(({ id }) => id),
  pass: 'fault',
})

const briefOf = ({ project, memories }: World, n: number) => ({
  ...{ ...memories[n]!, project, kind: 'gotcha' as const, description: '' },
})

const missed = (world: World) => ({
  project: world.project,
  signature: `tides-${world.nth}`,
  session_count: 2,
  suggested_title: `when the tide of ${world.project} turns`,
  reason: 'two sessions looked for it in vain',
})

const DRAFTS: Record<ProposalKind, Drafting> = {
  merge: (world) => ({
    ...common(world, `merge:${world.nth}`),
    kind: 'merge',
    payload: { keep: briefOf(world, 1), drop: briefOf(world, 0) },
  }),
  archive: (world) => ({
    ...common(world, `archive:${world.nth}`),
    kind: 'archive',
    payload: { ...briefOf(world, 0), reason: 'nobody needs it' },
  }),
  rekind: (world) => ({
    ...common(world, `rekind:${world.nth}`),
    kind: 'rekind',
    payload: { ...briefOf(world, 0), from: 'gotcha', to: 'protocol', rationale: 'it says how' },
  }),
  reproject: (world) => ({
    ...common(world, `reproject:${world.nth}`),
    kind: 'reproject',
    payload: {
      ...world.memories[0]!,
      ...{ from: world.project, to: `${world.project}-elsewhere`, rationale: 'it holds there' },
    },
  }),
  consolidate: (world) => ({
    ...common(world, `consolidate:${world.nth}`),
    kind: 'consolidate',
    payload: {
      ...{ id: newId(now(world)), name: `${world.project}-all`, kind: 'reference' as const },
      ...{ project: world.project, description: 'all of it', body: 'All of it.' },
      ...{ model: '', author: 'caller' as const },
      sources: world.memories.map((memory) => ({ ...memory, project: world.project })),
    },
  }),
  split: (world) => ({
    ...common(world, `split:${world.nth}`),
    kind: 'split',
    payload: {
      source_project: world.project,
      children: ['a', 'b'].map((end) => ({ slug: `${world.project}-${end}`, label: end })),
      shared: { slug: `${world.project}-shared`, label: 'shared' },
      ...{ family: `${world.project}-shared`, retire_source: true, plan: `split-${world.project}` },
    },
  }),
  digest: (world) => ({
    ...common(world, `digest:${world.nth}`),
    kind: 'digest',
    items: [],
    payload: {
      id: newId(now(world)),
      ...{ project: world.project, month: '2026-01', since: '2026-01-01', until: '2026-01-31' },
      ...{ session_count: 2, title: `Digest ${world.project}`, body: 'What was found', model: '' },
    },
  }),
  abandon_plan: (world) => ({
    ...common(world, `abandon_plan:${world.nth}`),
    kind: 'abandon_plan',
    items: [world.note.id],
    payload: {
      ...{ id: world.note.id, slug: `plan-${world.project}`, note_slug: world.note.slug },
      ...{ title: `Plan ${world.project}`, project: world.project, plan_status: 'draft' },
      ...{ reason: 'nobody took it up', last_activity: now(world).toISOString() },
    },
  }),
  memory_wanted: (world) => ({
    ...common(world, `memory_wanted:${world.nth}`),
    kind: 'memory_wanted',
    items: [],
    payload: {
      ...missed(world),
      ...{ queries: ['when does the tide turn'], miss_count: 2 },
      first_missed_at: now(world).toISOString(),
      last_missed_at: now(world).toISOString(),
    },
  }),
  tool_error: (world) => ({
    ...common(world, `tool_error:${world.nth}`),
    kind: 'tool_error',
    items: [],
    payload: {
      ...missed(world),
      ...{ surface: 'tool' as const, name: 'notes_create', examples: ['too large'] },
      error_count: 3,
      first_seen_at: now(world).toISOString(),
      last_seen_at: now(world).toISOString(),
    },
  }),
}

/**
 * Of the history's own projects: every file, and every row of what an apply may touch, but for stamps of change and for
 * tasks that were dropped.
 */
async function stateOf({ app, dir, files }: House, project: string): Promise<Map<string, string>> {
  const own = ['', '-elsewhere', '-a', '-b', '-shared'].map((end) => project + end)
  const isOwn = (path: string): boolean => own.some((one) => path.split(/[/.]/)[1] === one)
  const state = new Map<string, string>()
  for (const path of (await files()).filter(isOwn)) {
    state.set(path, (await readFile(join(dir, path))).toString('hex'))
  }
  for (const [table, query] of Object.entries(ROWS)) {
    const { rows } = await query(own).execute(app.database.db)
    for (const [nth, { row }] of rows.entries()) state.set(`${table} ${nth}`, JSON.stringify(row))
  }
  return state
}

type Rows = (own: string[]) => RawBuilder<{ row: object }>
const ROWS: Record<string, Rows> = {
  memories: (own) => sql`
    select to_jsonb(m) as row from memories m where project = any(${own}::text[]) order by id`,
  notes: (own) => sql`
    select to_jsonb(n) as row from notes n where project = any(${own}::text[]) order by id`,
  links: (own) => sql`
    select to_jsonb(l) as row from links l join memories m on m.id = l.source_id
    where m.project = any(${own}::text[]) order by l.source_id, l.name, l.project`,
  tasks: (own) => sql`
    select to_jsonb(t) - 'updated_at' as row from tasks t
    where project = any(${own}::text[]) and (status, created_by) <> ('dropped', 'gardener') order by id`,
  projects: (own) => sql`
    select to_jsonb(p) - 'updated_at' as row from projects p where slug = any(${own}::text[]) order by slug`,
  families: (own) => sql`
    select to_jsonb(f) as row from families f where project = any(${own}::text[]) order by family, project`,
  passages: (own) => sql`
    select jsonb_build_array(a.kind, a.id, p.slug, a.active, a.hash) as row
    from passages a join projects p on p.number = a.project
    where p.slug = any(${own}::text[]) and a.kind <> 'task' order by a.kind, a.id, a.chunk`,
}

/** What differs, by its place. */
const same = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): string[] =>
  [...new Set([...a.keys(), ...b.keys()])].filter((key) => a.get(key) !== b.get(key))
