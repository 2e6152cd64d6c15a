import { readFile } from 'node:fs/promises'
import { clip } from '../../../text/text.ts'
import { slugify } from '../../../text/slug.ts'
import type { MemoryDraft } from './drafts.ts'
import { leave, type Left } from './report.ts'

interface Entity {
  name: string
  kind: string
  observations: string[]
}

interface Relation {
  from: string
  to: string
  relationType: string
}

/** What a line says, or why it says nothing. */
type Line = { entity: Entity } | { relation: Relation } | { left: string }

/**
 * The memories in a knowledge graph of entities and relations, a line of JSON each, as the reference
 * server of MCP keeps it. An entity is one memory: what was observed of it, and links to its kin.
 */
export async function readGraph(path: string): Promise<{ drafts: MemoryDraft[]; left: Left[] }> {
  const left: Left[] = []
  const entities: Entity[] = []
  const relations: { relation: Relation; place: string }[] = []
  const text = (await readFile(path, 'utf8')).replace(/^\ufeff/, '')
  for (const [index, each] of text.split('\n').entries()) {
    if (each.trim() === '') continue
    const [line, place] = [readLine(each), `line ${index + 1}`]
    if ('entity' in line) entities.push(line.entity)
    else if ('relation' in line) relations.push({ relation: line.relation, place })
    else leave(left, line.left, place)
  }
  const names = new Set(entities.map(({ name }) => name))
  for (const { relation, place } of relations) {
    if (!names.has(relation.from)) leave(left, 'a relation of an entity that is not there', place)
  }
  const kin = Map.groupBy(
    relations.map(({ relation }) => relation),
    ({ from }) => from,
  )
  return { drafts: entities.map((entity) => draftOf(entity, kin.get(entity.name) ?? [])), left }
}

function draftOf({ name, kind, observations }: Entity, kin: readonly Relation[]): MemoryDraft {
  const links = kin.map(({ relationType, to }) => `- ${relationType} ${linkTo(to)}`)
  const facts = [...observations.map((text) => `- ${text}`), ...links]
  const first = observations[0] ? `: ${observations[0].replaceAll(/\s+/g, ' ')}` : ''
  return {
    name,
    kind: 'reference',
    description: clip(`${name} (${kind})${first}`, 150),
    body: `${[`${name} is a ${kind}.`, '', ...facts].join('\n').trim()}\n`,
    tags: ['imported', slugify(kind)].filter(Boolean),
  }
}

const linkTo = (name: string): string => (slugify(name) ? `[[${slugify(name)}]]` : name)

function readLine(text: string): Line {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { left: 'a line that is no JSON' }
  }
  const { type, name, entityType, observations, from, to, relationType } = (value ?? {}) as Record<
    string,
    unknown
  >
  if (type === 'entity' && isText(name) && isTexts(observations ?? [])) {
    const kind = isText(entityType) ? entityType : 'entity'
    return { entity: { name, kind, observations: (observations ?? []) as string[] } }
  }
  if (type === 'relation' && isText(from) && isText(to) && isText(relationType)) {
    return { relation: { from, to, relationType } }
  }
  return { left: 'a line that is neither an entity nor a relation' }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')
