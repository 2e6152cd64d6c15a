/** The sections of a markdown text: a heading with all that stands below it, up to the next of its level. */
import { invalid } from '../kernel/refusal.ts'
import { headingsOf, type Heading } from './headings.ts'
import type { Range } from './lines.ts'
import { cut, oneLine } from './text.ts'

export interface Section extends Heading, Range {
  /** The slugs of the headings above it and of its own. Of the same beside one another each has its number. */
  path: string
  /** The same without numbers. */
  plain: string
  /** As much of the end of its path as no other has: what a reader asks for. */
  name: string
}

/** A section among those of the same slug below the same heading. */
interface Placed extends Section {
  slug: string
  above: Section | undefined
  beside: { size: number }
  nth: number
}

/** Returns the sections in the order of their headings. What stands before the first one is in none. */
export function sectionsOf(text: string): Section[] {
  const sections: Placed[] = []
  const open: Placed[] = []
  const families = new Map<string, { size: number }>()
  for (const heading of headingsOf(text)) {
    while (open.length > 0 && open.at(-1)!.level >= heading.level) open.pop()!.to = heading.from
    const above = open.at(-1)
    const slug = slugOf(heading.title)
    const family = `${above?.from ?? ''}/${slug}`
    const beside = families.get(family) ?? { size: 0 }
    families.set(family, beside)
    const place = { slug, above, beside, nth: ++beside.size }
    const section = { ...heading, ...place, path: '', plain: '', name: '', to: text.length }
    sections.push(section)
    open.push(section)
  }
  for (const section of sections) {
    const { slug, above, beside, nth } = section
    const number = beside.size > 1 ? `#${nth}` : ''
    section.plain = above ? `${above.plain}/${slug}` : slug
    section.path = above ? `${above.path}/${slug}${number}` : `${slug}${number}`
  }
  nameShortly(sections)
  return sections
}

const LONGEST_SLUG = 80

/** In lower case, with one `-` for whatever is no letter or digit. A name of files needs more than that. */
const slugOf = (words: string): string =>
  cut(words, LONGEST_SLUG)
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '') || 'untitled'

function nameShortly(sections: readonly Section[]): void {
  const counts = new Map<string, number>()
  for (const { path } of sections) {
    for (const end of endsOf(path)) counts.set(end, (counts.get(end) ?? 0) + 1)
  }
  for (const section of sections) {
    section.name = endsOf(section.path).find((end) => counts.get(end) === 1) ?? section.path
  }
}

/** `c`, `b/c`, `a/b/c` */
function endsOf(path: string): string[] {
  const parts = path.split('/')
  return parts.map((_, left) => parts.slice(parts.length - 1 - left).join('/'))
}

/**
 * Returns the section that is asked for: by the text of its heading, or by its path or the end of that.
 * `#2` behind it means the second one of several. Refuses what names none, and what names several.
 */
export function sectionNamed(sections: readonly Section[], asked: string): Section {
  const said = asked.trim().replace(/^#{1,6}\s+/, '')
  const found = named(sections, said)
  const [first, second] = found
  if (first && !second) return first
  const called = JSON.stringify(oneLine(said, 100))
  if (first) {
    throw invalid(`section ${called} names several: ${listed(found)}; pass one of these`)
  }
  throw invalid(
    sections.length === 0
      ? `no section ${called}: there are no headings; read by offset and limit`
      : `no section ${called}; the headings are ${listed(sections)}`,
  )
}

function named(sections: readonly Section[], said: string): readonly Section[] {
  const path = said.split('/').map(partOf).join('/')
  const slug = slugOf(said)
  const found =
    some(sections, (section) => endsWith(section.path, path)) ??
    some(sections, (section) => endsWith(section.plain, path)) ??
    some(sections, (section) => endsWith(section.plain, slug)) ??
    numbered(sections, said)
  if (found.length < 2) return found
  const whole = found.filter((section) => section.path === path)
  const exact = whole.length > 0 ? whole : found.filter(({ title }) => title === said)
  return exact.length === 1 ? exact : found
}

/** The second of those that `setup` names is `setup#2`. */
function numbered(sections: readonly Section[], said: string): readonly Section[] {
  const [number] = NUMBER.exec(said) ?? []
  if (!number) return []
  const at = Number(number.slice(1))
  return named(sections, said.slice(0, -number.length)).slice(at - 1, at)
}

const NUMBER = /#[1-9]\d{0,3}$/

/** A slug, whose number stays. */
function partOf(part: string): string {
  const [number = ''] = NUMBER.exec(part) ?? []
  return `${slugOf(part.slice(0, part.length - number.length))}${number}`
}

const endsWith = (path: string, end: string): boolean => path === end || path.endsWith(`/${end}`)

function some<T>(all: readonly T[], fits: (one: T) => boolean): readonly T[] | undefined {
  const found = all.filter(fits)
  return found.length > 0 ? found : undefined
}

/** How many headings a refusal names. */
const NAMED = 20

function listed(sections: readonly Section[]): string {
  const names = sections.slice(0, NAMED).map(({ name }) => name)
  const more = sections.length - names.length
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** How many headings a table of contents has. */
const LISTED = 40

/** Returns the sections to choose from: those of the highest levels, as many as a table has room for. */
export function contentsOf(sections: readonly Section[]): Section[] {
  const kept = new Set<Section>()
  for (let level = 1; level <= 6 && kept.size < LISTED; level++) {
    for (const section of sections) {
      if (section.level === level && kept.size < LISTED) kept.add(section)
    }
  }
  return sections.filter((section) => kept.has(section))
}
