import { isFenced, type Place } from './isolation.ts'

/** A live agent that a call may come from. */
export interface Caller extends Place {
  handle: string
}

/** As many are named; an agent looks for its own among them. */
const NAMED = 8

/**
 * What a caller is told that could be several agents: how to say which one it is. Agents of fenced
 * projects are not named, for a handle admits to the project behind the fence; each knows its own.
 */
export function askWhich(callers: readonly Caller[]): string {
  const open = callers.filter((caller) => !isFenced(caller))
  const named = open
    .slice(0, NAMED)
    .map(({ handle, project }) => `${handle} (${project || 'global'})`)
  const more = open.length > NAMED ? ', …' : ''
  const which = named.length === 0 ? '' : `; active are ${named.join(', ')}${more}`
  return `pass session=<your own handle, as your briefing says it${which}>`
}
