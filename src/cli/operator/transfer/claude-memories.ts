import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parse } from 'yaml'
import type { MemoryKind } from '../../../memories/memories.ts'
import { clip } from '../../../text/text.ts'
import { timesOf, type FileTimes } from '../../../vault/vault.ts'
import type { MemoryDraft } from './drafts.ts'

/** What its own kinds are among ours. */
const KINDS: Record<string, MemoryKind> = {
  user: 'reference',
  feedback: 'convention',
  project: 'reference',
  reference: 'reference',
}

const INDEX = 'MEMORY.md'
const NO_TEXT = 'it holds no text'
const NO_HEAD = 'its head is not YAML, so the name, type and description in it were left'

interface Topic {
  /** Without the extension. */
  name: string
  text: string
  dates: FileTimes
}

/**
 * The memories in Claude Code's files: a MEMORY.md, or the folder of one with a file for each topic.
 *
 * A topic with a head of its own is one memory. A text without one is a memory for each of its sections.
 * Beside topics MEMORY.md is their index: its sections that link to topics are none, and what else they
 * say is left. The dates are those of the files.
 */
export async function readClaudeMemories(
  from: string,
): Promise<{ drafts: MemoryDraft[]; warnings: string[] }> {
  const files = (await stat(from)).isDirectory() ? await textsIn(from) : [from]
  const warnings: string[] = []
  const drafts = []
  for (const file of files) {
    const topic = await readTopic(file)
    const isIndex = basename(file) === INDEX && files.length > 1
    if (isIndex) drafts.push(...besideIndex(topic, warnings))
    else if (topic.text.trim() === '') warnings.push(`${basename(file)}: ${NO_TEXT}`)
    else drafts.push(...draftsOf(topic, warnings))
  }
  return { drafts, warnings }
}

export const textsIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map(({ name }) => join(folder, name))
    .toSorted()

async function readTopic(file: string): Promise<Topic> {
  const [text, stats] = [await readFile(file, 'utf8'), await stat(file, { bigint: true })]
  return {
    name: basename(file, '.md'),
    text: text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n'),
    dates: timesOf(stats),
  }
}

function draftsOf({ name, text, dates }: Topic, warnings: string[]): MemoryDraft[] {
  const [, head, body = ''] = /^---\n([\s\S]*?)\n---\n?([\s\S]*)$/.exec(text) ?? []
  if (head === undefined) {
    return sectionsOf(name, text).map((section) => draft(section.title, section.text, dates))
  }
  const said = headOf(head)
  if (body.trim() === '') {
    warnings.push(`${name}.md: ${NO_TEXT}`)
    return []
  }
  if (!said) warnings.push(`${name}.md: ${NO_HEAD}`)
  return [
    {
      ...draft(said?.['name'] || name, body, dates, said?.['description']),
      kind: KINDS[said?.['type'] ?? ''] ?? 'reference',
    },
  ]
}

/** The sections of an index that are knowledge of their own. */
function besideIndex({ name, text, dates }: Topic, warnings: string[]): MemoryDraft[] {
  const [index, own] = [[] as string[], [] as MemoryDraft[]]
  for (const section of sectionsOf(name, text)) {
    const isIndex = section.title === name || LINK.test(section.text)
    if (isIndex) index.push(...section.text.split('\n').filter((line) => isKnowledge(line)))
    else own.push(draft(section.title, section.text, dates))
  }
  if (index.length > 0) {
    warnings.push(`${INDEX}: it is an index; left of it: ${clip(index.join(' / '), 200)}`)
  }
  return own
}

/** Undefined when it is no keys and values. */
function headOf(text: string): Record<string, string | undefined> | undefined {
  try {
    const head: unknown = parse(text, { maxAliasCount: 0 })
    if (head === null) return {}
    if (typeof head !== 'object') return undefined
    const { metadata, ...own } = head as Record<string, unknown>
    const all = { ...(typeof metadata === 'object' ? metadata : {}), ...own }
    return Object.fromEntries(Object.entries(all).map(([key, value]) => [key, String(value)]))
  } catch {
    return undefined
  }
}

interface Section {
  /** The name of the file for what comes before the first heading. */
  title: string
  text: string
}

/** Those that say more than where other files are. */
function sectionsOf(file: string, text: string): Section[] {
  // The break before a heading on the first line makes it a section as well.
  const [before = '', ...rest] = `\n${text}`.split(/^(?=#{1,3} )/m)
  const sections = rest.map((section) => {
    const end = section.indexOf('\n')
    const title = end === -1 ? section : section.slice(0, end)
    return { title: title.replace(/^#+\s*/, ''), text: section.slice(title.length) }
  })
  return [{ title: file, text: before }, ...sections].filter(({ text }) => isKnowledge(text))
}

const LINK = /^\s*[-*]\s*\[[^\]]*\]\([^)]*\.md\)/m

/** A list of links to other files is an index. */
const isKnowledge = (text: string): boolean =>
  text.split('\n').some((line) => line.trim() !== '' && !LINK.test(line))

function draft(name: string, body: string, dates: FileTimes, description = ''): MemoryDraft {
  const text = body.trim()
  const first = text.split('\n').find((line) => line.trim() !== '') ?? ''
  const line = first.replace(/^\s*[-*>#]+\s*/, '').replaceAll(/[*_`]/g, '')
  return {
    name,
    kind: 'reference',
    description: clip(description.trim() || line, 150) || name,
    body: `${text}\n`,
    tags: ['imported'],
    dates,
  }
}
