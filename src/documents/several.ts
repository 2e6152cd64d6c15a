/** Several documents in one answer, which share its room. */
import Type from 'typebox'
import { invalid, Refusal } from '../kernel/refusal.ts'
import { ROOM, type Asked } from './part.ts'

/** What an entry says of one that is not told. */
export const MissingFields = {
  asked: Type.Optional(Type.String({ description: 'as it was asked for' })),
  missing: Type.Optional(Type.String({ description: 'why it is not told' })),
}

export interface Missing {
  asked: string
  missing: string
}

export interface Several<Entry> {
  entries: (Entry | Missing)[]
  /** Where to go on when there was no room for all: those that are left, as they were asked for. */
  next: string[] | undefined
}

/** Refuses to read a part of several: which one is meant is not said. */
export function refuseParts(asked: Asked, what: 'note' | 'memory'): void {
  if (Object.values(asked).every((value) => value === undefined)) return
  throw invalid(`section, offset and limit are of one ${what}: read it alone`)
}

/** An entry with less room says too little, in bytes. */
const LEAST = 1_000

/** Reads one after the other, each with the room that is left, in bytes. What is refused is an entry, too. */
export async function readSeveral<Entry extends object>(
  asked: readonly string[],
  read: (one: string, room: number) => Promise<Entry>,
): Promise<Several<Entry>> {
  const each = [...new Set(asked.map((one) => one.trim()).filter((one) => one !== ''))]
  const entries: (Entry | Missing)[] = []
  let room = ROOM
  for (const [at, one] of each.entries()) {
    if (room < LEAST) return { entries, next: each.slice(at) }
    const entry = await read(one, room).catch((error: unknown) => refusedEntry(one, error))
    entries.push(entry)
    room -= Buffer.byteLength(JSON.stringify(entry))
  }
  return { entries, next: undefined }
}

function refusedEntry(asked: string, error: unknown): Missing {
  if (!(error instanceof Refusal)) throw error
  return { asked, missing: error.message }
}
