/**
 * What was changed in files of somebody else, so that an uninstallation gives back the very bytes that were
 * there. Kept on this machine, for its owner's eyes only; of a file only the places that were changed.
 */
import { diffLines } from 'diff'
import { open, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { invalid } from '../../../../kernel/refusal.ts'
import { homeOf, type Machine } from '../../../machine.ts'
import { digest, makeFolder, readIfThere, removeEmpty, writeWhole } from './file.ts'
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
  /** Every file that holds something of ours, as far as it is written down. */
  paths(): string[]
  keep(path: string, receipt: Receipt | undefined): void
  /** Remembers folders that were made for files. */
  made(folders: readonly string[]): void
  /** Writes them down. Folders that were made and are empty again go, and so does a file of no receipts. */
  save(): Promise<void>
  /** Whether nothing is written down: nothing of ours is installed anywhere. */
  areGone(): Promise<boolean>
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
  const { files: known } = read(await readIfThere(path))
  const changed = new Map<string, Receipt | undefined>()
  const fresh: string[] = []
  const of = (file: string): Receipt | undefined =>
    changed.has(file) ? changed.get(file) : known[file]
  return {
    of,
    paths: () => [...new Set([...Object.keys(known), ...changed.keys()])].filter(of),
    keep(file, receipt) {
      if (receipt || known[file] || changed.has(file)) changed.set(file, receipt)
    },
    made: (folders) => void fresh.push(...folders),
    areGone: async () => (await readIfThere(path)) === undefined,
    async save() {
      if (changed.size === 0 && fresh.length === 0) return
      await writeDown().catch((error: NodeJS.ErrnoException) => {
        throw invalid(
          `${path} cannot be written (${error.code ?? error.message}): an uninstallation will find what was ` +
            'changed by its marks alone',
        )
      })
    },
  }

  async function writeDown(): Promise<void> {
    fresh.push(...(await makeFolder(dirname(path))))
    const folders = await alone(`${path}.lock`, async () => {
      const kept = read(await readIfThere(path))
      for (const [file, receipt] of changed) {
        if (receipt) kept.files[file] = receipt
        else delete kept.files[file]
      }
      kept.folders = [...new Set([...kept.folders, ...fresh])].toSorted()
      if (Object.keys(kept.files).length > 0) {
        await writeWhole(path, `${JSON.stringify(kept, null, 1)}\n`)
      } else await rm(path, { force: true })
      return kept.folders
    })
    await removeEmpty(folders)
  }
}

/** Does something that another installation is not doing at the same time. */
async function alone<T>(lock: string, work: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < 250; tries++) {
    const mine = await open(lock, 'wx', 0o600).catch(() => undefined)
    await mine?.close()
    if (mine) break
    await makeFolder(dirname(lock))
    // One that was killed meanwhile is not waited for.
    const since = await stat(lock).catch(() => undefined)
    if (since && Date.now() - since.mtimeMs > LOCK_MS) await rm(lock, { force: true })
    else await setTimeout(20)
  }
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}

const LOCK_MS = 5_000

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
