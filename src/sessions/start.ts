/** How sessions begin and come back. */
import { record } from '../kernel/events.ts'
import { newId } from '../kernel/id.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { conflict, invalid } from '../kernel/refusal.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { findPlace, isFenced, type Place } from '../projects/projects.ts'
import { recordEnd } from './end.ts'
import { sessionStarted } from './events.ts'
import { indexFindings } from './findings.ts'
import { handlesOf } from './handle.ts'
import { announce, detach, sharedWith, takeUp } from './identity.ts'
import { calledAt, checkName, placeOfName } from './names.ts'
import {
  ambientsAt,
  changeSession,
  findNamed,
  getSession,
  insertSession,
  lockSession,
  ofClient,
  type SessionRow,
} from './store.ts'

export const SOURCES = ['startup', 'resume', 'clear', 'compact', 'explicit'] as const
export type Source = (typeof SOURCES)[number]

export interface Start {
  /** A name that exists resumes its session, whatever its state. */
  name?: string
  /** Where the agent works now; unknown when it did not say. */
  place: Place & { isUnknown?: true }
  cwd: string
  source: Source
  model: string
  /** Who calls: the client's name, and its ambient session when it is known; '' otherwise. */
  caller: { client: string; session: string }
}

export interface Started {
  session: SessionRow
  resumed: boolean
}

/**
 * Begins a session, resumes the one of this name, or takes over the caller's ambient session: the one
 * that it showed, else the only one of its client in the directory. A named one shares that ambient
 * session's identity, so that both end with the client, and the client's later calls speak for it. One
 * that comes back is shared with who takes it up, and no longer with the client that had it before.
 */
export function startSession(kernel: Kernel, start: Start): Promise<Started> {
  const asked = checkName(start.name)
  const { model } = start
  return inTransaction(kernel, async (kernel) => {
    const place = await placeOfName(kernel.db, asked, start.place)
    const name = asked && calledAt(place, asked)
    const known = name === '' ? undefined : await findNamed(kernel.db, name)
    const before = await ownAmbient(kernel, start)
    const only =
      before && crosses(before, place)
        ? await goBehind(kernel, before, { ...start, place })
        : before
    if (known) return comeBackTo(kernel, known, only, { ...start, place })
    if (only && name === '') {
      if (only !== before) return { session: only, resumed: false }
      return comeBack(kernel, only, place, model, { resumed: true, adopted: true })
    }
    const id = newId(kernel.clock.now())
    const made = await insertSession(kernel.db, {
      id,
      name: name || calledAt(place, `sess/${id.slice(-8).toLowerCase()}`),
      project: place.project,
      cwd: start.cwd,
      source: start.source,
      model,
      ...sharedWith(only),
      first_prompt: only?.first_prompt ?? '',
    })
    if (!made) {
      // Two calls that begin one name at once get one session, as if the second had come later.
      const winner = name === '' ? undefined : await findNamed(kernel.db, name)
      if (!winner) throw new Error(`a session could not be made as ${name || id}`)
      return comeBackTo(kernel, winner, only, { ...start, place })
    }
    const session = await getSession(kernel.db, id)
    await recordStart(kernel, session, {})
    return { session, resumed: false }
  })
}

async function ownAmbient(kernel: Kernel, start: Start): Promise<SessionRow | undefined> {
  const { client, session } = start.caller
  if (session !== '') {
    const own = await getSession(kernel.db, session)
    if (own.ambient) return own
    return ambientOf(kernel, own.external_client, own.client_session_id)
  }
  if (start.cwd === '') return undefined
  const ambients = await ambientsAt(kernel.db, start.cwd, client)
  return ambients.length === 1 ? ambients[0] : undefined
}

/**
 * A named session comes back, and ends with who takes it up: the client that had it may end first. An ambient
 * one stays its own client's, whoever names it.
 *
 * @param only the ambient session of the caller's client, when it is known
 */
async function comeBackTo(
  kernel: Kernel,
  named: SessionRow,
  only: SessionRow | undefined,
  { place, model, caller }: Start,
): Promise<Started> {
  const isOwn = !only && caller.session === named.id
  if (!named.ambient && !isOwn) await takeUp(kernel.db, named.id, only)
  return comeBack(kernel, named, place, model, { resumed: true })
}

async function comeBack(
  kernel: Kernel,
  { id }: SessionRow,
  place: Place,
  model: string,
  how: { resumed: true; adopted?: true },
): Promise<Started> {
  const session = await locked(kernel, id)
  if (crosses(session, place)) throw conflict('a session of this name is elsewhere; choose another')
  const now = await makeActive(kernel, session, place.project, model)
  await recordStart(kernel, now, how)
  return { session: now, resumed: true }
}

/** Makes a locked session active, in this project where it may move there. Returns it as it is now. */
async function makeActive(
  kernel: Kernel,
  session: SessionRow,
  project: string,
  model: string,
): Promise<SessionRow> {
  const change = { status: 'active' as const, model, ...move(session, project) }
  await changeSession(kernel.db, session.id, change)
  const now = await getSession(kernel.db, session.id)
  if (now.project !== session.project) await indexFindings(kernel, now)
  return now
}

/** The session as it is: another call may have ended or moved it meanwhile. */
async function locked({ db }: Kernel, id: string): Promise<SessionRow> {
  await lockSession(db, id)
  return getSession(db, id)
}

/**
 * A session that resumes in another open project moves there with its findings. A session of a fenced
 * project stays: its findings would leave the fence.
 */
function move(session: SessionRow, to: string): { project?: string } {
  return to === '' || isFenced(session) ? {} : { project: to }
}

