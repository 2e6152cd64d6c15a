/** A decision is taken back. What an apply changed is byte for byte what it was, or nothing is changed. */
import { dropDocument, ownerOfPath, splitPath, type DocumentKind } from '../documents/documents.ts'
import { pendingEvent } from '../kernel/events.ts'
import { newId } from '../kernel/id.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { conflict } from '../kernel/refusal.ts'
import { memoryDocument, memoryFileKind } from '../memories/memories.ts'
import { noteDocument, noteFileKind } from '../notes/notes.ts'
import { inTransaction } from '../postgres/transaction.ts'
import type { FileBytes, FileKind, Files } from '../vault/vault.ts'
import { broughtBack, isNote } from './brought-back.ts'
import { remember } from './decide.ts'
import { effectOf } from './effects.ts'
import { forgetFiles, keptFiles, type ChangedFile } from './kept-files.ts'
import type { ProposalStatus } from './kinds.ts'
import { findProposal, lockProposal, openTwin, reopen, type Proposal } from './store.ts'

/**
 * Makes a decided proposal a pending one again.
 *
 * Refused when it is pending, when somebody else decided it anew or proposed the same meanwhile, and when a file that
 * the apply left was changed since.
 */
export async function undoProposal(kernel: Kernel, by: Actor, id: string): Promise<Proposal> {
  const { status, kind } = await findProposal(kernel.db, id)
  if (status === 'applied' && effectOf(kind).final)
    throw conflict(`a ${kind} that was applied is final; nothing was taken back`)
  return status === 'applied' ? undoApply(kernel, by, id) : undoReject(kernel, by, id, status)
}

const undoReject = (
  kernel: Kernel,
  by: Actor,
  id: string,
  seen: ProposalStatus,
): Promise<Proposal> =>
  inTransaction(kernel, async (kernel) => {
    const proposal = await lockDecided(kernel, id, seen)
    await reopen(kernel.db, id)
    await remember(kernel, by, proposal, 'undo_reject', { was: proposal.status })
    return proposal
  })

async function undoApply(kernel: Kernel, by: Actor, id: string): Promise<Proposal> {
  const kept = await keptFiles(kernel.db, id)
  if (kept.length === 0) return undoRows(kernel, by, id)
  const paths = kept.map(({ path }) => path)
  const { result } = await kernel.vault.write(kernel, paths, async (kernel, files) => {
    const proposal = await lockDecided(kernel, id, 'applied')
    const restored: FileBytes[] = []
    for (const file of kept) {
      const bytes = await restore(files, file)
      if (bytes) restored.push(bytes)
    }
    const made = await findMade(kernel, kept, restored)
    const left = await Promise.all(paths.map((path) => files.read(path)))
    const back = broughtBack(
      kernel,
      by,
      left.filter((file) => file !== undefined),
      restored,
    )
    return {
      result: proposal,
      async rows(kernel) {
        for (const { kind, id } of made) await dropDocument(kernel, kind, id)
        for (const file of restored) await kindOf(file).index(kernel, file, { external: false })
      },
      events: [
        ...back,
        ...made.map(({ kind, id: item, project, name }) =>
          pendingEvent(kind.events.deleted, {
            id: newId(kernel.clock.now()),
            by,
            project,
            item,
            payload: { [kind.nameKey]: name, deleted: true },
          }),
        ),
      ],
      async act(kernel) {
        await effectOf(proposal.kind).ground?.lift(kernel, proposal.payload, proposal.result ?? {})
        await forgetFiles(kernel.db, id)
        await reopen(kernel.db, id)
        await remember(kernel, by, proposal, 'undo_apply')
      },
    }
  })
  return result
}

/** Of an effect that is in no file. */
const undoRows = (kernel: Kernel, by: Actor, id: string): Promise<Proposal> =>
  inTransaction(kernel, async (kernel) => {
    const proposal = await lockDecided(kernel, id, 'applied')
    const { undo } = effectOf(proposal.kind)
    if (!undo || !proposal.result)
      throw conflict(`proposal ${id} changed nothing that could be taken back`)
    await undo(kernel, by, proposal.result)
    await reopen(kernel.db, id)
    await remember(kernel, by, proposal, 'undo_apply')
    return proposal
  })

/** Stages the file as it was. Returns undefined when there was none. */
async function restore(
  files: Files,
  { path, before, after }: ChangedFile,
): Promise<FileBytes | undefined> {
  const now = await files.read(path)
  if ((now?.hash ?? null) !== after) {
    const what = now ? 'changed' : 'removed'
    throw conflict(`${path} was ${what} after the proposal was applied; nothing was taken back`)
  }
  if (before) return { path, bytes: before, hash: files.put(path, before) }
  files.remove(path)
  return undefined
}

/** An item that the apply made, which goes with its file. */
interface Made {
  kind: DocumentKind
  id: string
  project: string
  name: string
}

/** What lies where nothing lay, but for what is brought back to another place. */
async function findMade(
  { db }: Kernel,
  kept: readonly ChangedFile[],
  restored: readonly FileBytes[],
): Promise<Made[]> {
  const back = new Set(restored.map((file) => kindOf(file).identify(file).id))
  const made: Made[] = []
  for (const { path, before } of kept) {
    const kind = isNote(path) ? noteDocument : memoryDocument
    const id = before ? undefined : await ownerOfPath(db, kind, path)
    if (id !== undefined && !back.has(id)) made.push({ kind, id, ...splitPath(path) })
  }
  return made
}

const kindOf = ({ path }: FileBytes): FileKind => (isNote(path) ? noteFileKind : memoryFileKind)

/**
 * Nobody else decides it before the transaction ends. Refused when it is pending, here or in another row by now, and
 * when it is no more what it was `seen` as: each decision is taken back in its own way.
 */
async function lockDecided({ db }: Kernel, id: string, seen: ProposalStatus): Promise<Proposal> {
  const proposal = await lockProposal(db, id)
  const { status } = proposal
  if (status === 'pending') throw conflict(`proposal ${id} is pending`)
  if (status !== seen) throw conflict(`proposal ${id} is ${status} by now; nothing was taken back`)
  const twin = await openTwin(db, proposal)
  if (twin) throw conflict(`the same was proposed again as ${twin}; decide that one`)
  return proposal
}
