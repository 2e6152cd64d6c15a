/** Where a demo store lies, and whether one can be made there. */
import { mkdtemp, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { conflict } from '../../kernel/refusal.ts'
import type { Ledger } from './ledger.ts'

const FILE = 'demo.json'

/** The ledger of a store that the demo made; undefined: there is none. */
export async function readLedger(dir: string): Promise<Ledger | undefined> {
  const text = await readFile(join(dir, FILE), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as Ledger)
}

export const writeLedger = (dir: string, ledger: Ledger): Promise<void> =>
  writeFile(join(dir, FILE), `${JSON.stringify(ledger, null, 1)}\n`)

/** Refuses a directory in which something lies: it may be somebody's store. */
export async function assertUnused(dir: string): Promise<void> {
  const found = await stat(dir).catch(() => undefined)
  if (!found) return
  if (!found.isDirectory()) throw conflict(`${dir} is a file; name a directory for the demo`)
  if ((await readdir(dir)).length === 0) return
  throw conflict(
    `${dir} is in use and is no demo store: the demo fills only an empty directory. Name another ` +
      'with --dir',
  )
}

/**
 * Makes a store beside its place and moves it there when it is whole, so that a demo that was stopped
 * halfway is none.
 */
export async function makeAt(
  dir: string,
  make: (unfinished: string) => Promise<void>,
): Promise<void> {
  const unfinished = await mkdtemp(join(dirname(dir), `.${basename(dir)}-unfinished-`))
  try {
    await make(unfinished)
    await rmdir(dir).catch(() => {})
    await rename(unfinished, dir)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    throw error
  }
}
