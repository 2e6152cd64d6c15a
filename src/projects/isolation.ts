/** From the most open to the most closed. Set when a project is made and never changed by a tool. */
export const ISOLATION = ['open', 'confidential', 'sealed'] as const
export type Isolation = (typeof ISOLATION)[number]

/** A project by its slug ('' is the global scope) and its level. Global and unregistered ones are open. */
export interface Place {
  project: string
  isolation: Isolation
}

export const GLOBAL: Place = { project: '', isolation: 'open' }

/** Whether an agent in `caller` may read what lies in `target`. */
export function mayRead(caller: Place, target: Place): boolean {
  if (caller.project === target.project) return true
  return target.isolation === 'open' && caller.isolation !== 'sealed'
}

/** Whether an agent in `caller` may write into `target`. A confidential project accepts what comes in. */
export function mayWrite(caller: Place, target: Place): boolean {
  if (caller.project === target.project) return true
  return caller.isolation === 'open' && target.isolation !== 'sealed'
}

/** The rule that forbids the read, or null. The target's fence is judged first. */
export function readRefusal(caller: Place, target: Place): string | null {
  if (mayRead(caller, target)) return null
  return target.isolation !== 'open'
    ? `project ${target.project} is ${target.isolation}; only a session bound to it can read it`
    : `session is bound to sealed project ${caller.project} and can read nothing else`
}

/** The rule that forbids the write, or null. The caller's own fence is judged first. */
export function writeRefusal(caller: Place, target: Place): string | null {
  if (mayWrite(caller, target)) return null
  return caller.isolation !== 'open'
    ? `session is bound to ${caller.isolation} project ${caller.project} and can write nowhere else`
    : `project ${target.project} is sealed; only a session bound to it can write there`
}
