/** Several memories become one: a new one, or one of them that says it all from now on. */
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { conflict } from '../kernel/refusal.ts'
import { contentHash } from '../vault/paths.ts'
import {
  changeSeveral,
  documentPath,
  nameTaken,
  seekPlaced,
  type Change,
  type Placed,
} from '../documents/documents.ts'
import { mayBeCut } from '../text/slug.ts'
import type { Acting } from './act.ts'
import { shortDescription } from './checks.ts'
import { memoryDocument } from './document.ts'
import type { Memory } from './file.ts'
import type { MemoryKind } from './kinds.ts'
import { refuseHidden, succeeded } from './lifecycle.ts'
import { memoryRef } from './read.ts'

export interface Consolidation {
  /** Of the memory that is made: a second time finds what the first one made. */
  id: string
  name: string
  project: string
  kind: MemoryKind
  description: string
  body: string
  /** The model that wrote it; '': none. */
  model: string
  /** Those that are gone or have ended are left as they are. */
  sources: readonly Source[]
}

interface Source {
  id: string
  /** The hash of the body that went into the text; absent: whatever it says is in it. */
  said?: string
}

/** What is compared with what a source says when its text is replaced. */
export const saidBy = ({ body }: { body: string }): string => contentHash(Buffer.from(body))

export interface Consolidated {
  id: string
  /** `project/name`. */
  created: string
  /** The memories in whose place it stands, as `project/name`. */
  superseded: string[]
}

/**
 * Writes the memory and ends its sources, in one write. A source that has the name itself is rewritten.
 *
 * Refused when the name belongs to another memory, when no source holds any more, when one of them says something else
 * by now, which would be lost, and across a fence.
 */
export async function consolidateMemories(
  kernel: Kernel,
  by: Actor,
  draft: Consolidation,
  { agent }: Pick<Acting, 'agent'> = {},
): Promise<Consolidated> {
  const { id, name, project } = draft
  const find = async (kernel: Kernel): Promise<Placed[]> => {
    const found = []
    for (const { id } of draft.sources) {
      const placed = await seekPlaced(kernel, memoryDocument, id)
      if (placed) found.push(placed)
    }
    return found
  }
  const also = () => [documentPath(memoryDocument, project, name)]
  return changeSeveral(kernel, by, memoryDocument, { find, also }, async (held) => {
    const { kernel, files, found } = held
    const sources: Memory[] = []
    for (const placed of found) sources.push(await held.read(placed))
    const standing = await held.ownerOf(project, name)
    const same = sources.find((source) => source.id === standing)
    if (standing !== undefined && standing !== id && same?.invalid_at !== null) {
      throw conflict(`${nameTaken(memoryDocument, project, name)}; ask for it under another name`)
    }
    const now = files.nextTime(latestOf(sources))
    const whole = same ? rewritten(same, draft, now) : made(draft, sources, now)
    const ended = sources.filter((source) => source.invalid_at === null && source !== same)
    if (ended.length === 0 && standing !== id) {
      throw conflict('none of the memories that it would replace holds any more')
    }
    if (standing !== id) refuseChanged(draft, sources)
    for (const source of ended) await refuseHidden(kernel.db, source, whole)
    const says = (change: Change<Memory>, { name }: Memory): Change<Memory> => ({
      ...change,
      payload: { name, ...change.payload, ...(agent && { by: agent }) },
    })
    return {
      result: { id: whole.id, created: memoryRef(whole), superseded: ended.map(memoryRef) },
      changes: [
        ...(standing === id
          ? []
          : [says({ document: whole, payload: { kind: whole.kind, updated: !!same } }, whole)]),
        ...ended.map((source) => says(succeeded(source, whole, now), source)),
      ],
    }
  })
}

function refuseChanged(draft: Consolidation, sources: readonly Memory[]): void {
  for (const { id, said } of draft.sources) {
    const source = sources.find((source) => source.id === id && source.invalid_at === null)
    if (source && said !== undefined && said !== saidBy(source)) {
      throw conflict(
        `${memoryRef(source)} was changed after this text was made of it, which the change is not part of; ` +
          'dismiss this one, and ask again',
      )
    }
  }
}

const latestOf = (memories: readonly Memory[]): Date | undefined =>
  memories.map(({ updated }) => updated).toSorted((a, b) => b.getTime() - a.getTime())[0]

const rewritten = (before: Memory, draft: Consolidation, now: Date): Memory => ({
  ...before,
  kind: draft.kind,
  description: shortDescription(draft.description),
  body: draft.body,
  model: draft.model || before.model,
  updated: now,
})

/** It has the tags of all of them, and a star when one of them had. */
const made = (draft: Consolidation, sources: readonly Memory[], now: Date): Memory => ({
  id: draft.id,
  name: draft.name,
  project: draft.project,
  kind: draft.kind,
  description: shortDescription(draft.description),
  body: draft.body,
  model: draft.model,
  tags: [...new Set(sources.flatMap(({ tags }) => tags))],
  favorite: sources.some(({ favorite, invalid_at }) => favorite && invalid_at === null),
  created: now,
  updated: now,
  valid_from: now,
  invalid_at: null,
  superseded_by: '',
  source_session: '',
  uncut: mayBeCut(draft.name),
  extra: {},
})
