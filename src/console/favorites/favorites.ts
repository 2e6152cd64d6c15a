/** The owner's star on whatever can have one. */
import Type from 'typebox'
import { FAVORITE_KINDS, starByOwner, type FavoriteKind } from '../../favorites/favorites.ts'
import { notFound } from '../../kernel/refusal.ts'
import { name } from '../../kernel/schema/bounds.ts'
import { ownerScope } from '../../projects/projects.ts'
import { act, defineScreen } from '../screen.ts'
import { findStarred } from './queries.ts'

const isKind = (kind: string): kind is FavoriteKind =>
  (FAVORITE_KINDS as readonly string[]).includes(kind)

/** Sets the star as `favorite` says, and turns it over when that is left out. */
const star = act({
  path: '/:kind/:id',
  form: Type.Object({
    favorite: Type.Optional(Type.Enum(['0', '1'])),
    project: Type.Optional(name()),
  }),
  next: ({ kind, id }, links) => links.to(kind, id) ?? '/console/',
  notice: ({ favorite }: { favorite: boolean }) => (favorite ? 'Starred.' : 'Unstarred.'),
  async run(kernel, { kind, id, favorite: wanted, project = '' }) {
    if (!isKind(kind)) throw notFound(`kind ${JSON.stringify(kind)} of what can be starred`)
    const found = await findStarred(kernel.db, ownerScope(), kind, id, project)
    if (!found) throw notFound(`${kind} ${id}`)
    const favorite = wanted === undefined ? !found.favorite : wanted === '1'
    await starByOwner(kernel, ownerScope(), { kind, id, favorite, project: found.project })
    return { kind, id, favorite }
  },
})

export const favorites = defineScreen({ section: 'favorites', writes: [star] })
