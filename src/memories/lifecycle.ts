/**
 * How a memory ceases to be believed, and how that is undone. Only these functions write `invalid_at`
 * and `superseded_by`. Each of them reads the file inside its lock: the body gets a last line that
 * says what happened, and what is not in the file would be lost.
 */
import type { Actor, Db, Kernel } from '../kernel/kernel.ts'
import { conflict, forbidden } from '../kernel/refusal.ts'
import type { Change } from '../documents/documents.ts'
import { readsFrom } from '../projects/projects.ts'
import { act, type Acting } from './act.ts'
import { memoryArchived, memorySuperseded, memoryWritten } from './events.ts'
import type { Memory } from './file.ts'
import { memoryRef } from './read.ts'

/**
 * Retires `old` in favour of `replacement`, both by id. A second time with the same replacement is
 * a success that changes nothing.
 *
 * Refused when `old` is no longer active, when both are the same memory, when the replacement is
 * missing or inactive, and when those who read the old one may not read the new one. Both paths are
 * locked, so that no two of these can close a circle.
 */
export async function supersede(
  kernel: Kernel,
  by: Actor,
  old: string,
  replacement: string,
  acting?: Acting,
): Promise<Memory> {
  if (old === replacement) throw conflict('a memory cannot supersede itself')
  return act(
    kernel,
    by,
    { id: old, other: replacement },
    acting,
    async (before, { kernel, now, other }) => {
      if (before.invalid_at !== null && before.superseded_by === replacement) return undefined
      refuseEnded(before)
      const next = await other()
      if (next.invalid_at !== null) {
        throw conflict(`the replacement "${next.name}" was itself superseded or archived`)
      }
      await refuseHidden(kernel.db, before, next)
      return succeeded(before, next, now)
    },
  )
}

/** What is made of a memory in whose place another one stands from now on. */
export const succeeded = (before: Memory, next: Memory, now: Date): Change<Memory> => ({
  document: ended(
    before,
    now,
    `> Superseded by ${memoryRef(next)} (${next.id}) on ${dayOf(now)}`,
    next.id,
  ),
  event: memorySuperseded,
  payload: {
    superseded_by: next.id,
    ...(next.project !== before.project && { heir: memoryRef(next) }),
  },
})

/**
 * Retires a memory without a replacement. Refused when it is no longer active. With `again`, one that was archived for
 * the same reason stays as it is, and that is a success.
 */
export async function archive(
  kernel: Kernel,
  by: Actor,
  id: string,
  { reason = '', again = false, ...acting }: Acting & { reason?: string; again?: boolean } = {},
): Promise<Memory> {
  const said = reason.replaceAll(/\s+/g, ' ').trim()
  return act(kernel, by, { id }, acting, async (before, { now }) => {
    const words = `> Archived ${said && `(${said}) `}on `
    if (again && isArchived(before, words)) return undefined
    refuseEnded(before)
    const line = words + dayOf(now)
    return {
      document: ended(before, now, line, ''),
      event: memoryArchived,
      payload: said ? { reason: said } : {},
    }
  })
}

/** Undoes an archive. Refused when the memory is not archived. */
export const unarchive = (kernel: Kernel, by: Actor, id: string, acting?: Acting) =>
  revive(kernel, by, id, '', acting)

/** Undoes a supersession. Refused when the memory is not superseded. */
export const unsupersede = (kernel: Kernel, by: Actor, id: string, acting?: Acting) =>
  revive(kernel, by, id, 'superseded', acting)

function revive(
  kernel: Kernel,
  by: Actor,
  id: string,
  was: 'superseded' | '',
  acting?: Acting,
): Promise<Memory> {
  return act(kernel, by, { id }, acting, async (before, { now: updated }) => {
    const stands = (before.superseded_by !== '') === (was === 'superseded')
    if (before.invalid_at === null || !stands) {
      throw conflict(`memory "${before.name}" is not ${was || 'archived'}; nothing to undo`)
    }
    const body = withoutTombstone(before.body, was ? '> Superseded by ' : '> Archived ')
    return {
      document: { ...before, invalid_at: null, superseded_by: '', updated, body },
      event: memoryWritten,
      payload: { revived: true },
    }
  })
}

export function refuseEnded({ name, invalid_at, superseded_by }: Memory): void {
  if (invalid_at === null) return
  throw conflict(`memory "${name}" was already ${superseded_by ? 'superseded' : 'archived'}`)
}

/** A pointer across a fence would tell what lies behind it, and lead nowhere. */
export async function refuseHidden(
  db: Db,
  old: { project: string },
  next: { project: string },
): Promise<void> {
  if (await readsFrom(db, old.project, next.project)) return
  throw forbidden('whoever reads the old memory may not read the new one; the fence stands between')
}

/** Returns the memory as it is once it has ended: with a last line behind a blank one. */
function ended(before: Memory, now: Date, line: string, superseded_by: string): Memory {
  const body = before.body.endsWith('\n')
    ? `${before.body}\n${line}\n`
    : `${before.body}\n\n${line}`
  return { ...before, invalid_at: now, updated: now, superseded_by, body }
}

/** Whether its last line says so. */
const isArchived = ({ invalid_at, superseded_by, body }: Memory, words: string): boolean =>
  invalid_at !== null &&
  superseded_by === '' &&
  body.startsWith(words, body.trimEnd().lastIndexOf('\n') + 1)

const dayOf = (time: Date): string => time.toISOString().slice(0, 10)

/** Returns the body as it was before the line, if that is still its last one. */
function withoutTombstone(body: string, prefix: string): string {
  const end = body.trimEnd().length
  const start = body.lastIndexOf('\n', end - 1)
  if (!body.startsWith(prefix, start + 1)) return body
  const head = body.slice(0, Math.max(0, start))
  // Without a line break at the end there was none before either, and the blank line is ours too.
  return body.length > end ? head : head.replace(/\n$/, '')
}
