/**
 * The scopes of a call. A `project` argument is never used as it came: it is resolved here, judged by
 * the fence, and comes out as a Scope or as the slug of a registered project.
 */
import type { Actor, Db, Kernel } from '../kernel/kernel.ts'
import { ambiguous, forbidden } from '../kernel/refusal.ts'
import { closedTo, GLOBAL, isFenced, type Level, type Place } from './isolation.ts'
import { judge, refuseRead } from './judge.ts'
import { openForWriting } from './open-for-writing.ts'
import { makeScope, scopeOf, type Scope } from './scope.ts'
import { parseProject } from './slugs.ts'
import { findPlace, listKnownSlugs } from './store.ts'

/** A connection's call, as far as scope depends on it. */
export interface CallContext {
  /** The session bound to the connection, by session_start or by naming it in the call. */
  session: { id: string; project: string; isolation: Level; model: string } | null
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
    if (only && isFenced(only)) {
      throw forbidden(`project ${only.project} is ${only.isolation}; bind a session to it first`)
    }
    return only?.project
  }

  return {
    actor,
    caller,
    reach: scopeOf(caller),

    async read(asked) {
      const explicit = parseProject(asked)
      if (explicit !== undefined) {
        refuseRead(caller, await judge(kernel.db, caller, explicit))
        return makeScope(caller, explicit)
      }
      if (ambients.length > 1) throw await severalProjects(kernel.db, '')
      return makeScope(caller, inferred() ?? '')
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
  if (ambient && !isFenced(ambient)) {
    return { project: ambient.project, isolation: ambient.isolation }
  }
  return GLOBAL
}

/**
 * Returns what one may see who works in the project, by its level of this moment. Where the level was
 * known before, the more closed of both counts.
 */
export async function scopeAt(db: Db, at: string | Place): Promise<Scope> {
  if (typeof at === 'string') return scopeOf(await findPlace(db, at))
  const { isolation } = await findPlace(db, at.project)
  return scopeOf(closedTo(at, isolation))
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
