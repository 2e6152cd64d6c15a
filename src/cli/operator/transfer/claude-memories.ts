import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parse } from 'yaml'
import type { MemoryKind } from '../../../memories/memories.ts'
import { clip } from '../../../text/text.ts'
import type { MemoryDraft } from './drafts.ts'

/** What its own kinds are among ours. */
const KINDS: Record<string, MemoryKind> = {
  user: 'reference',
  feedback: 'convention',
  project: 'reference',
  reference: 'reference',
}

/**
 * The memories in Claude Code's files: a MEMORY.md, or the folder of one with a file for each topic.
 *
 * A topic with a head of its own is one memory. A text without one is a memory for each of its
 * sections. An index that only links to topics says nothing that they do not.
 */
export async function readClaudeMemories(from: string): Promise<MemoryDraft[]> {
  const files = (await stat(from)).isDirectory()
    ? (await readdir(from))
        .filter((name) => name.endsWith('.md'))
        .toSorted()
        .map((name) => join(from, name))
    : [from]
  const drafts = await Promise.all(
    files.map(async (file) => draftsOf(basename(file, '.md'), await readFile(file, 'utf8'))),
  )
  return drafts.flat()
}

function draftsOf(file: string, text: string): MemoryDraft[] {
  const plain = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')
  const [, head, body = ''] = /^---\n([\s\S]*?)\n---\n?([\s\S]*)$/.exec(plain) ?? []
  if (head === undefined) return sectionsOf(file, plain)
  const said = headOf(head)
  if (body.trim() === '') return []
  return [draft(said['name'] || file, KINDS[said['type'] ?? ''], said['description'], body)]
}

function headOf(text: string): Record<string, string | undefined> {
  try {
    const head: unknown = parse(text, { maxAliasCount: 0 })
    if (typeof head !== 'object' || head === null) return {}
    const { metadata, ...own } = head as Record<string, unknown>
    const all = { ...(typeof metadata === 'object' ? metadata : {}), ...own }
    return Object.fromEntries(Object.entries(all).map(([key, value]) => [key, String(value)]))
  } catch {
    return {}
  }
}

function sectionsOf(file: string, text: string): MemoryDraft[] {
  const [before = '', ...sections] = text.split(/^(?=#{1,3} )/m)
  const named = sections.flatMap((section) => {
    const end = section.indexOf('\n')
    const [title, body] = end === -1 ? [section, ''] : [section.slice(0, end), section.slice(end)]
    return isKnowledge(body) ? [draft(title.replace(/^#+\s*/, ''), undefined, undefined, body)] : []
  })
  return isKnowledge(before) ? [draft(file, undefined, undefined, before), ...named] : named
}

/** A list of links to other files is an index. */
function isKnowledge(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.some((line) => !/^\s*[-*]\s*\[[^\]]*\]\([^)]*\.md\)/.test(line))
}

function draft(
  name: string,
  kind: MemoryKind | undefined,
  description: string | undefined,
  body: string,
): MemoryDraft {
  const text = body.trim()
  const first = text.split('\n').find((line) => line.trim() !== '') ?? ''
  const line = first.replace(/^\s*[-*>#]+\s*/, '').replaceAll(/[*_`]/g, '')
  return {
    name,
    kind: kind ?? 'reference',
    description: clip(description?.trim() || line, 150) || name,
    body: `${text}\n`,
    tags: ['imported'],
  }
}
