import type { Kernel } from '../kernel/kernel.ts'
import { findPlace } from './store.ts'

export interface Withheld {
  fields: string[]
  reason: string
}

/**
 * The answer of a call that put something into a project whose content the caller may not read: the
 * named fields are left out, whether or not they hold a value, and a marker says so.
 */
export async function withhold<Result extends object>(
  kernel: Kernel,
  { project, readable }: { project: string; readable: boolean },
  fields: readonly (keyof Result & string)[],
  result: Result,
): Promise<Result & { withheld?: Withheld }> {
  if (readable) return result
  const { isolation } = await findPlace(kernel.db, project)
  const kept = Object.entries(result).filter(
    ([key]) => !fields.includes(key as keyof Result & string),
  )
  const reason =
    `write accepted; project ${project} is ${isolation}, so its content goes only to sessions ` +
    'bound to it (fields are dropped whether or not they hold a value)'
  return { ...(Object.fromEntries(kept) as Result), withheld: { fields: [...fields], reason } }
}
