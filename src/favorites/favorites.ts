/**
 * Favorites: the star on whatever agents and their owner come back to. A starred memory is pinned
 * into briefings, and what is starred ranks a little higher in recall.
 *
 * This file is the room's door. Other rooms import from here and from nowhere else in favorites/. The
 * star itself stands with its item: in the head of its file, or in its row.
 */
import { record } from '../kernel/events.ts'
import { isId, newId } from '../kernel/id.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { invalid } from '../kernel/refusal.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { starMemory } from '../memories/memories.ts'
import { starNote } from '../notes/notes.ts'
import { primaryNote } from '../plans/plans.ts'
import { starProject, type Scope, type Scopes } from '../projects/projects.ts'
import { starSession } from '../sessions/sessions.ts'
import { starTask } from '../tasks/tasks.ts'
import { starTrial } from '../trials/trials.ts'
import { favoriteChanged } from './events.ts'

export { favoriteChanged } from './events.ts'

/** What can be starred, in the order in which it is listed. */
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
  /** A memory's name, a slug or an id, as it was given. */
  id: string
  favorite: boolean
  /** Where a name or a slug is looked up; the caller's own place when it is left out. */
  project?: string | undefined
}

/** The event keeps it as it was given. */
const LONGEST_ID = 300

interface Starred {
  /** Of the item: its id, or the slug of a project. */
  id: string
  project: string
}

/**
 * Sets or clears a star. It is nobody's edit: `updated` stays as it was. Of an item that is so already
 * nothing is written, and the event says that it was asked for.
 */
export async function setFavorite(
  kernel: Kernel,
  by: Actor,
  scopes: Pick<Scopes, 'read' | 'reach'>,
  star: Star,
): Promise<{ indexed: boolean }> {
  const { kind, favorite } = star
  const id = star.id.trim()
  if (id === '') throw invalid('id must not be blank')
  if (id.length > LONGEST_ID) throw invalid(`id must have at most ${LONGEST_ID} characters`)
  const event = newId(kernel.clock.now())
  const remember = async (kernel: Kernel, item: Starred): Promise<void> => {
    const payload = { kind, id, favorite, by: 'agent' }
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
    case 'memory': {
      const [scope, address] = isId(id)
        ? [reach, { id }]
        : [await scopes.read(star.project), { name: id }]
      return starMemory(kernel, scope, address, favorite, remember)
    }
    case 'note': {
      const [scope, address] = isId(id)
        ? [reach, { id }]
        : [await scopes.read(star.project), { slug: id }]
      return starNote(kernel, scope, address, favorite, remember)
    }
    case 'plan': {
      const scope = await scopes.read(star.project)
      const note = await primaryNote(kernel.db, id, scope)
      return starNote(kernel, scope, { id: note }, favorite, remember)
    }
    default:
      await inTransaction(kernel, async (kernel) => {
        await remember(kernel, await starRow(kernel, reach, kind, id, favorite))
      })
      return { indexed: true }
  }
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
