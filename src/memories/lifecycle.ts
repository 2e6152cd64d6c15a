/**
 * How a memory ceases to be believed, and how that is undone. These alone write `invalid_at` and
 * `superseded_by`. Every one of them reads the file inside its lock: the body gets a last line that
 * says what happened, and what is not in the file would be lost.
 */
import { record } from '../kernel/events.ts'
import { newId } from '../kernel/id.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { conflict, forbidden, notFound } from '../kernel/refusal.ts'
import type { Files } from '../vault/vault.ts'
import { findPlace, judgeWrite, mayRead, type Scope } from '../projects/projects.ts'
import { Moved, readUnderLock, retryMoved } from './change.ts'
import { indexMemory } from './file-kind.ts'
import { memoryArchived, memorySuperseded, memoryWritten } from './events.ts'
import { renderMemory, type Memory } from './file.ts'
import { memoryRef } from './read.ts'
import { findRow } from './store.ts'

export interface Settling {
  /** By whom the act is judged; left out, it is the owner's or the gardener's. */
  scope?: Scope
  /** Who acts when no agent does, as the event names it: `gardener`. */
  agent?: string
}

type Row = NonNullable<Awaited<ReturnType<typeof findRow>>>

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
  { scope, agent }: Settling = {},
): Promise<Memory> {
  if (old === replacement) throw conflict('a memory cannot supersede itself')
  const event = newId(kernel.clock.now())
  return retryMoved(async () => {
    const paths = [await rowOf(kernel, old), await rowOf(kernel, replacement)].map(pathOf)
    const { result } = await kernel.vault.write(kernel, paths, async (kernel, files) => {
      const [target, next] = [await rowOf(kernel, old), await rowOf(kernel, replacement)]
      if (target.path !== paths[0] || next.path !== paths[1]) throw new Moved()
      if (scope) await judgeWrite(kernel.db, scope, target.project)
      const { memory: before } = await readUnderLock(kernel, files, target)
      if (before.invalid_at !== null && before.superseded_by === replacement) {
        return { result: before, async rows() {} }
      }
      if (before.invalid_at !== null) throw settledAlready(before)
      const { memory: after } = await readUnderLock(kernel, files, next)
      if (after.invalid_at !== null) {
        throw conflict(`the replacement "${after.name}" was itself superseded or archived`)
      }
      await refuseHidden(kernel, target, next)

      const now = files.nextTime(before.updated)
      const line = `> Superseded by ${memoryRef(after)} (${after.id}) on ${dayOf(now)}`
      const memory = { ...before, ...ended(now), superseded_by: replacement }
      memory.body = withTombstone(before.body, line)
      return settled(files, target, memory, async (kernel) => {
        const { project, name } = memory
        const payload = { name, superseded_by: replacement, ...(agent && { by: agent }) }
        await record(kernel, memorySuperseded, { id: event, by, project, item: old, payload })
      })
    })
    return result
  })
}

/** Retires a memory without a replacement. Refused when it is no longer active. */
export async function archive(
  kernel: Kernel,
  by: Actor,
  id: string,
  { reason = '', scope, agent }: Settling & { reason?: string } = {},
): Promise<Memory> {
  const said = reason.replaceAll(/\s+/g, ' ').trim()
  const event = newId(kernel.clock.now())
  return settleOne(kernel, id, async (kernel, files, row) => {
    if (scope) await judgeWrite(kernel.db, scope, row.project)
    const { memory: before } = await readUnderLock(kernel, files, row)
    if (before.invalid_at !== null) throw settledAlready(before)
    const now = files.nextTime(before.updated)
    const line = `> Archived ${said && `(${said}) `}on ${dayOf(now)}`
    const memory = { ...before, ...ended(now), superseded_by: '' }
    memory.body = withTombstone(before.body, line)
    return settled(files, row, memory, async (kernel) => {
      const { project, name } = memory
      const payload = { name, ...(said && { reason: said }), ...(agent && { by: agent }) }
      await record(kernel, memoryArchived, { id: event, by, project, item: id, payload })
    })
  })
}

