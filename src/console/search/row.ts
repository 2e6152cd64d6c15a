/** A row of the search: what was found, as the page, the palette and JSON have it. */
import type { MATCHES, OwnersHit } from '../../recall/recall.ts'
import { age } from '../../text/text.ts'
import type { HitDetails, Links, SearchGroup, SearchHit } from '../screen.ts'
import type { Marker } from './marks.ts'

export interface Row {
  kind: string
  id: string
  title: string
  /** Escaped, with `<mark>` around the words that were found. */
  titleHtml: string
  /** The slug of a note or project, the plan of a task, the handle of a session. */
  identifier: string
  /** The id, when that is what was asked for. */
  matchedId?: string
  /** When it is called what was asked. */
  matchKind?: (typeof MATCHES)[number]
  /** Null stands for the global scope. */
  project: string | null
  age?: string
  /** When it was changed last. */
  updated?: Date
  description: string
  /** The part of its text that has most of the question; left out when no word of it is there. */
  snippet?: string
  /** The same, escaped and marked. */
  snippetHtml?: string
  /** Whether its words were found. */
  lexical?: true
  /** How near its meaning is, from 1 to 100; left out when meaning did not find it. */
  similarity?: number
  favorite?: true
  /** The session that holds a task, as it is called. */
  holder?: string
  href: string
  /** Where the fragment is that shows it beside the list; left out when there is none. */
  peek?: string
}

/** What a screen's own search and the search of texts both say of a hit. */
type Found = SearchHit & {
  similarity?: number
  lexical?: true
  /** The part of its text that has most of the question. */
  passage?: string
}

export function foundOf(hit: OwnersHit): Found {
  const { id, name, title, project, description, status, match, passage, similarity } = hit
  const said = (text: string) => (status ? [status, text].filter(Boolean).join(': ') : text)
  return {
    id,
    title,
    identifier: name,
    project: project ?? null,
    description: said(description),
    updated: hit.updated,
    ...(passage && { passage: said(passage) }),
    ...(hit.favorite && { favorite: hit.favorite }),
    ...(hit.source !== 'semantic' && { lexical: true as const }),
    ...(similarity !== undefined && { similarity: percent(similarity) }),
    ...(match && { matchKind: match }),
  }
}

export interface Rows {
  kind: string
  search: SearchGroup
  links: Links
  mark: Marker
  details: ReadonlyMap<string, HitDetails>
  /** By which ages are counted, in milliseconds since 1970. */
  now: number
}

export function rowOf(hit: Found, { kind, search, links, mark, details, now }: Rows): Row {
  const { passage, updated, href, matchKind, ...shown } = { ...hit, ...details.get(hit.id) }
  const snippet = snippetOf(mark, shown.description, passage)
  const peek = hit.peek ?? links.peek(kind, hit.id)
  const matchedId = matchKind === 'exact_id' || matchKind === 'id_prefix' ? hit.id : undefined
  return {
    kind,
    ...shown,
    titleHtml: mark(shown.title),
    ...(matchedId && { matchedId }),
    ...(matchKind && { matchKind }),
    ...(updated && { updated, age: age((now - updated.getTime()) / 1000) }),
    ...(snippet !== undefined && { snippet, snippetHtml: mark(snippet) }),
    href: href ?? links.to(kind, hit.id) ?? ownRow(kind, search, shown),
    ...(peek && { peek }),
  }
}

/** The description says it where it has as much of the question as the passage. */
function snippetOf(mark: Marker, description: string, passage = ''): string | undefined {
  const [said, found] = [description, passage].map((text) => mark(text).split('<mark>').length - 1)
  if (said === 0 && found === 0) return undefined
  return nearMark(mark, found! > said! ? passage : description)
}

/** Characters that may stand before what was found: a row shows a line of it. */
const BEFORE = 40

/** The text from a few words before its first mark on. */
function nearMark(mark: Marker, text: string): string {
  const [before = ''] = mark(text).split('<mark>', 1)
  const at = before.replaceAll(/&[#\w]+;/g, '.').length
  if (at <= BEFORE) return text
  const blank = text.indexOf(' ', at - BEFORE)
  return blank === -1 || blank >= at ? text : `…${text.slice(blank + 1)}`
}

/** What has no page of its own is a row of the search that finds it alone. */
function ownRow(kind: string, { scope }: SearchGroup, { id, project }: SearchHit): string {
  const query = new URLSearchParams({ q: id, scope })
  return `/console/search?${query.toString()}#${anchorOf({ kind, id, project })}`
}

/** The id of a row on the page. Plans of several projects may have one slug. */
export const anchorOf = ({ kind, id, project }: Pick<Row, 'kind' | 'id' | 'project'>): string =>
  kind === 'plan' ? `row-plan-${project ?? 'global'}-${id}` : `row-${kind}-${id}`

const percent = (similarity: number): number =>
  Math.min(100, Math.max(1, Math.round(100 * similarity)))
