import { age, oneLine } from '../text/text.ts'
import type { ItemKind } from '../passages/passages.ts'
import type { Found } from './search.ts'
import type { Source } from './source.ts'

/** A hit as an agent reads it. */
export interface Hit {
  kind: ItemKind
  id: string
  name: string
  title: string
  description: string
  /** Omitted for the global scope. */
  project?: string
  age: string
  source: Source
  /** From 0 to 1. */
  score: number
  /** Of a task or a session. */
  status?: string
  favorite?: true
}

const DESCRIPTION = 200

export function hitOf({ kind, id, name, title, description, project, ...found }: Found): Hit {
  return {
    kind,
    id,
    name,
    title,
    description: oneLine(description, DESCRIPTION),
    ...(project !== '' && { project }),
    age: age(found.age),
    source: found.source,
    score: Number(found.score.toFixed(6)),
    ...(found.status !== '' && { status: found.status }),
    ...(found.favorite && { favorite: true as const }),
  }
}
