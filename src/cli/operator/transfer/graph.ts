import { readFile } from 'node:fs/promises'
import { clip } from '../../../text/text.ts'
import { slugify } from '../../../text/slug.ts'
import type { MemoryDraft } from './drafts.ts'

interface Line {
  type?: unknown
  name?: unknown
  entityType?: unknown
  observations?: unknown
  from?: unknown
  to?: unknown
  relationType?: unknown
}

/**
 * The memories in a knowledge graph of entities and relations, a line of JSON each, as the reference
 * server of MCP keeps it. An entity is one memory: what was observed of it, and links to its kin.
 */
export async function readGraph(path: string): Promise<MemoryDraft[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').flatMap(parseLine)
  const relations = Map.groupBy(
    lines.filter(({ type }) => type === 'relation'),
    ({ from }) => from,
  )
  return lines.flatMap(({ type, name, entityType, observations }) => {
    if (type !== 'entity' || typeof name !== 'string') return []
    const seen = textsOf(observations)
    const links = (relations.get(name) ?? []).flatMap(({ relationType, to }) =>
      typeof to === 'string' ? [`- ${String(relationType)} ${linkTo(to)}`] : [],
    )
    const kind = typeof entityType === 'string' ? entityType : 'entity'
    const facts = [...seen.map((text) => `- ${text}`), ...links]
    return [
      {
        name,
        kind: 'reference' as const,
        description: clip(
          `${name} (${kind})${seen[0] ? `: ${seen[0].replaceAll(/\s+/g, ' ')}` : ''}`,
          150,
        ),
        body: `${[`${name} is a ${kind}.`, '', ...facts].join('\n').trim()}\n`,
        tags: ['imported', slugify(kind)].filter(Boolean),
      },
    ]
  })
}

const linkTo = (name: string): string => (slugify(name) ? `[[${slugify(name)}]]` : name)

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []

/** A line that is no JSON belongs to no graph. */
function parseLine(line: string): Line[] {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? [value] : []
  } catch {
    return []
  }
}
