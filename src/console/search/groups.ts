/** What the search found, in groups: one for each screen that has items of this kind. */
import { ITEM_KINDS, type ItemKind } from '../../passages/passages.ts'
import { ownerScope } from '../../projects/projects.ts'
import { MATCHES, ownerSearch, type OwnersHit } from '../../recall/recall.ts'
import type { Links, ScreenApp, Screen, SearchGroup, SearchHit, SearchQuestion } from '../screen.ts'

export interface SearchedScreen extends Screen {
  search: SearchGroup
}

/** A row of a group, as JSON has it. */
export interface Row {
  kind: string
  id: string
  title: string
  /** The slug. */
  identifier: string
  /** Null stands for the global scope. */
  project: string | null
  age?: string
  description: string
  favorite?: true
  href: string
  /** Where the fragment is that shows it beside the list; left out when there is none. */
  peek?: string
  /** How near its meaning is, from 1 to 100; left out when meaning did not find it. */
  similarity?: number
  /** When it is called what was asked. */
  matchKind?: (typeof MATCHES)[number]
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
): Promise<Group[]> {
  const kinds = screens.flatMap(({ item, search }) => (search.find ? [] : itemKind(item?.kind)))
  const passages =
    kinds.length > 0 ? ownerSearch(app.kernel, ownerScope(), { ...question, kinds }) : []
  const groups = await Promise.all(
    screens.map(async ({ section, item, search }) => {
      const kind = item?.kind ?? section
      const rows = search.find
        ? (await search.find(app.kernel, app.owner, question)).map((hit) =>
            linked(app.links, kind, search, hit),
          )
        : (await passages)
            .filter((hit) => hit.kind === kind)
            .map((hit) => linked(app.links, kind, search, hitOf(hit)))
      return { kind, label: search.label, count: rows.length, rows }
    }),
  )
  return promoted(groups.filter(({ count }) => count > 0))
}

const itemKind = (kind = ''): ItemKind[] => ITEM_KINDS.filter((each) => each === kind)

type Hit = Omit<Row, 'kind' | 'href'> & Pick<SearchHit, 'href'>

function hitOf({ id, name, title, project, age, description, ...hit }: OwnersHit): Hit {
  return {
    id,
    title,
    identifier: name,
    project: project ?? null,
    age,
    description: hit.status ? `${hit.status}${description && `: ${description}`}` : description,
    ...(hit.favorite && { favorite: hit.favorite }),
    ...(hit.similarity !== undefined && { similarity: percent(hit.similarity) }),
    ...(hit.match && { matchKind: hit.match }),
  }
}

/** What has no page of its own is found again by its title. */
function linked(links: Links, kind: string, { scope }: SearchGroup, hit: Hit): Row {
  const again = new URLSearchParams({ q: hit.title, scope })
  const { similarity, matchKind, ...shown } = hit
  const peek = links.peek(kind, hit.id)
  return {
    kind,
    ...shown,
    href: hit.href ?? links.to(kind, hit.id) ?? `/console/search?${again.toString()}`,
    ...(peek && { peek }),
    ...(similarity !== undefined && { similarity }),
    ...(matchKind && { matchKind }),
  }
}

/** The group with what is called so most nearly goes to the front; the others keep their order. */
function promoted(groups: readonly Group[]): Group[] {
  const strengths = groups.map(strength)
  const strongest = strengths.indexOf(Math.min(...strengths))
  return [...groups.slice(strongest, strongest + 1), ...groups.filter((_, i) => i !== strongest)]
}

const strength = ({ rows }: Group): number =>
  Math.min(
    ...rows.map(({ matchKind }) => (matchKind ? MATCHES.indexOf(matchKind) : MATCHES.length)),
  )

const percent = (similarity: number): number =>
  Math.min(100, Math.max(1, Math.round(100 * similarity)))
