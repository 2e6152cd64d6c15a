import { Refusal } from '../../kernel/refusal.ts'
import type { Meant } from './tools.ts'

/** Says which project a command meant that named none. */
export function meantLine({ project, by }: Meant): string {
  if (by === 'nothing')
    return 'for: global, since this directory belongs to no project; --project names one'
  const where = project === '' ? 'global' : `project ${project}`
  return `for: ${where} (${by === 'session' ? 'that of the session' : 'this directory'})`
}

/** Adds what to type where the service lets nobody in who only works in the directory. */
export function withWay(error: unknown): unknown {
  if (!(error instanceof Refusal) || !error.message.endsWith('bind a session to it first'))
    return error
  return new Refusal(
    error.kind,
    `${error.message}: pass --session <name> of one that works there; "loam prime" begins one and prints its name`,
  )
}
