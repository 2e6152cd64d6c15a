/** Which document a caller means, and what a miss says. */
import type { Kernel } from '../kernel/kernel.ts'
import { notFound } from '../kernel/refusal.ts'
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

/** The file of a document is not where its row says. */
export class FileGone extends Error {
  readonly found: Placed
  constructor(found: Placed) {
    super(found.path)
    this.found = found
  }
}

/** How often a document is looked for whose file is not where its row says. */
const TRIES = 3

/**
 * Runs `work`, and again when the file of a document turns out to lie elsewhere by now. A file that is
 * found nowhere is refused as removed.
 */
export async function followMoved<T>(
  kernel: Kernel,
  { kind, words }: DocumentKind,
  work: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof FileGone)) throw error
      const { id, name, path } = error.found
      const missed = { kind, id, paths: [path], gone: true }
      const changed = await kernel.catchUp.lookFor(kernel, missed)
      // Another one may have followed the file between our look and this one.
      if (tries === 1 || (changed && tries < TRIES)) continue
      const called = words.calledBy === 'name' ? `${kind} "${name}"` : `${kind} with id "${id}"`
      throw notFound(`${called}: its file was removed`)
    }
  }
}

/** Returns the document that the caller may write. One that has ended can only be retired. */
export async function reachDocument(
  kernel: Kernel,
  kind: DocumentKind,
  { scope, address: asked }: Target,
  act: Act,
): Promise<Found> {
  const address = spelled(kind, asked)
  const found = await findDocument(kernel, kind, scope, address)
  const what = missing(kind, scope, address, kind.words.advice[act])
  refuseUnwritable(scope, found, what)
  if (found.active || !kind.ending || act === 'retire') return found
  throw kind.ending.refusal(found.name, act)
}
