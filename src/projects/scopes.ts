/**
 * The scopes of a call. A `project` argument is never used as it came: it is resolved here, judged by
 * the fence, and comes out as a Scope or as the slug of a registered project.
 */
import type { Actor, Db, Kernel } from '../kernel/kernel.ts'
import { ambiguous, forbidden } from '../kernel/refusal.ts'
import { askWhich, type Caller } from './callers.ts'
import { closedTo, GLOBAL, isFenced, type Level, type Place } from './isolation.ts'
import { judgeOnce, know, refuseRead, type Judged } from './judge.ts'
import { aimForWriting, openForWriting } from './open-for-writing.ts'
import { makeScope, scopeOf, type Scope } from './scope.ts'
import { parseProject } from './slugs.ts'
import { findPlace, listKnownSlugs } from './store.ts'
import { refuseUnknown, type Created } from './unknown.ts'

/** A connection's call, as far as scope depends on it. */
export interface CallContext {
  /** For whom the call speaks: bound, named in the call, or shown and known. */
  session: {
    id: string
    project: string
    isolation: Level
    /** The project was seen to have a row. */
    registered?: boolean
    model: string
  } | null
  /** The model of this very call; '' when only its session knows. */
  model: string
  /** What the session may do with the project that the call names, or with its own, where that is known. */
  verdict?: Judged | null
  /** Where a caller without a session may work. Of no matter to a session. */
  guess: {
    places: readonly Ambient[]
    /** The caller shows a place that belongs to no project. */
    isUnplaced: boolean
    /** The caller's client has gone behind a fence, away from the place that it shows. */
    isAway: boolean
  }
  /** Lists the agents at work, for a refusal that asks the caller which one it is. */
  listAgents(): Promise<Caller[]>
}

/** A project where an agent works, and its session when there can be no other; else ''. */
export interface Ambient extends Place {
  session: string
}

/** The scopes of one call. */
export interface Scopes {
  /** By whom: the session of the call, else the one that it probably is. */
  readonly actor: Actor
  readonly caller: Place
  /** For lookups and searches, in a project that is there. Nothing asked and nothing to infer from means the global scope. */
  read(asked?: string): Promise<Scope>
  /** Where a durable create would go, judged as `write` does, when more is to be judged before it is registered. */
  aim(asked?: string): Promise<{ project: string; isNew: boolean }>
  /** For durable creates: the project, registered when it is new. Fails closed. */
  write(asked?: string): Promise<string>
  /** For items reached by their id, wherever they lie. */
  readonly reach: Scope
  /** Which project was meant where the call named none, and what said so; undefined before it was asked. */
  readonly meant: Meant | undefined
  /** The project that the call has made by writing into it; undefined while it has made none. */
  readonly created: Created | undefined
}

export interface Meant {
  /** '' is the global scope. */
  project: string
  by: 'session' | 'place' | 'nothing'
}

/** Six hours of silence end an ambient session's claim to be meant; two projects are never guessed between. */
export function scopesFor(kernel: Kernel, context: CallContext): Scopes {
  const { session, model, verdict } = context
  const places = session ? [] : context.guess.places
  const only = places.length === 1 ? places[0] : undefined
  // An object of this call alone: what is judged for it is known to the whole call.
  const reach = scopeOf(callerPlace(session, only))
  const { caller } = reach
  if (session && verdict) know(caller, verdict)
  const actor: Actor = session
    ? { session: session.id, model: model || session.model }
    : { session: '', model, ...(only?.session && { probably: only.session }) }

  let meant: Meant | undefined
  /** The project that the call means without naming one, or undefined. */
  const inferred = (): string | undefined => {
    if (!session && only && isFenced(only)) {
      throw forbidden(`project ${only.project} is ${only.isolation}; bind a session to it first`)
    }
    const project = session ? session.project : only?.project
    const by = session ? 'session' : project === undefined ? 'nothing' : 'place'
    meant = { project: project ?? '', by }
    return project
  }

  let made: Created | undefined
  /**
   * Projects that this call may write into and that need not be made. Who works in a project may do everything there,
   * so nothing is asked of it where the call has seen its row.
   */
  const aimed = new Set<string>(session?.registered ? [session.project] : [])
  const open = async (asked: string): Promise<string> => {
    if (aimed.has(asked)) return asked
    const { project, created } = await openForWriting(kernel, caller, asked)
    made ??= created
    return project
  }

  const target = async (asked: string | undefined): Promise<string> => {
    const explicit = parseProject(asked)
    if (explicit !== undefined) return explicit
    if (places.length > 1) throw await severalProjects(CREATES)
    const project = inferred()
    if (project !== undefined) return project
    throw ambiguous(
      `ambiguous scope: ${whyNone(context.guess)} ${PASS_PROJECT}${CREATES}` +
        (await knownProjects(kernel.db)),
    )
  }

  const severalProjects = async (advice: string): Promise<Error> => {
    const which = askWhich(await context.listAgents())
    return ambiguous(
      `ambiguous scope: agents are at work in several projects; ${which}, or ${PASS_PROJECT}` +
        `${advice}${await knownProjects(kernel.db)}`,
    )
  }

  return {
    actor,
    caller,
    reach,
    get meant() {
      return meant
    },
    get created() {
      return made
    },

    async read(asked) {
      const explicit = parseProject(asked)
      // No fence stands between a caller and its own project.
      if (explicit !== undefined && explicit === caller.project) return makeScope(caller, explicit)
      if (explicit !== undefined) {
        const target = await judgeOnce(kernel.db, caller, explicit)
        refuseRead(caller, target)
        await refuseUnknown(kernel.db, caller, target)
        return makeScope(caller, explicit)
      }
      if (places.length > 1) throw await severalProjects('')
      return makeScope(caller, inferred() ?? '')
    },

    async aim(asked) {
      const project = await target(asked)
      const isNew = !aimed.has(project) && (await aimForWriting(kernel, caller, project))
      if (!isNew) aimed.add(project)
      return { project, isNew }
    },

    // A session may be older than the row of its project, as after a lost database.
    write: async (asked) => open(await target(asked)),
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

/** Why nothing says which project a call without one means. */
function whyNone({ isUnplaced, isAway }: CallContext['guess']): string {
  if (isAway) {
    return `your client works behind a fence, away from the directory that it shows; ${askWhich([])}, or`
  }
  if (isUnplaced) return 'the directory you work in belongs to no project yet;'
  return 'no session to infer from;'
}

const CREATES =
  'An unknown slug creates the project. global is no neutral default: it reaches every briefing. ' +
  'A session bound to a confidential or sealed project can write only there. '

const PASS_PROJECT = 'pass project=<slug> or project=global. '

const KNOWN = 30

async function knownProjects(db: Db): Promise<string> {
  const slugs = await listKnownSlugs(db)
  if (slugs.length === 0) return 'No project is known yet.'
  const more = slugs.length > KNOWN ? ` (+${slugs.length - KNOWN} more, see project_list)` : ''
  return `Known projects: ${slugs.slice(0, KNOWN).join(', ')}${more}.`
}
