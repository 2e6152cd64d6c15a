/**
 * What was changed in files of somebody else, so that an uninstallation gives back the very bytes that were
 * there. Kept on this machine, for its owner's eyes only; of a file only the places that were changed.
 */
import { diffLines } from 'diff'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { homeOf, type Machine } from '../../../machine.ts'
import { digest, readIfThere, removeEmpty, writeOver } from './file.ts'
import { splice } from './json.ts'

/** One place: so many characters stand at `at` now, and `before` stood there. */
interface Hunk {
  at: number
  length: number
  before: string
}

export interface Receipt {
  /** SHA-256 of the text that was written last. */
  after: string
  hunks: Hunk[]
  /** Paths of objects and lists within the file that were made for ours. */
  made: string[][]
  /** There was no file before. */
  missing: boolean
}

export interface Receipts {
  of(path: string): Receipt | undefined
  keep(path: string, receipt: Receipt | undefined): void
  /** Remembers folders that were made for files. */
  made(folders: readonly string[]): void
  /** Writes them down. Folders that were made and are empty again go, and so does a file of no receipts. */
  save(): Promise<void>
}

const fileOf = ({ env }: Pick<Machine, 'env'>): string =>
  join(env['XDG_STATE_HOME'] || join(homeOf({ env }), '.local', 'state'), 'loam', 'installed.json')

interface Kept {
  files: Record<string, Receipt>
  /** What was made for the files and for this one. */
  folders: string[]
}

export async function openReceipts(machine: Pick<Machine, 'env'>): Promise<Receipts> {
  const path = fileOf(machine)
  const kept = read(await readIfThere(path))
  const { files } = kept
  const write = async (): Promise<string[]> => {
    kept.folders.sort()
    const done = await writeOver(
      path,
      await readIfThere(path),
      `${JSON.stringify(kept, null, 1)}\n`,
    )
    return done ? done.folders : []
  }
  return {
    of: (file) => files[file],
    keep(file, receipt) {
      if (receipt) files[file] = receipt
      else delete files[file]
    },
    made(folders) {
      kept.folders.push(...folders)
    },
    async save() {
      if (Object.keys(files).length === 0) {
        await rm(path, { force: true })
        await removeEmpty(kept.folders)
        return
      }
      kept.folders = await removeEmpty(kept.folders)
      const made = await write()
      kept.folders.push(...made)
      if (made.length > 0) await write()
    },
  }
}

/** A damaged file counts as none: then what is ours is found by its mark alone. */
function read(text: string | undefined): Kept {
  try {
    const { files, folders } = JSON.parse(text ?? '{}') as Partial<Kept>
    return { files: { ...files }, folders: folders ?? [] }
  } catch {
    return { files: {}, folders: [] }
  }
}

/** The places in which two texts differ, as seen from the second one. */
export function hunksOf(before: string, after: string): Hunk[] {
  const hunks: Hunk[] = []
  let at = 0
  let open: Hunk | undefined
  for (const { added, removed, value } of diffLines(before, after)) {
    if (!added && !removed) {
      at += value.length
      open = undefined
      continue
    }
    if (!open) hunks.push((open = { at, length: 0, before: '' }))
    if (removed) open.before += value
    else {
      open.length += value.length
      at += value.length
    }
  }
  return hunks.map((hunk) => narrowed(hunk, after))
}

/** Without what is equal at both ends: in a file of one line, others' words are not written down. */
function narrowed({ at, length, before }: Hunk, after: string): Hunk {
  const now = after.slice(at, at + length)
  const most = Math.min(now.length, before.length)
  let head = 0
  while (head < most && now[head] === before[head]) head++
  let tail = 0
  while (tail < most - head && now.at(-1 - tail) === before.at(-1 - tail)) tail++
  return {
    at: at + head,
    length: length - head - tail,
    before: before.slice(head, before.length - tail),
  }
}

/** The text as it was before, if nobody changed the file since. */
export function undone(text: string, { after, hunks }: Receipt): string | undefined {
  if (digest(text) !== after) return undefined
  return hunks.reduceRight(
    (rest, { at, length, before }) => splice(rest, at, at + length, before),
    text,
  )
}
