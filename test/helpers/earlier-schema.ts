import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { MIGRATIONS, readMigrations } from '../../src/postgres/migrate.ts'

export interface EarlierSchema extends AsyncDisposable {
  /** For `migrate`: makes the store as it was before the migration. */
  folder: URL
}

/** The migrations before the first whose name ends with `end`. */
export async function schemaBefore(end: string): Promise<EarlierSchema> {
  const steps = await readMigrations()
  const count = steps.findIndex(({ name }) => name.endsWith(end))
  if (count < 0) throw new Error(`No migration ends with ${end}.`)
  const folder = await mkdtemp(join(tmpdir(), 'loam-upgrade-'))
  await Promise.all(
    steps.slice(0, count).map(({ name }) => cp(new URL(name, MIGRATIONS), join(folder, name))),
  )
  return {
    folder: pathToFileURL(`${folder}/`),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}
