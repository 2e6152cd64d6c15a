/**
 * Who may see and write what. A `project` argument is never used as it came: it is resolved here,
 * judged against the fences, and comes out as a Scope or as the slug of a registered project.
 */
import { sql, type RawBuilder } from 'kysely'
import type { Actor, Db, Kernel } from '../kernel/kernel.ts'
import { ambiguous, forbidden, invalid, notFound, unavailable } from '../kernel/refusal.ts'
import { nameProblem, slugify } from '../text/slug.ts'
import {
  GLOBAL,
  mayRead,
  readRefusal,
  writeRefusal,
  type Isolation,
  type Place,
} from './isolation.ts'
import { fileProblem, findPlace, insertProject, listKnownSlugs } from './store.ts'

declare const judged: unique symbol

/**
 * What one call may see: proof that the project was resolved and the fences judged. Only this file
 * makes one, so a query that takes a Scope cannot be handed a project that nobody judged.
 */
export interface Scope {
  readonly [judged]: true
  /** Where the call comes from, by which every fence is judged. */
  readonly caller: Place
  /** The project that was asked for or inferred; '' is the global scope. */
  readonly project: string
  /** What a search looks into: the project, and the global scope where it may be read. */
  readonly searched: readonly string[]
}

/** A connection's call, as far as scope depends on it. */
export interface CallContext {
  /** The session bound to the connection, by session_start or by naming it in the call. */
  session: { id: string; project: string; isolation: Isolation; model: string } | null
  /** Where agents work that speak through hooks only. Of no matter to a session. */
  ambients: readonly Ambient[]
}

/** A project with a live ambient session, and the session heard last there. */
export interface Ambient extends Place {
  session: string
  model: string
}

/** The scopes of one call. */
export interface Scopes {
  /** By whom: the bound session, else the one ambient session that can be meant. */
  readonly actor: Actor
  readonly caller: Place
  /** For lookups and searches. Nothing asked and nothing to infer from means the global scope. */
  read(asked?: string): Promise<Scope>
  /** For durable creates: the project, registered when it is new. Fails closed. */
  write(asked?: string): Promise<string>
  /** For items reached by their id, wherever they lie. */
  readonly reach: Scope
}

/** Six hours of silence end an ambient session's claim to be meant; two projects are never guessed between. */
export function scopesFor(kernel: Kernel, context: CallContext): Scopes {
  const { session } = context
  const ambients = session ? [] : context.ambients
  const only = ambients.length === 1 ? ambients[0] : undefined
  const caller = callerPlace(session, only)
  const actor: Actor = session
    ? { session: session.id, model: session.model }
    : { session: only?.session ?? '', model: only?.model ?? '' }

  /** The project that the call means without naming one, or undefined. */
  const inferred = (): string | undefined => {
    if (session) return session.project
    if (only && only.isolation !== 'open') {
      throw forbidden(`project ${only.project} is ${only.isolation}; bind a session to it first`)
    }
    return only?.project
  }

  return {
    actor,
    caller,
    reach: scope(caller, caller.project),

    async read(asked) {
      const explicit = parseProject(asked)
      if (explicit !== undefined) {
        const target = await findPlace(kernel.db, explicit)
        const refusal = readRefusal(caller, target)
        if (refusal) throw forbidden(refusal)
        return scope(caller, explicit, target.isolation)
      }
      if (ambients.length > 1) throw await severalProjects(kernel.db, '')
      return scope(caller, inferred() ?? '')
    },

    async write(asked) {
      const explicit = parseProject(asked)
      if (explicit !== undefined) return openForWriting(kernel, caller, explicit)
      if (ambients.length > 1) throw await severalProjects(kernel.db, CREATES)
      const project = inferred()
      // A session may be older than the row of its project, as after a lost database.
      if (project !== undefined) return openForWriting(kernel, caller, project)
      throw ambiguous(
        `ambiguous scope: no session to infer from; pass project=<slug> or project=global. ` +
          CREATES +
          (await knownProjects(kernel.db)),
      )
    },
  }
}

function callerPlace(session: CallContext['session'], ambient: Ambient | undefined): Place {
  if (session) return { project: session.project, isolation: session.isolation }
  // Inference never grants entry to a fenced project.
  if (ambient?.isolation === 'open') return { project: ambient.project, isolation: 'open' }
  return GLOBAL
}

function scope(caller: Place, project: string, level: Isolation = 'open'): Scope {
  const own = project === caller.project ? caller.isolation : level
  const alone = project === '' || own === 'sealed' || !mayRead(caller, GLOBAL)
  return { caller, project, searched: alone ? [project] : [project, ''] } as unknown as Scope
}

