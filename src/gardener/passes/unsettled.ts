/** Which findings may be proposed at all: those that wait, are hidden or were decided take nobody's place. */
import type { Db } from '../../kernel/kernel.ts'
import { scopeSql, type OwnerScope } from '../../projects/projects.ts'
import { chunksOf } from './chunks.ts'

/** Something that may become a proposal. */
export interface Finding {
  key: string
  /** Of the newest evidence. */
  last: Date
}

const ask = scopeSql<{ keys: string[]; times: Date[] }, { key: string }, OwnerScope>(
  'gardener/unsettled',
)

/** Findings of one statement. */
const AT_ONCE = 1_000

export async function unsettled<Found extends Finding>(
  db: Db,
  owner: OwnerScope,
  findings: readonly Found[],
): Promise<Found[]> {
  const keys = new Set<string>()
  for (const some of chunksOf(findings, AT_ONCE)) {
    const asked = { keys: some.map(({ key }) => key), times: some.map(({ last }) => last) }
    for (const { key } of await ask(db, owner, asked)) keys.add(key)
  }
  return findings.filter(({ key }) => keys.has(key))
}
