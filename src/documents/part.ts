/** Which part of a document's body one answer holds, and how its reader goes on. */
import Type, { type Static } from 'typebox'
import { invalid } from '../kernel/refusal.ts'
import { linesOf, type Range } from '../text/lines.ts'
import { contentsOf, sectionNamed, sectionsOf, type Section } from '../text/sections.ts'
import { estimateTokens } from '../text/text.ts'

import { partialHash } from './stale.ts'

/** What a reader asks for. Lines are counted from 0, in the section when there is one. */
export interface Asked {
  section?: string | undefined
  offset?: number | undefined
  limit?: number | undefined
}

/** Of bodies in one answer, in bytes: 6,000 tokens, which every client takes. */
export const ROOM = 24_000

/** What an answer says beside a body that is not whole. */
export const PartFields = {
  partial: Type.Optional(Type.Literal(true, { description: 'body is not the whole of it' })),
  part: Type.Optional(
    Type.Object(
      {
        section: Type.Optional(Type.String()),
        offset: Type.Integer({ description: 'of the first line, from 0' }),
        lines: Type.Integer(),
        of: Type.Integer({ description: 'lines of the section, or of the whole body' }),
        tokens: Type.Integer({ description: 'of all these lines' }),
      },
      { description: 'what body is' },
    ),
  ),
  headings: Type.Optional(
    Type.Array(
      Type.Object({ section: Type.String(), level: Type.Integer(), tokens: Type.Integer() }),
      { description: 'what to pass as section' },
    ),
  ),
  further_headings: Type.Optional(Type.Integer({ description: 'deeper ones that are left out' })),
}
const Told = Type.Object(PartFields)

/** What goes on behind a part. */
export const NextFields = {
  id: Type.Optional(Type.String()),
  section: Type.Optional(Type.String()),
  offset: Type.Optional(Type.Integer()),
}

export interface Part {
  body: string
  /** Nothing when the body is whole. */
  told: Static<typeof Told>
  /** What to ask for the lines after these; undefined when there are none. */
  next: { section?: string; offset: number } | undefined
}

const sectionIn = ({ section }: Asked): string | undefined => section?.trim() || undefined

/** Whether a part is asked for, which may be refused; of the whole there is always a beginning. */
export const asksPart = (asked: Asked): boolean =>
  sectionIn(asked) !== undefined || (asked.offset ?? 0) > 0 || asked.limit !== undefined

/**
 * Returns as much of a body as was asked for and as there is room for, in bytes. Refuses an offset past the
 * end, and a section that is not there; `what` calls the document.
 */
export function partOf(what: string, body: string, asked: Asked, room: number): Part {
  const { offset = 0, limit } = asked
  const name = sectionIn(asked)
  if (!asksPart(asked) && Buffer.byteLength(body) <= room)
    return { body, told: {}, next: undefined }

  // Who reads on has seen the headings.
  const sections = name !== undefined || offset === 0 ? sectionsOf(body) : []
  const section = name === undefined ? undefined : sectionNamed(sections, name)
  const range: Range = section ?? { from: 0, to: body.length }
  const lines = linesOf(body, range, { offset, limit }, room)
  if (offset > 0 && offset >= lines.of) {
    throw invalid(`offset ${offset} is past the end: the ${what} has ${lines.of} lines, from 0`)
  }
  const text = body.slice(lines.from, lines.to)
  if (text.length === body.length) return { body, told: {}, next: undefined }

  const called = section && { section: section.name }
  const isCut = lines.to < range.to
  const tokens = estimateTokens(body.slice(range.from, range.to))
  const part = { ...called, offset, lines: lines.count, of: lines.of, tokens }
  const below = isCut && offset === 0 ? sections.filter((one) => isBelow(one, range, section)) : []
  return {
    body: text,
    told: { partial: true, part, ...headingsTold(body, below) },
    next: isCut ? { ...called, offset: offset + lines.count } : undefined,
  }
}

const isBelow = (one: Section, { from, to }: Range, section: Section | undefined): boolean =>
  one !== section && one.from >= from && one.from < to

function headingsTold(body: string, sections: readonly Section[]) {
  if (sections.length === 0) return {}
  const listed = contentsOf(sections)
  const left = sections.length - listed.length
  const headings = listed.map(({ name: section, level, from, to }) => {
    return { section, level, tokens: estimateTokens(body.slice(from, to)) }
  })
  return { headings, ...(left > 0 && { further_headings: left }) }
}

/**
 * Returns what a read answers: what is known of the document, and as much of its body as fits. The hash of a
 * part is marked as one. `room` is that of the whole answer, in bytes; left out, the body has `ROOM` alone.
 */
export function answerOf<Known extends { id: string }>(
  what: string,
  known: Known,
  { body, content_hash }: { body: string; content_hash: string },
  asked: Asked,
  room?: number,
) {
  const forBody = room === undefined ? ROOM : room - Buffer.byteLength(JSON.stringify(known))
  const part = partOf(what, body, asked, forBody)
  const { partial } = part.told
  return {
    ...known,
    content_hash: partial ? partialHash(content_hash) : content_hash,
    ...part.told,
    ...(part.next && { next: { id: known.id, ...part.next } }),
    body: part.body,
  }
}