/**
 * The scope of a place itself: what one who works there may see. For those who act on behalf of a
 * session without its call, as briefings and hooks do.
 */
export const scopeOf = (_kernel: Kernel, place: Place): Scope => scope(place, place.project)

/** Undefined: not given. '' is the global scope. */
export function parseProject(asked: string | undefined): string | undefined {
  const project = asked?.trim() ?? ''
  if (project === '') return undefined
  if (project === 'global' || project === '_global') return ''
  if (project === 'all') {
    throw invalid(
      'project "all" is reserved for operations on everything; pass one project, or project=global',
    )
  }
  const problem = nameProblem(project)
  if (problem) throw invalid(`invalid project ${quote(project)}: ${problem}`)
  return project
}

/**
 * Judges a write into the project and registers it when it is new, in its own short transaction.
 * The fence comes first, so that a refused caller leaves no project behind.
 */
export async function openForWriting(
  kernel: Kernel,
  caller: Place,
  project: string,
): Promise<string> {
  const target = await findPlace(kernel.db, project)
  const refusal = writeRefusal(caller, target)
  if (refusal) throw forbidden(refusal)
  if (project !== '' && !target.registered) {
    const slug = slugify(project)
    if (slug !== project) {
      throw invalid(
        `invalid project ${quote(project)}: a new project's slug is lower-case letters and digits ` +
          `joined by "-"; did you mean "${slug}"?`,
      )
    }
    refuseReserved(slug)
    const problem = await fileProblem(kernel.db, slug)
    if (problem) throw unavailable(problem)
    await insertProject(kernel, { slug, name: slug, description: '', isolation: 'open' })
  }
  return project
}

/**
 * Judges once more inside the transaction that writes: the level read before may be an old one.
 * Answers whether the caller may also read there.
 */
export async function judgeWrite(db: Db, { caller }: Scope, project: string): Promise<boolean> {
  const place = await findPlace(db, project)
  const refusal = writeRefusal(caller, place)
  if (refusal) throw forbidden(refusal)
  return mayRead(caller, place)
}

const RESERVED = new Set(['global', '_global', 'all'])

export const isReserved = (slug: string): boolean => RESERVED.has(slug)

export function refuseReserved(slug: string): void {
  if (isReserved(slug)) {
    throw invalid(`project slug "${slug}" is reserved; choose another`)
  }
}

/** Returns a condition on a column that holds a project: the caller may read what lies there. */
export const readable = (scope: Scope, column: string): RawBuilder<boolean> =>
  allows('read', scope, column)

/** Returns a condition on a column that holds a project: the caller may write what lies there. */
export const writable = (scope: Scope, column: string): RawBuilder<boolean> =>
  allows('write', scope, column)

function allows(act: 'read' | 'write', { caller }: Scope, column: string): RawBuilder<boolean> {
  const project = sql.ref(column)
  return sql<boolean>`fence_allows(${sql.lit(act)}, ${caller.project}, ${caller.isolation}, ${project},
    (select target.isolation from projects target where target.slug = ${project}))`
}

/** What became of an item that was looked for by its id, in one statement with both fences. */
export interface Reached {
  project: string
  readable: boolean
  writable: boolean
}

/**
 * Judges an item that was reached by its id for writing.
 *
 * What the caller may neither read nor write answers like an id that does not exist.
 */
export function refuseUnwritable(
  { caller }: Scope,
  item: Reached | undefined,
  what: string,
): asserts item is Reached {
  if (!item || (!item.readable && !item.writable)) throw notFound(what)
  if (!item.writable) {
    const target: Place = { project: item.project, isolation: 'open' }
    throw forbidden(writeRefusal(caller, target) ?? 'the project accepts no write from here')
  }
}

const CREATES =
  'An unknown slug creates the project. global is no neutral default: it reaches every briefing. ' +
  'A session bound to a confidential or sealed project can write only there. '

async function severalProjects(db: Db, advice: string): Promise<Error> {
  return ambiguous(
    `ambiguous scope: several projects have live agents; pass project=<slug> or project=global. ` +
      advice +
      (await knownProjects(db)),
  )
}

const KNOWN = 30

async function knownProjects(db: Db): Promise<string> {
  const slugs = await listKnownSlugs(db)
  if (slugs.length === 0) return 'No project is known yet.'
  const more = slugs.length > KNOWN ? ` (+${slugs.length - KNOWN} more, see project_list)` : ''
  return `Known projects: ${slugs.slice(0, KNOWN).join(', ')}${more}.`
}

/** Quoted as JSON does it, so that no control character of an argument reaches a terminal. */
const quote = (text: string): string => JSON.stringify(text.slice(0, 300))