/** Undoes an archive. Refused when the memory is not archived. */
export const unarchive = (kernel: Kernel, by: Actor, id: string, how?: Settling) =>
  revive(kernel, by, id, '', how)

/** Undoes a supersession. Refused when the memory is not superseded. */
export const unsupersede = (kernel: Kernel, by: Actor, id: string, how?: Settling) =>
  revive(kernel, by, id, 'superseded', how)

function revive(
  kernel: Kernel,
  by: Actor,
  id: string,
  was: 'superseded' | '',
  { scope, agent }: Settling = {},
): Promise<Memory> {
  const event = newId(kernel.clock.now())
  return settleOne(kernel, id, async (kernel, files, row) => {
    if (scope) await judgeWrite(kernel.db, scope, row.project)
    const { memory: before } = await readUnderLock(kernel, files, row)
    const stands = was === 'superseded' ? before.superseded_by !== '' : before.superseded_by === ''
    if (before.invalid_at === null || !stands) {
      throw conflict(`memory "${before.name}" is not ${was || 'archived'}; nothing to undo`)
    }
    const memory: Memory = {
      ...before,
      invalid_at: null,
      superseded_by: '',
      updated: files.nextTime(before.updated),
      body: withoutTombstone(before.body, was ? '> Superseded by ' : '> Archived '),
    }
    return settled(files, row, memory, async (kernel) => {
      const { project, name } = memory
      const payload = { name, revived: true as const, ...(agent && { by: agent }) }
      await record(kernel, memoryWritten, { id: event, by, project, item: id, payload })
    })
  })
}

function settleOne(
  kernel: Kernel,
  id: string,
  decide: (kernel: Kernel, files: Files, row: Row) => ReturnType<typeof settled>,
): Promise<Memory> {
  return retryMoved(async () => {
    const { path } = await rowOf(kernel, id)
    const { result } = await kernel.vault.write(kernel, [path], async (kernel, files) => {
      const row = await rowOf(kernel, id)
      if (row.path !== path) throw new Moved()
      return decide(kernel, files, row)
    })
    return result
  })
}

async function settled(
  files: Files,
  { path }: Row,
  memory: Memory,
  tell: (kernel: Kernel) => Promise<void>,
) {
  const hash = files.put(path, renderMemory(memory))
  return {
    result: memory,
    rows: (kernel: Kernel) => indexMemory(kernel, memory, path, hash),
    act: tell,
  }
}

const ended = (now: Date) => ({ invalid_at: now, updated: now })
const pathOf = ({ path }: Row): string => path
const dayOf = (time: Date): string => time.toISOString().slice(0, 10)

async function rowOf({ db }: Kernel, id: string): Promise<Row> {
  const row = await findRow(db, id)
  if (!row) throw notFound(`memory with id ${JSON.stringify(id)}`)
  return row
}

const settledAlready = ({ name, superseded_by }: Memory) =>
  conflict(`memory "${name}" was already ${superseded_by ? 'superseded' : 'archived'}`)

/** A pointer across a fence would tell what lies behind it, and lead nowhere. */
async function refuseHidden({ db }: Kernel, old: Row, next: Row): Promise<void> {
  if (mayRead(await findPlace(db, old.project), await findPlace(db, next.project))) return
  throw forbidden('whoever reads the old memory may not read the new one; the fence stands between')
}

/** The body with a last line behind a blank one; its own end stays as it is. */
function withTombstone(body: string, line: string): string {
  return body.endsWith('\n') ? `${body}\n${line}\n` : `${body}\n\n${line}`
}

/** The body as it was before the line, if that is still its last one. */
function withoutTombstone(body: string, prefix: string): string {
  const end = body.trimEnd().length
  const start = body.lastIndexOf('\n', end - 1)
  if (!body.startsWith(prefix, start + 1)) return body
  const head = body.slice(0, Math.max(0, start))
  // Without a line break at the end there was none before either, and the blank line is ours too.
  return body.length > end ? head : head.replace(/\n$/, '')
}
