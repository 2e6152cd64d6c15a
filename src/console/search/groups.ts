/** What the search found, in groups: one for each screen that has items of this kind. */
import { ITEM_KINDS, type ItemKind } from '../../passages/passages.ts'
import { ownerScope } from '../../projects/projects.ts'
import { MATCHES, ownerSearch } from '../../recall/recall.ts'
import type { HitDetails, ScreenApp, Screen, SearchGroup, SearchQuestion } from '../screen.ts'
import type { Marker } from './marks.ts'
import { foundOf, rowOf, type Row } from './row.ts'

export interface SearchedScreen extends Screen {
  search: SearchGroup
}

export interface Group {
  kind: string
  label: string
  count: number
  rows: Row[]
}

/** Returns the groups that have a row, the one with the strongest match first. */
export async function findGroups(
  app: ScreenApp,
  screens: readonly SearchedScreen[],
  question: SearchQuestion & { fast: boolean },
  mark: Marker,
): Promise<Group[]> {
  const kinds = screens.flatMap(({ item, search }) => (search.find ? [] : itemKind(item?.kind)))
  const texts =
    kinds.length > 0 ? ownerSearch(app.kernel, ownerScope(), { ...question, kinds }) : []
  const groups = await Promise.all(
    screens.map(async ({ section, item, search }) => {
      const kind = item?.kind ?? section
      const found = search.find
        ? await search.find(app.kernel, app.owner, question)
        : (await texts).filter((hit) => hit.kind === kind).map(foundOf)
      const details = await detailsOf(app, search, found)
      const { links, clock } = app
      const now = clock.now()
      const rows = found.map((hit) => rowOf(hit, { kind, search, links, mark, details, now }))
      return { kind, label: search.label, count: rows.length, rows }
    }),
  )
  return promoted(groups.filter(({ count }) => count > 0))
}

const itemKind = (kind = ''): ItemKind[] => ITEM_KINDS.filter((each) => each === kind)

async function detailsOf(
  { kernel, owner }: ScreenApp,
  { details }: SearchGroup,
  found: readonly { id: string }[],
): Promise<ReadonlyMap<string, HitDetails>> {
  if (!details || found.length === 0) return new Map()
  const ids = found.map(({ id }) => id)
  return details(kernel.db, owner, ids)
}

/** The group with what is called so most nearly goes to the front; the others keep their order. */
function promoted(groups: readonly Group[]): Group[] {
  const strengths = groups.map(({ rows }) => Math.min(...rows.map(strengthOf)))
  const strongest = strengths.indexOf(Math.min(...strengths))
  return [...groups.slice(strongest, strongest + 1), ...groups.filter((_, i) => i !== strongest)]
}

/** 0 is the strongest. */
export const strengthOf = ({ matchKind }: Row): number =>
  matchKind ? MATCHES.indexOf(matchKind) : MATCHES.length
