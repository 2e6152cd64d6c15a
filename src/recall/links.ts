import type { Kernel } from '../kernel/kernel.ts'
import { scopeSql, type Scope } from '../projects/projects.ts'
import type { Candidate } from './fusion.ts'
import { keyOf, type Item } from './items.ts'
import { show, shownAs, type Found } from './search.ts'

/** Memories whose links are followed: the best. */
const FOLLOWED = 5
/** What a linked memory has of the score of the one that links to it; the next one a little less. */
const PASSED_ON = 0.5
const FADES = 60

/** Of an item that is linked: the source that links to it, from 1, and its place among those that are. */
type Row = Item & ({ nth: number; place: number } | { nth: null; place: null })
type Params = { kinds: string[]; ids: string[]; sources: string[]; at: Date | null }
const linked = scopeSql<Params, Row>('recall/linked', { kept: true })

/**
 * Shows what was found, and the memories that the best of `all` link to. What was found by itself gains nothing by a link.
 * Trouble on the way costs the links alone.
 */
export async function showLinked(
  kernel: Kernel,
  scope: Scope,
  found: readonly Candidate[],
  all: readonly Candidate[],
  at: Date | undefined,
): Promise<Found[]> {
  const from = all.filter(({ kind }) => kind === 'memory').slice(0, FOLLOWED)
  if (from.length === 0) return show(kernel, scope, found)
  try {
    const rows = await linked(kernel.db, scope, {
      kinds: found.map(({ kind }) => kind),
      ids: found.map(({ id }) => id),
      sources: from.map(({ id }) => id),
      at: at ?? null,
    })
    return shownAs([...found, ...candidatesOf(rows, from, all)], rows)
  } catch (error) {
    kernel.log.warn({ err: error }, 'links of memories could not be followed')
    return show(kernel, scope, found)
  }
}

function candidatesOf(
  rows: readonly Row[],
  from: readonly Candidate[],
  all: readonly Candidate[],
): Candidate[] {
  const known = new Set(all.map(keyOf))
  return rows
    .flatMap((row) => (row.nth === null || known.has(keyOf(row)) ? [] : [row]))
    .sort((a, b) => a.place - b.place)
    .map(({ id, nth }, k) => {
      const score = (from[nth - 1]!.score * PASSED_ON * FADES) / (FADES + k)
      return { kind: 'memory' as const, id, score, linked: true as const }
    })
}
