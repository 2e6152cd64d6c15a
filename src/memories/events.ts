import Type from 'typebox'
import { defineEvent } from '../kernel/event-kind.ts'

/** On every change of what a memory says: write, append, edit, and an external change. */
export const memoryWritten = defineEvent(
  'memory.written',
  Type.Object({
    name: Type.String(),
    kind: Type.Optional(Type.String()),
    /** Of a write: whether it replaced what stood there. */
    updated: Type.Optional(Type.Boolean()),
    edited: Type.Optional(Type.Literal(true)),
    appended: Type.Optional(Type.Literal(true)),
    diff: Type.Optional(Type.String()),
    /** Changed on disk, by no tool. */
    outside: Type.Optional(Type.Literal(true)),
    /** Active again: a supersession or an archive was undone. */
    revived: Type.Optional(Type.Literal(true)),
    /** Who changed it when no agent did. */
    by: Type.Optional(Type.String()),
    kind_from: Type.Optional(Type.String()),
    kind_to: Type.Optional(Type.String()),
  }),
  ({ name, outside, ...how }) => {
    if (outside) return `changed memory ${name} outside of Loam`
    if (how.revived) return `brought memory ${name} back`
    if (how.kind_to !== undefined) return `made memory ${name} a ${how.kind_to}`
    if (how.appended) return `appended to memory ${name}`
    if (how.edited) return `edited memory ${name}`
    return how.updated ? `rewrote memory ${name}` : `wrote memory ${name}`
  },
  { severity: 'write' },
)

/** An agent read the memory: demand. */
export const memoryRead = defineEvent(
  'memory.read',
  Type.Object({ name: Type.String() }),
  ({ name }) => `read memory ${name}`,
)

/** Another memory took its place. */
export const memorySuperseded = defineEvent(
  'memory.superseded',
  Type.Object({
    name: Type.String(),
    /** The id of the replacement. */
    superseded_by: Type.String(),
    /** The reference of a replacement that holds elsewhere. */
    heir: Type.Optional(Type.String()),
    by: Type.Optional(Type.String()),
  }),
  ({ name, heir }) => `superseded memory ${name}${heir === undefined ? '' : ` by ${heir}`}`,
)

/** It left the indexes without a replacement: archived, deleted, or removed outside of Loam. */
export const memoryArchived = defineEvent(
  'memory.archived',
  Type.Object({
    name: Type.String(),
    reason: Type.Optional(Type.String()),
    deleted: Type.Optional(Type.Literal(true)),
    outside: Type.Optional(Type.Literal(true)),
    by: Type.Optional(Type.String()),
  }),
  ({ name, deleted, outside }) =>
    `${deleted ? 'deleted' : 'archived'} memory ${name}${outside ? ' outside of Loam' : ''}`,
)

/** It holds in another project from now on. */
export const memoryMoved = defineEvent(
  'memory.moved',
  Type.Object({
    name: Type.String(),
    from: Type.String(),
    to: Type.String(),
    by: Type.Optional(Type.String()),
    /** The batch by which a project was split. */
    plan: Type.Optional(Type.String()),
    /** It was brought back. */
    restored: Type.Optional(Type.Literal(true)),
  }),
  ({ name, from, to }) => `moved memory ${name} from ${from} to ${to}`,
  { severity: 'write' },
)
