/**
 * Favorites: the star on items that agents and their owner often need. Briefings pin a starred memory,
 * and recall ranks starred items a little higher.
 *
 * This file is the room's door. Other rooms import only this file of favorites/. The
 * star itself is part of its item: in the head of the file, or in the row.
 */
import { record } from '../kernel/events.ts'
import { isId, newId } from '../kernel/id.ts'
import { NOBODY, type Actor, type Kernel } from '../kernel/kernel.ts'
import { invalid } from '../kernel/refusal.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { namedTarget, starDocument } from '../documents/documents.ts'
import { memoryDocument } from '../memories/memories.ts'
import { noteDocument } from '../notes/notes.ts'
import { primaryNote } from '../plans/plans.ts'
import {
  checkOwner,
  findPlace,
  scopeAt,
  starProject,
  type OwnerScope,
  type Scope,
  type Scopes,
} from '../projects/projects.ts'
import { starSession } from '../sessions/sessions.ts'
import { starTask } from '../tasks/tasks.ts'
import { starTrial } from '../trials/trials.ts'
import { favoriteChanged } from './events.ts'

export { favoriteChanged } from './events.ts'

/** The kinds of items that can have a star, in the order of lists. */
export const FAVORITE_KINDS = [
  'memory',
  'note',
  'project',
  'plan',
  'task',
  'session',
  'trial',
] as const
export type FavoriteKind = (typeof FAVORITE_KINDS)[number]

export interface Star {
  kind: FavoriteKind
  /** The name of a memory, a slug or an id, as the caller gave it. */
  id: string
  favorite: boolean
  /** The project of a name or a slug. Default: the caller's own. */
  project?: string | undefined
}

/** The event stores the id as the caller gave it. */
const LONGEST_ID = 300

interface Starred {
  /** The id of the item, or the slug of a project. */
  id: string
  project: string
}

/**
 * Sets or clears a star. A star is no edit: `updated` stays. An item that already has the wanted state
 * is not written, and the event records the request.
 */
export async function setFavorite(
  kernel: Kernel,
  by: Actor,
  scopes: Pick<Scopes, 'caller' | 'read' | 'reach'>,
  star: Star,
  whose: 'agent' | 'console' = 'agent',
): Promise<{ indexed: boolean }> {
  const { kind, favorite } = star
  const id = star.id.trim()
  if (id === '') throw invalid('id must not be blank')
  if (id.length > LONGEST_ID) throw invalid(`id must have at most ${LONGEST_ID} characters`)
  const event = newId(kernel.clock.now())
  const remember = async (kernel: Kernel, item: Starred): Promise<void> => {
    const payload = { kind, id, favorite, by: whose }
    await record(kernel, favoriteChanged, {
      id: event,
      by,
      project: item.project,
      item: item.id,
      payload,
    })
  }
  const { reach } = scopes
  switch (kind) {
    case 'memory':
    case 'note': {
      const document = kind === 'memory' ? memoryDocument : noteDocument
      const target = isId(id)
        ? { scope: reach, address: { id } }
        : await namedTarget(kernel, document, scopes, id, star.project)
      return starDocument(kernel, document, target, favorite, remember)
    }
    case 'plan': {
      const scope = await scopes.read(star.project)
      const note = await primaryNote(kernel.db, id, scope)
      return starDocument(
        kernel,
        noteDocument,
        { scope, address: { id: note } },
        favorite,
        remember,
      )
    }
    default:
      await inTransaction(kernel, async (kernel) => {
        await remember(kernel, await starRow(kernel, reach, kind, id, favorite))
      })
      return { indexed: true }
  }
}

/** The owner sets or clears a star, past every fence. */
export async function starByOwner(
  kernel: Kernel,
  owner: OwnerScope,
  { kind, id, project, favorite }: Star,
): Promise<void> {
  checkOwner(owner)
  const caller = await findPlace(kernel.db, project ?? '')
  const scope = await scopeAt(kernel.db, caller)
  const scopes = { caller, reach: scope, read: async () => scope }
  await setFavorite(kernel, NOBODY, scopes, { kind, id, project, favorite }, 'console')
}

function starRow(
  kernel: Kernel,
  reach: Scope,
  kind: Exclude<FavoriteKind, 'memory' | 'note' | 'plan'>,
  id: string,
  favorite: boolean,
): Promise<Starred> {
  switch (kind) {
    case 'project':
      return starProject(kernel, reach, id, favorite)
    case 'task':
      return starTask(kernel, reach, id, favorite)
    case 'session':
      return starSession(kernel, reach, id, favorite)
    case 'trial':
      return starTrial(kernel, reach, id, favorite)
  }
}
