declare const owners: unique symbol

/**
 * What the owner of the store may see: everything, past every fence.
 *
 * Queries for the console and for the operator's commands take one, so that no tool of an agent can
 * ask them. Only this file makes it.
 */
export interface OwnerScope {
  readonly [owners]: true
}

const OWNER = Object.freeze({}) as unknown as OwnerScope

/** Returns the scope of the owner. Only the console and the operator's commands may ask for it. */
export const ownerScope = (): OwnerScope => OWNER

/** Refuses a scope that was not made here. The types refuse it too, unless a cast silences them. */
export function checkOwner(scope: OwnerScope): void {
  if (!isOwner(scope)) throw new TypeError('an owner scope that nobody made: see owner-scope.ts')
}

/** Whether a scope is that of the owner: the one that was made here, and nothing that looks like it. */
export const isOwner = (scope: object): scope is OwnerScope => scope === OWNER
