/** A proposal is carried out: its effect and its decision are one transaction. */
import { isDeepStrictEqual } from 'node:util'
import { record } from '../kernel/events.ts'
import { newId } from '../kernel/id.ts'
import type { Actor, Db, Kernel } from '../kernel/kernel.ts'
import { conflict } from '../kernel/refusal.ts'
import { effectOf } from './effects.ts'
import type { Lay, Written } from './effects/effect.ts'
import { gardenerAction } from './events.ts'
import { refuseDecided } from './decide.ts'
import { carrying } from './riding.ts'
import { keepFiles } from './kept-files.ts'
import { findProposal, lockProposal, placesNow, settle, type Proposal } from './store.ts'

/** What an apply told. */
export type Applied = { status: 'applied'; kind: string } & Record<string, unknown>

/** It got another destination between the look-up and the lock. */
class Retargeted extends Error {}

/** How often a proposal is looked up before the apply is refused. */
const TRIES = 3

/**
 * Applies a proposal. Refused when it is not pending and when its effect is: it stays pending then, and nothing is
 * changed. A kill between file and row is made good by applying it again.
 *
 * @param judge refuses it for the caller, under the locks: its items may have gone behind a fence since a look before
 */
export async function applyProposal(
  kernel: Kernel,
  by: Actor,
  id: string,
  judge?: (db: Db) => Promise<void>,
): Promise<Applied> {
  for (let tries = 1; ; tries++) {
    try {
      return await carryOut(kernel, by, await findProposal(kernel.db, id), judge)
    } catch (error) {
      if (!(error instanceof Retargeted)) throw error
      if (tries === TRIES) throw conflict(`proposal ${id} is being changed; try again`)
    }
  }
}

/** The proposal is as it was before the locks, which go by what it says. */
async function carryOut(
  kernel: Kernel,
  by: Actor,
  { id, kind, payload, projects, items }: Proposal,
  judge?: (db: Db) => Promise<void>,
): Promise<Applied> {
  const effect = effectOf(kind)
  const event = newId(kernel.clock.now())
  let [told, laid]: Record<string, unknown>[] = [{}, {}]
  let lay: Lay = (memory) => memory
  const carrier = carrying(kernel, {
    async begin({ db }) {
      const locked = await lockProposal(db, id)
      refuseDecided(locked)
      if (!isDeepStrictEqual(locked.payload, payload)) throw new Retargeted()
      await judge?.(db)
      lay = await placesNow(db, items)
      await effect.judge?.(db, payload, lay)
    },
    async ground(kernel) {
      laid = { ...laid, ...(await effect.ground?.lay(kernel, payload)) }
    },
    async end(kernel, written, files) {
      told = {
        ...effect.told(payload, written as Written, lay),
        ...laid,
        ...(files.length === 0 && !effect.undo && !effect.final && { noop: true }),
      }
      const made = files.map((file) => ({ ...file, before: null }))
      await keepFiles(kernel.db, id, effect.makes ? made : files)
      await settle(kernel.db, id, { status: 'applied', by: by.session, result: told })
      await record(kernel, gardenerAction, {
        id: event,
        by,
        project: projects[0] ?? null,
        item: id,
        payload: { action: 'apply', kind },
      })
    },
  })
  await effect.apply(carrier, by, payload)
  return { ...told, status: 'applied', kind }
}
