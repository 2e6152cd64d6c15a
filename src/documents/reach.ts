/** Which document a caller means, and what a miss says. */
import type { Db } from '../kernel/kernel.ts'
import { notFound, type Refusal } from '../kernel/refusal.ts'
import { refuseUnwritable, type Scope } from '../projects/projects.ts'
import type { Act, DocumentKind } from './kind.ts'
import { cutSlug } from '../text/slug.ts'
import { findDocument, type Address, type Found, type Placed } from './store.ts'

/** The document that a caller means. */
export interface Target {
  scope: Scope
  address: Address
}

/** Returns the address with its name as the kind spells names. */
export function spelled({ nameFrom }: DocumentKind, address: Address): Address {
  if ('id' in address) return address
  const cut = address.cut ?? cutSlug(address.name)
  return { name: nameFrom(address.name), ...(cut !== undefined && { cut }) }
}

/** Returns what was looked for and where, as every miss says it. */
export function missing(
  { kind, words }: DocumentKind,
  { project, searched }: Pick<Scope, 'project' | 'searched'>,
  address: Address,
  advice = '',
): string {
  if ('id' in address) return `${kind} with id ${JSON.stringify(address.id)}`
  const own = project === '' ? 'in global' : `in project "${project}"`
  const further = searched.includes('')
    ? ' nor in global'
    : "; global is outside this session's world"
  return `${words.named(address.name)} ${own}${project && further}${advice && `; ${advice}`}`
}

/** Refuses a document whose file is gone. */
export function fileRemoved({ kind, words }: DocumentKind, { id, name }: Placed): Refusal {
  const called = words.calledBy === 'name' ? `${kind} "${name}"` : `${kind} with id "${id}"`
  return notFound(`${called}: its file was removed`)
}

/** Returns the document that the caller may write. One that has ended can only be retired. */
export async function reachDocument(
  db: Db,
  kind: DocumentKind,
  { scope, address: asked }: Target,
  act: Act,
): Promise<Found> {
  const address = spelled(kind, asked)
  const found = await findDocument(db, kind, scope, address)
  const what = missing(kind, scope, address, kind.words.advice[act])
  refuseUnwritable(scope, found, what)
  if (found.active || !kind.ending || act === 'retire') return found
  throw kind.ending.refusal(found.name, act)
}