/** Whether a session of an open project would come behind a fence: what it found belongs to where it was. */
const crosses = (session: SessionRow, place: Place): boolean =>
  !isFenced(session) && isFenced(place)

/**
 * The client of a session goes behind a fence. Another session begins there under its identity, so that
 * what it says from now on stays there; the open ones end where they are, with what they found. Undefined
 * when nothing is known of the client but its place.
 */
async function goBehind(
  kernel: Kernel,
  before: SessionRow,
  { place, cwd, source, model }: { place: Place; cwd: string; source: string; model: string },
): Promise<SessionRow | undefined> {
  const { external_client: client, client_session_id: external_id, process } = before
  if (client === '' || external_id === '') return undefined
  const all = await ofClient(kernel.db, client, external_id)
  for (const { id } of all.toSorted((a, b) => (a.id < b.id ? -1 : 1))) await stayBehind(kernel, id)
  const ambience = { client, external_id, project: place.project, cwd, source, model, process }
  const session = await beginOrResume(kernel, ambience)
  await announce(kernel.db, { client, external: external_id, process })
  return session
}

async function stayBehind(kernel: Kernel, id: string): Promise<void> {
  const session = await locked(kernel, id)
  if (isFenced(session)) return
  await detach(kernel.db, id)
  if (session.status !== 'active') return
  await changeSession(kernel.db, id, { status: 'completed' })
  await recordEnd(kernel, session, { reason: 'moved' })
}

async function recordStart(
  kernel: Kernel,
  { id, model, project }: SessionRow,
  payload: { resumed?: true; adopted?: true; ambient?: true },
): Promise<void> {
  const by: Actor = { session: id, model }
  await record(kernel, sessionStarted, { by, project, item: null, payload })
}

/** A session that has ended, in whatever way, is active again. What it held is free and stays so. */
export function revive(kernel: Kernel, id: string): Promise<void> {
  return inTransaction(kernel, async (kernel) => {
    const session = await locked(kernel, id)
    if (session.status === 'active') return
    await changeSession(kernel.db, id, { status: 'active' })
    await recordStart(kernel, session, { resumed: true })
  })
}

/** What a client's hook reports of the session that the client itself keeps. */
export interface Ambience {
  /** `claude-code`, `codex` or what else the client calls itself. */
  client: string
  /** The client's own id of the session. */
  external_id: string
  /** Resolved; '' when nothing is known of the place. */
  project: string
  cwd: string
  source: string
  model?: string
  /** The key of the client's process; '' when the client's machine does not tell. */
  process?: string
}

/** Begins the ambient session of a client, or resumes it in whatever state it is. */
export function ambientSession(kernel: Kernel, ambience: Ambience): Promise<SessionRow> {
  return inTransaction(kernel, async (kernel) => {
    const session = await beginOrResume(kernel, ambience)
    const { client, external_id: external, process = '' } = ambience
    await announce(kernel.db, { client, external, process })
    return session
  })
}

async function beginOrResume(kernel: Kernel, ambience: Ambience): Promise<SessionRow> {
  const { client, external_id: external, project, cwd, source, model = '' } = ambience
  if (client === '' || external === '') throw invalid('a client and its session id are required')
  const known = await ambientOf(kernel, client, external)
  if (known) return resumeAmbient(kernel, known, ambience)
  const id = newId(kernel.clock.now())
  const row = {
    id,
    project,
    cwd,
    source,
    model,
    ambient: true,
    external_client: client,
    client_session_id: external,
    metadata: { client_session_id: external, external_client: client, cwd, source },
  }
  // A handle may be taken, by a session of any age or by a name that somebody chose: the next is longer.
  const place = await findPlace(kernel.db, project)
  for (const handle of handlesOf(client, external)) {
    const name = calledAt(place, handle)
    if (await insertSession(kernel.db, { ...row, name })) return begin(kernel, id)
    const winner = await ambientOf(kernel, client, external)
    if (winner) return resumeAmbient(kernel, winner, ambience)
  }
  throw new Error(`no handle is left for an ambient session of ${client}`)
}

/** The handle of a client's new session, unless it is taken. */
export const likelyHandle = (client: string, external: string, place: Place): string =>
  calledAt(place, handlesOf(client, external)[0]!)

async function begin(kernel: Kernel, id: string): Promise<SessionRow> {
  const session = await getSession(kernel.db, id)
  await recordStart(kernel, session, { ambient: true })
  return session
}

/** Returns the session that the client itself keeps, in whatever state; undefined when no hook began one. */
export async function ambientOf(
  { db }: Kernel,
  client: string,
  external: string,
): Promise<SessionRow | undefined> {
  if (external === '') return undefined
  const [first] = await ofClient(db, client, external)
  return first?.ambient ? first : undefined
}

/** Findings and what was known at its beginning stay. */
async function resumeAmbient(
  kernel: Kernel,
  { id }: SessionRow,
  ambience: Ambience,
): Promise<SessionRow> {
  const { project, cwd, source, model = '' } = ambience
  const session = await locked(kernel, id)
  // Its client has gone behind a fence meanwhile, and has another one.
  if (!session.ambient) return beginOrResume(kernel, ambience)
  const place = await findPlace(kernel.db, project)
  if (crosses(session, place)) {
    return (await goBehind(kernel, session, { place, cwd, source, model }))!
  }
  const now = await makeActive(kernel, session, project, model)
  if (session.status !== 'active') {
    await recordStart(kernel, now, { ambient: true, resumed: true })
  }
  return now
}
