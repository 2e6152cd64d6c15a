/** What a tool that reads documents was asked for: one, by its id or its name, or several. */
import { isId } from '../kernel/id.ts'
import { invalid } from '../kernel/refusal.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Scopes } from '../projects/projects.ts'
import type { DocumentKind } from './kind.ts'
import { namedTarget } from './named.ts'
import type { Asked } from './part.ts'
import type { Target } from './reach.ts'
import { readSeveral, refuseParts, type Missing } from './several.ts'

/** The arguments of such a tool, those of its own names under one. */
export interface Sought {
  id: string | undefined
  name: string | undefined
  /** What the tool calls its list of several. */
  list: string
  /** Ids or names. */
  several: readonly string[] | undefined
  project: string | undefined
  /** Which part; of one document alone. */
  part: Asked
}

/** Reads one document, with `room` bytes for the whole answer, or with what one body may have. */
export type ReadOne<Entry> = (target: Target, part: Asked, room?: number) => Promise<Entry>

/**
 * Reads what was asked for: one document, or several with the arguments that ask for those that are left.
 * Refuses what names none, or both one and several.
 */
export async function readAsked<Entry extends object>(
  kernel: Kernel,
  scopes: Scopes,
  kind: DocumentKind,
  { id = '', name = '', list, several = [], project, part }: Sought,
  read: ReadOne<Entry>,
): Promise<Entry | { entries: (Entry | Missing)[]; next: object | undefined }> {
  const byId = (id: string): Target => ({ scope: scopes.reach, address: { id } })
  const byName = (name: string) => namedTarget(kernel, kind, scopes, name, project)
  const one = { id: id.trim(), name: name.trim() }
  const isOne = one.id !== '' || one.name !== ''
  const called = kind.nameKey

  if (one.id && one.name) throw invalid(`pass id or ${called}, not both`)
  if (several.length === 0) {
    if (isOne) return read(one.id ? byId(one.id) : await byName(one.name), part)
    throw invalid(`id or ${called} is required; recall finds ${kind.table} by content`)
  }
  if (isOne) throw invalid(`pass ${list}, or the id or ${called} of one ${kind.kind}, not both`)
  refuseParts(part, kind.kind)
  const { entries, next } = await readSeveral(several, async (each, room) =>
    read(isId(each) ? byId(each) : await byName(each), {}, room),
  )
  return { entries, next: next && { [list]: next, ...(project?.trim() && { project }) } }
}
